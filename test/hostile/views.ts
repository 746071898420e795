// The sidebar: every row unfolded, every kind of row hovered, and none of them lost.
import assert from "node:assert/strict";
import { hoverStatus } from "./account.ts";
import { step } from "./stage.ts";

export function views(): void {
  step("no row is lost", "10-rows", async ({ window, sandbox }) => {
    const { world } = sandbox;
    await window.waitForRow(/^bidder/);
    const count = async (view: string, first: RegExp) => {
      await window.waitForRowIn(view, first);
      return (await window.treeRows(view)).length;
    };
    assert.equal(
      await count("Instances", /^bidder/),
      world.listInstances().length + 1,
      "and the launch nobody knows of",
    );
    await window.waitForRow(/^Popular, /);
    const templates = await window.treeRows("Templates");
    const promised = templates.flatMap((row) => /^(?:Mine|Recommended|Popular), (\d+) templates$/.exec(row)?.[1] ?? []);
    assert.equal(promised.length, 3);
    assert.equal(
      templates.length,
      promised.reduce((sum, one) => sum + Number(one), 3),
    );
    assert.equal(await count("Webhooks", /^Team chat/), world.webhooks.length);
    const endpoints = new Set(world.workergroups.map(({ endpoint_id: id }) => id));
    assert.equal(await count("Workergroups", /^Workergroup 7701/), world.workergroups.length + endpoints.size);
    await window.waitForRowIn("Host", /volume /);
    assert.ok((await window.treeRows("Host")).length >= world.volumes.listOwnOffers().length + 2);
  });

  step("every offer on one page", "12-offers", async ({ window }) => {
    await window.command("Cloud GPU: Explore Offers…");
    await window.webview().locator(".grid .body .line").first().waitFor({ timeout: 60_000 });
    await window.webview().getByRole("tab", { name: "Plot" }).click();
    await window.webview().locator(".plot .legend").waitFor({ timeout: 60_000 });
    await window.closeAllEditors();
  });

  step("tooltips and unfolded rows", "11-tooltips", async ({ window }) => {
    for (const row of [/^dead one/, /^1× lost/, /^Scratch/, /^ComfyUI/]) {
      await window.hover(row);
    }
    await window.toggleRow(/^Team chat/);
    await window.waitForRow(/^Address: /);
    await window.hover(/^Team chat/);
    await window.toggleRow(/^Team chat/);
    await window.toggleRow(/^Workergroup 7701/);
    await window.waitForRow(/^Launch arguments: /);
    await window.hover(/^Workergroup 7701/);
    await window.toggleRow(/^Workergroup 7701/);
    await window.hover(/volume /);
    await window.page.mouse.move(0, 0);
    await hoverStatus(window, "rented");
    await window.page.mouse.move(0, 0);
  });
}
