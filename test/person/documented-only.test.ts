// A service with the thirteen documented operations alone, and the person's own limits, in front of the real editor.
import assert from "node:assert/strict";
import { SOON, stage, step } from "./support.ts";

const person = stage({
  signedIn: true,
  sandbox: { onlyDocumented: true },
  settings: { "cloudGpu.limits.pricePerHour": 0.2 },
});
const creates = () =>
  person().requests.filter(({ method, path }) => method === "PUT" && path.startsWith("/api/v0/asks/"));

step("the list says once what the service lacks, and the way on", "60-unlisted", person, async ({ window }) => {
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^PyTorch/);
  await window.page.getByText("This service can't list instances").first().waitFor({ timeout: SOON });
  assert.deepEqual(await window.notifications(), []);
});

step(
  "a price above one's own limit is refused, and the setting is one click away",
  "61-limit",
  person,
  async ({ window }) => {
    await window.command("Cloud GPU: Launch Instance from Template…");
    await window.quickPick(/^PyTorch/);
    await window.quickTitle(/2\/3/);
    await window.quickType("RTX 4090");
    await window.quickPick(/^1× RTX 4090.*above your limit/);
    await window.waitForNotification(
      /This costs \$0\.\d+\/h, above your limit of \$0\.20\/h per rental\. Choose another offer/,
      SOON,
    );
    assert.match(await window.quickTitle(/2\/3/), /offers/, "the list is still there");
    await window.quickClose();
    await window.notificationButton("Open Setting");
    await window.page.locator(".settings-editor", { hasText: "Price Per Hour" }).waitFor({ timeout: SOON });
    assert.equal(creates().length, 0);
  },
);

step("launching asks for the consent it needs", "62-consent", person, async ({ window }) => {
  await window.page.keyboard.press("Escape");
  await window.page.locator(".settings-editor").waitFor({ state: "detached", timeout: SOON });
  await window.clearNotifications();
  await window.command("Cloud GPU: Launch Instance from Template…");
  await window.quickPick(/^PyTorch/);
  await window.quickTitle(/2\/3/);
  await window.quickPick(/^1× RTX 3060/);
  await window.quickTitle(/3\/3/);
  await window.quickPick(/^Rent 1× RTX 3060/);
  const dialog = await window.dialog();
  assert.match(dialog.detail, /can't list instances\. If its response gets lost/);
});

step("it is rented, shown and seen to run", "63-running", person, async ({ window, service }) => {
  await window.dialogButton("Rent without Tracking");
  await window.waitForRow(/1× RTX 3060, instance \d+, running/, 60_000);
  assert.equal(service.world.listInstances().length, 1);
  assert.match(await window.viewMessage("Instances"), /can't list instances/);
});

step("after a reload it is still there", person, async ({ window }) => {
  await window.reload();
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/1× RTX 3060, instance \d+, running/);
});

step(
  "destroying tells that this service cannot, and that it is billed on",
  "65-cannot",
  person,
  async ({ window, service }) => {
    await window.rowMenu(/1× RTX 3060, instance/, "Destroy Instance…");
    await window.dialogButton("Destroy");
    await window.waitForNotification(
      /^Instance 1× RTX 3060 \(\d+\) may still exist and cost money\. This service doesn't support that/,
    );
    assert.equal(service.world.listInstances().length, 1);
    await window.clearNotifications();
  },
);

step("one that ended elsewhere stays as a row until it is forgotten", person, async ({ window, service }) => {
  const [instance] = service.world.listInstances();
  assert.ok(instance);
  service.world.destroy(instance.id);
  await window.command("Cloud GPU: Refresh");
  await window.waitForRow(/1× RTX 3060, instance \d+, no longer on the service/);
  await window.rowMenu(/1× RTX 3060, instance/, "Stop Tracking Instance");
  await window.page.getByText("This service can't list instances").first().waitFor({ timeout: SOON });
  await window.page
    .locator('.monaco-list-row[aria-label*=", instance 31"]')
    .waitFor({ state: "detached", timeout: SOON });
});

step("an id is asked for and checked", "67-track", person, async ({ window }) => {
  await window.command("Cloud GPU: Track Instance by ID…");
  await window.quickTitle(/Track Instance by ID/);
  await window.quickRefused("twelve", /“twelve” isn't a valid instance ID/);
  await window.quickType("12345");
  await window.quickAccept();
  // The first message goes when the text changes; the next one comes when the service has answered.
  await window.page
    .getByText(/has no instance 12345/)
    .first()
    .waitFor({ timeout: SOON });
  await window.quickClose();
});
