// Configuring a launch on its page: an image of one's own, a template with changes, a virtual machine, and what is created stopped.
import assert from "node:assert/strict";
import type { Workbench } from "../../editor/page.ts";
import { focusedName, frameOf, lookAtPage } from "../page-look.ts";
import { SOON, stage, step, until } from "../support.ts";
import { button, field, form, says } from "../template-form.ts";

const person = stage({ signedIn: true });
const TOKEN = "registry-canary-4711";
const creates = () =>
  person().requests.filter(({ method, path }) => method === "PUT" && path.startsWith("/api/v0/asks/"));

/** The request that the page shows. */
async function readRequest(window: Workbench): Promise<Record<string, unknown>> {
  return JSON.parse((await form(window).locator(".request pre").textContent()) ?? "");
}

const choose = (window: Workbench, name: string) =>
  form(window)
    .locator("label.mode")
    .filter({ has: form(window).locator(".mode-name", { hasText: name }) })
    .locator("input")
    .check();

/** Adds a row to the table of variables and ports, and fills it in. */
async function addRow(window: Workbench, kind: "Variable" | "Port", first: string, second: string): Promise<void> {
  const rows = form(window).locator("#field-env tbody tr:not(.said)");
  const count = await rows.count();
  // What is said above may just be moving it.
  await button(window, `Add ${kind}`).press("Enter");
  const cells = rows.nth(count).locator("input");
  await cells.nth(0).fill(first);
  await cells.nth(1).fill(second);
}

step("a volume's row begins a launch on its machine", "159-mount", person, async ({ window }) => {
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^PyTorch/);
  await window.waitForRowIn("Host", /^models/);
  await window.rowMenu(/^models/, "Mount Volume at Launch…");
  await window.quickPick(/^Scratch Ubuntu/);
  await window.quickPick(/^4× RTX 3090/);
  await window.quickTitle(/Mount Volume at Launch/);
  const lines = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`.trim());
  assert.ok(
    lines.some((line) => /^Volume… 27000002, mounted at \/data/.test(line)),
    lines.join("\n"),
  );
  await window.page.keyboard.press("Escape");
});

step(
  "an image of one's own leads to the page, with the image in focus",
  "160-configure",
  person,
  async ({ window }) => {
    await window.openContainer("Cloud GPU");
    await window.command("Cloud GPU: Launch Instance from Offer…");
    await window.quickPick(/^1× RTX 3090/);
    await window.quickPick(/^A Docker Image…/);
    await says(window, /Nothing is rented until you confirm/);
    await until("the focus is in the image", async () => (await focusedName(await frameOf(window))) === "Image");
  },
);

step("everything that is wrong is said at its field, and nothing is sent", "161-wrong", person, async ({ window }) => {
  await field(window, "Image").fill("Not An Image");
  await addRow(window, "Port", "0", "70000");
  await addRow(window, "Variable", "1MODE", "train");
  await field(window, "Disk (GB)").fill("1");
  await choose(window, "Link a volume");
  await field(window, "Mount Path").fill("data/../x");
  await button(window, "Review").click();
  await says(window, /Nothing was sent yet/);
  const text = await form(window).locator("#summary").innerText();
  for (const part of ["Image:", "Variables and Ports:", "Disk (GB):", "Volume ID:", "Mount Path:"])
    assert.ok(text.includes(part), `${part} in\n${text}`);
});

step("with what it needs, the page shows the request as it will be sent", "162-request", person, async ({ window }) => {
  await button(window, "Reset All").click();
  await field(window, "Image").fill("ghcr.io/lab/serve:2.1");
  await form(window).locator("#registry-login summary").click();
  await field(window, "Registry").fill("ghcr.io");
  await field(window, "Registry User").fill("lab");
  await field(window, "Registry Token").fill(TOKEN);
  await choose(window, "Image's Own Entrypoint");
  await addRow(window, "Variable", "MODE", "train");
  await addRow(window, "Variable", "HF_TOKEN", "variable-canary-4712");
  await addRow(window, "Port", "8000", "8000");
  await field(window, "Arguments").fill("serve --name 'my model'");
  await field(window, "Disk (GB)").fill("50");
  await choose(window, "Link a volume");
  await field(window, "Volume ID").fill("27000002");
  await field(window, "Mount Path").fill("/data");
  await says(window, /Volume 27000002 is on machine \d+/);
  await until("the request is shown", async () => (await form(window).locator(".request pre").count()) === 1);
  const shown = await readRequest(window);
  assert.deepEqual(shown.volume_info, { create_new: false, volume_id: 27000002, mount_path: "/data" });
  assert.ok(!JSON.stringify(shown).includes("canary"), "no secret is shown");
});

step(
  "Review asks for an offer of the volume's machine, and the summary has it all",
  "163-summary",
  person,
  async ({ window }) => {
    await button(window, "Review").click();
    await window.quickPick(/^4× RTX 3090/);
    await window.quickTitle(/Launch Instance from Offer/);
    const lines = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`.trim());
    for (const shape of [
      /^Configuration… 5 changes: MODE, HF_TOKEN, port 8000 and 2 more/,
      /^Volume… 27000002, mounted at \/data/,
    ])
      assert.ok(
        lines.some((line) => shape.test(line)),
        `${shape} in\n${lines.join("\n")}`,
      );
    assert.ok(!lines.join(" ").includes("canary"), "no secret is shown");
  },
);

step("what the page showed is what the service got, byte for byte but for the secrets", person, async ({ window }) => {
  await window.quickPick(/^Configuration…/);
  await says(window, /Nothing is rented until you confirm/);
  await until("the request is shown", async () => (await form(window).locator(".request pre").count()) === 1);
  const shown = (await form(window).locator(".request pre").textContent()) ?? "";
  await button(window, "Review").click();
  await window.quickPick(/^Rent 4× RTX 3090/);
  await window.dialogButton("Rent");
  await until("it was sent", () => creates().length === 1, SOON);
  const body = creates()[0]?.body as Record<string, unknown>;
  const sent = JSON.stringify(body, null, 2)
    .replace(TOKEN, "••••")
    .replace("variable-canary-4712", "••••")
    .replace(/vsc-[a-z2-7]{16}/, "vsc-…");
  // What is recorded shows nothing of a login.
  assert.equal(sent, shown.replace("-u lab -p •••• ghcr.io", "••••"));
});

step(
  "a template's launch is changed in three places, and each can be taken back",
  "164-changed",
  person,
  async ({ window }) => {
    await window.command("Cloud GPU: Launch Instance from Template…");
    await window.quickPick(/^Ollama/);
    await window.quickPick(/^1× RTX 3090/);
    await window.quickPick(/^Configuration… as in the template/);
    await says(window, /Nothing is rented until you confirm/);
    const rows = form(window).locator("#field-env tbody tr:not(.said)");
    const at = (await rows.locator(".kind").allInnerTexts()).indexOf("Variable");
    const first = rows.nth(at);
    assert.equal(await first.getByRole("button").count(), 0, "what the template has can't be removed");
    await first.locator("input").nth(1).fill("changed-value");
    await first.getByRole("button", { name: `Reset row ${at + 1}` }).waitFor({ timeout: SOON });
    await form(window).locator("label.mode", { hasText: "After the template's" }).locator("input").check();
    await field(window, "Start Script").fill("echo added");
    await form(window).locator("#field-python_utf8 vscode-checkbox").click();
    await until("three changes are marked", async () => (await form(window).locator(".source .mine").count()) >= 4);
  },
);

step("Review comes back to the summary, which names the changes", "165-changes", person, async ({ window }) => {
  await button(window, "Review").click();
  await window.quickTitle(/Launch Instance from Template/);
  const lines = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`.trim());
  assert.ok(
    lines.some((line) => /^Configuration… 3 changes: OLLAMA_HOST, Python locale, start script/.test(line)),
    lines.join("\n"),
  );
});

step(
  "the summary is dropped; the next launch of the template has it again",
  "166-again",
  person,
  async ({ window }) => {
    await window.page.keyboard.press("Escape");
    await window.command("Cloud GPU: Launch Instance from Template…");
    await window.quickPick(/^Ollama/);
    await window.quickPick(/^1× RTX 3090/);
    await window.quickPick(/^Configuration…/);
    await says(window, /Your earlier entries have been restored/);
    await button(window, "Reset All").click();
    await until("nothing is marked", async () => (await form(window).locator(".source .mine").count()) === 0);
  },
);

step("the tab is closed: the summary is back as it was", person, async ({ window }) => {
  await window.closeAllEditors();
  await window.quickTitle(/Launch Instance from Template/);
  const lines = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`.trim());
  assert.ok(
    lines.some((line) => line.startsWith("Configuration… as in the template")),
    lines.join("\n"),
  );
  await window.page.keyboard.press("Escape");
});

step(
  "a virtual machine is asked for: offers are searched anew, and its keys are checked before the question",
  "167-vm",
  person,
  async ({ window }) => {
    await window.command("Cloud GPU: Launch Instance from Offer…");
    await window.quickPick(/^1× RTX 3090/);
    await window.quickPick(/^A Docker Image…/);
    await field(window, "Image").fill("ubuntu:24.04");
    await form(window).locator("#field-vm vscode-checkbox").click();
    await button(window, "Review").click();
    await window.quickTitle(/ offers?/);
    await window.quickPick(/^1× /);
    await window.quickTitle(/Launch Instance from Offer/);
    const lines = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`.trim());
    assert.ok(
      lines.some((line) => /^Configuration… 1 change: virtual machine/.test(line)),
      lines.join("\n"),
    );
    assert.ok(
      lines.some((line) => /^vm true/.test(line)),
      lines.join("\n"),
    );
    await window.page.keyboard.press("Escape");
  },
);

step(
  "what is created stopped is said to be so, and stays stopped",
  "168-stopped",
  person,
  async ({ window, service }) => {
    for (const offer of service.world.offers) if (offer.fate !== "gone") service.world.setFate(offer.id, "runs");
    const before = creates().length;
    await window.command("Cloud GPU: Launch Instance from Template…");
    await window.quickPick(/^PyTorch/);
    await window.quickPick(/^1× RTX 3060/);
    await window.quickPick(/^Configuration…/);
    await says(window, /Nothing is rented until you confirm/);
    await choose(window, "Later");
    await button(window, "Review").click();
    await window.quickPick(/^Rent 1× RTX 3060/);
    await window.dialogButton("Rent");
    await until("it was sent", () => creates().length === before + 1, SOON);
    const sent = creates().at(-1)?.body as { target_state?: string } | undefined;
    assert.equal(sent?.target_state, "stopped");
    await window.waitForNotification(/was created without starting\. Its disk is billed/, SOON);
    await window.waitForRow(/1× RTX 3060, instance \d+, stopped/, SOON);
  },
);

step("an image of one's own stands first among the templates", "175-own-image", person, async ({ window }) => {
  const before = creates().length;
  await window.command("Cloud GPU: Launch Instance from Template…");
  assert.match((await window.quickItems())[0]?.label ?? "", /^A Docker Image…/);
  await window.quickPick(/^A Docker Image…/);
  await window.quickTitle(/2\/4/);
  await window.quickPick(/^1× /);
  await says(window, /Nothing is rented until you confirm/);
  // What was set and not rented before is still there.
  await button(window, "Reset All").click();
  assert.equal(await field(window, "Disk (GB)").inputValue(), "32");
  await field(window, "Image").fill("ghcr.io/lab/serve:2.1");
  await button(window, "Add Port").press("Enter");
  const cells = form(window).locator("#field-env tbody tr:not(.said) input");
  await cells.nth(0).pressSequentially("8000");
  await cells.nth(1).focus();
  assert.equal(await form(window).locator("#field-env .said").count(), 0, "half a port is no mistake yet");
  await window.screenshot("175-half-a-port");
  await cells.nth(1).fill("8000");
  await button(window, "Review").click();
  await window.quickTitle(/4\/4/);
  await window.quickPick(/^Rent 1× /);
  await window.dialogButton("Rent");
  await until("it was sent", () => creates().length === before + 1, SOON);
  const { image, disk } = (creates().at(-1)?.body ?? {}) as { image?: string; disk?: number };
  assert.deepEqual([image, disk], ["ghcr.io/lab/serve:2.1", 32]);
});

step("the page looks at home in every theme, wide and narrow", person, async ({ window }) => {
  await window.command("Cloud GPU: Launch Instance from Template…");
  await window.quickPick(/^Ollama/);
  await window.quickPick(/^1× RTX 3090/);
  await window.quickPick(/^Configuration…/);
  await says(window, /Nothing is rented until you confirm/);
  await lookAtPage(window, [600, 1024, 1600], (_, theme, width) => window.screenshot(`169-launch-${theme}-${width}`));
  await window.closeAllEditors();
  await window.page.keyboard.press("Escape");
});

step("it becomes a template: its form has everything but the token", "170-template", person, async ({ window }) => {
  await window.command("View: Toggle Primary Side Bar Visibility");
  await window.command("Cloud GPU: Launch Instance from Template…");
  await window.quickPick(/^Ollama/);
  await window.quickPick(/^1× RTX 3090/);
  await window.quickPick(/^Configuration…/);
  await says(window, /Nothing is rented until you confirm/);
  await addRow(window, "Variable", "MODE", "again");
  await button(window, "Save as Template…").click();
  await says(window, /Not created yet|Unsaved changes/);
  assert.match(await field(window, "As Docker flags").inputValue(), /-e MODE=again/);
});
