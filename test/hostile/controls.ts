// A test that can't fail proves nothing: what the walk looks for is found where it is put on purpose.
import assert from "node:assert/strict";
import { SOON, until } from "../person/support.ts";
import { step } from "./stage.ts";

export function controls(): void {
  step("controls: a live link in a message is seen", "00-link", async ({ window, probe, sightings }) => {
    const listens = () =>
      probe.ask("state").then(
        () => true,
        () => false,
      );
    await until("the probe listens", listens);
    await probe.ask("tell", "[x](command:workbench.action.terminal.new) $(squirrel)");
    // A window that is still starting may keep it from the corner: then it is behind the bell.
    await window.waitForNotification(/^x \$\(squirrel\)$/);
    assert.match((await sightings.found()).join("\n"), /live link command:workbench\.action\.terminal\.new/);
    await window.clearNotifications();
    await sightings.forget();
  });

  step("controls: a link and an icon under an input box are seen", "00-box", async ({ window, probe, sightings }) => {
    await probe.ask("box", "[z](file:///etc/passwd) $(squirrel)");
    await window.page.locator(".quick-input-message a").first().waitFor({ timeout: SOON });
    const found = (await sightings.found()).join("\n");
    assert.match(found, /live link file:\/\/\/etc\/passwd/);
    assert.match(found, /icon in .*codicon-squirrel/);
    await window.quickClose();
    await sightings.forget();
  });

  step("controls: a busy extension host is seen", "00-busy", async ({ probe }) => {
    await probe.ask("profile");
    // Of the time on the clock, a busy machine gives the host a part.
    await probe.ask("busy", 1000);
    const { file } = await probe.stretches("probe.cjs");
    assert.ok(
      file.some(({ where, ms }) => where === "busy" && ms > 100),
      JSON.stringify(file),
    );
  });
}
