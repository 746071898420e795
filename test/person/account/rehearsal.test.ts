// Rehearsing in the embedded sandbox: its own commands are there as long as a window is in it, and act on nothing else.
import assert from "node:assert/strict";
import { SOON, stage, step } from "../support.ts";

const person = stage({ signedIn: false });
const MINE = /^1× .+, instance \d+/;
const COMMANDS = ["Fail Instance…", "Outbid Instance", "Skip an Hour"].map((name) => `Cloud GPU: Sandbox: ${name}`);

/** The commands of ours for the sandbox that the palette has. */
async function findInPalette(window: ReturnType<typeof person>["window"]): Promise<readonly string[]> {
  await window.page.keyboard.press("F1");
  await window.quickType(">Cloud GPU: Sandbox:");
  const found = (await window.quickItems()).map(({ label }) => label).filter((label) => COMMANDS.includes(label));
  await window.quickClose();
  return found;
}

step("signed in to a service, there is nothing to rehearse with", person, async ({ window, service }) => {
  await window.openContainer("Cloud GPU");
  await window.command("Cloud GPU: Sign In…");
  await window.quickPick(/^Another Address/);
  await window.quickAnswer(service.url);
  await window.quickAnswer(service.apiKey);
  await window.waitForRow(/^PyTorch/);
  assert.deepEqual(await findInPalette(window), []);
  await window.command("Cloud GPU: Sign Out");
  await window.page.getByRole("button", { name: "Try the Sandbox" }).waitFor({ timeout: SOON });
});

step("in the embedded sandbox, what is cheapest runs at the first try", person, async ({ window }) => {
  await window.page.getByRole("button", { name: "Try the Sandbox" }).click();
  await window.waitForRow(/^PyTorch/);
  await window.command("Cloud GPU: Launch Instance from Template…");
  await window.quickPick(/^vLLM/);
  await window.quickTitle(/2\/3/);
  await window.quickPick(/^1× .+\$0\.\d+\/h/);
  await window.quickTitle(/3\/3/);
  await window.quickPick(/^Rent 1×/);
  await window.dialogButton("Rent");
  await window.waitForRow(/^1× .+, instance \d+, running/, 90_000);
  await window.clearNotifications();
});

step("an hour is skipped, and what keeps real time is said", person, async ({ window, service }) => {
  assert.deepEqual((await findInPalette(window)).toSorted(), COMMANDS.toSorted());
  await window.command("Cloud GPU: Sandbox: Skip an Hour");
  await window.waitForNotification(/an hour ahead.*auto-stops that it carries out, keep real time/);
  assert.equal(service.world.skipped, 0, "another sandbox stays as it is");
  await window.clearNotifications();
  await window.command("Cloud GPU: Sandbox: Outbid Instance");
  await window.waitForNotification(/isn't in a state for this|no running interruptible instance/);
  await window.clearNotifications();
});

step("an instance fails from its menu, and can be replaced", "37-rehearsal", person, async ({ window }) => {
  const entries = await window.rowMenuItems(MINE);
  assert.ok(entries.includes("Sandbox: Fail Instance…"), entries.join("\n"));
  assert.ok(!entries.includes("Sandbox: Outbid Instance"), "its price is fixed");
  await window.rowMenu(MINE, "Sandbox: Fail Instance…");
  await window.screenshot("37-how-it-fails");
  await window.quickPick(/^Its container exits/);
  await window.waitForRow(/^1× .+, instance \d+, exited: .*code 137/);
  assert.ok((await window.rowMenuItems(MINE)).includes("Replace Instance…"));
});
