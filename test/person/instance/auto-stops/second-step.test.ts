// An auto-stop that stops and later destroys, as a person: chosen in the summary, read on the row, put off, and gone once it's started.
import assert from "node:assert/strict";
import { SOON, stage, step } from "../../support.ts";

const person = stage({
  signedIn: true,
  prepare: ({ world }) => {
    for (const { id, fate } of world.offers) if (fate !== "gone") world.setFate(id, "runs");
  },
});
const MINUTE = 90_000;

step(
  "the summary offers to stop and then destroy, and says what that needs",
  "410-summary",
  person,
  async ({ window }) => {
    await window.openContainer("Cloud GPU");
    await window.waitForRow(/^PyTorch/);
    await window.command("Cloud GPU: Launch Instance from Template…");
    await window.quickPick(/^PyTorch/);
    await window.quickTitle(/2\/3/);
    await window.quickPick(/^1× RTX 3090/);
    await window.quickTitle(/3\/3/);
    await window.quickPick(/^Auto-Stop… no auto-stop/);
    await window.quickPick(/^In 8 h/);
    await window.screenshot("410-choices");
    await window.quickPick(/^Stop, Then Destroy After 24 h/);
    await window.quickTitle(/3\/3/);
    await window.screenshot("410-chosen");
    const lines = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`);
    assert.ok(
      lines.some((line) =>
        /^Auto-Stop… 8 h after renting, stops, then destroys 24 h later .*\. Until it stops, it costs about \$/.test(
          line,
        ),
      ),
      lines.join("\n"),
    );
  },
);

step("the question before renting and the row say both steps", "411-row", person, async ({ window }) => {
  await window.quickPick(/^Rent 1× RTX 3090/);
  const { detail } = await window.dialog();
  assert.match(detail, /Cloud GPU stops it at .* If it's still stopped 24 h later and VS Code was open all that time/);
  await window.screenshot("411-question");
  await window.dialogButton("Rent");
  await window.waitForRow(
    /1× RTX 3090, instance \d+, running, .*stops at .*, destroys 24 h later if still stopped/,
    60_000,
  );
  await window.clearNotifications();
  const tooltip = await window.hover(/1× RTX 3090, instance/);
  assert.match(tooltip, /If it's still stopped 24 h later, it's destroyed \(VS Code must be open and signed in/);
  await window.screenshot("411-tooltip");
});

step("once it's stopped, the row says when it's destroyed", "412-stopped", person, async ({ window, service }) => {
  await window.rowMenu(/1× RTX 3090, instance/, "Set Auto-Stop…");
  await window.quickPick(/^Another Time…/);
  await window.quickAnswer("1 min");
  await window.quickPick(/^Stop, Then Destroy After 24 h/);
  await window.waitForNotification(/was stopped at its end time/, 2 * MINUTE);
  await window.clearNotifications();
  await window.waitForRow(/1× RTX 3090, instance \d+, stopped, .*destroys at .* if still stopped/, SOON);
  assert.equal(service.world.listInstances().length, 1);
  const tooltip = await window.hover(/1× RTX 3090, instance/);
  assert.match(
    tooltip,
    /destroys it if it's still stopped \(VS Code must be open and signed in until then, or you're asked\)/,
  );
  await window.screenshot("412-tooltip");
});

step("the list of costs says when the disk is destroyed", "413-costs", person, async ({ window }) => {
  await window.command("Cloud GPU: Show Current Costs");
  await window.quickTitle(/^Show Current Costs/);
  const row = (await window.quickItems()).find(({ label }) => label === "1× RTX 3090");
  assert.equal(row?.separator, "Only the disk is billed");
  assert.match(row?.detail ?? "", /destroys at .* if still stopped/);
  await window.screenshot("413-costs-list");
  await window.quickClose();
});

step("the second step is put off by an hour", "413-extended", person, async ({ window }) => {
  await window.rowMenu(/1× RTX 3090, instance/, "Set Auto-Stop…");
  await window.screenshot("413-choices");
  await window.quickPick(/^Extend 1 h/);
  await window.waitForRow(/1× RTX 3090, instance \d+, stopped, .*destroys at .* if still stopped/, SOON);
});

step("started again, it has no auto-stop any longer", "414-started", person, async ({ window, requests }) => {
  await window.rowMenu(/1× RTX 3090, instance/, "Start Instance…");
  await window.dialogButton("Start");
  await window.waitForRow(/1× RTX 3090, instance \d+, running(?!.*destroys)/, 60_000);
  assert.ok(requests.every(({ method, path }) => method !== "DELETE" || !path.includes("/instances/")));
});
