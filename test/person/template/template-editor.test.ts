// The template editor as a person uses it: every field, saving, launching what was saved, mistakes, other people, reloads.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import type { Workbench } from "../../editor/page.ts";
import { focusedName, frameOf, lookAtPage } from "../page-look.ts";
import {
  changeElsewhere,
  filesWith,
  SOON,
  stage,
  step,
  storageFolder,
  storedTemplate,
  templateRequests,
  until,
} from "../support.ts";
import { button, field, form, says, tells } from "../template-form.ts";
import { mergeMine } from "./merge-view.ts";

const person = stage({ signedIn: true });

const SECRET = "hf_canary_value_0017";

/**
 * The tab comes back on its own if the editor had noted it by then. A window that goes before its page has noted the draft
 * brings back the template as it is stored; then opening it offers the draft.
 */
async function reload(window: Workbench): Promise<void> {
  await window.reload();
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^Every field/);
  await window.rowMenu(/^Every field/, "Edit Template");
  const restored = form(window).getByText(/Restored your unsaved changes from/);
  const offered = window.page.locator(".quick-input-widget .monaco-list-row", { hasText: /unsaved,/ });
  const isOffered = () => offered.first().isVisible();
  await until("it is back, or offered", async () => (await isOffered()) || (await restored.first().isVisible()));
  if (await isOffered()) {
    const restoredTabs = await tab(window, /Every field$/).count();
    await window.quickPick(/^Every field/);
    await until("it opens", async () => (await tab(window, /Every field$/).count()) > restoredTabs);
    await window.command("View: Close Other Editors in Group");
  }
  await says(window, /Restored your unsaved changes from/);
  await tab(window, /^● Every field$/).waitFor({ timeout: SOON });
}

/** Everything the window asked for while the page was open. */
const asked: string[] = [];
/** What the page complained of: refused by its policy, or thrown. */
const complaints: string[] = [];

const writes = (method: string) => templateRequests(person(), method);
const tab = (window: Workbench, title: RegExp): Locator => window.page.locator(".tab", { hasText: title });

async function fill(window: Workbench, label: string, text: string): Promise<void> {
  await field(window, label).fill(text);
  await field(window, label).blur();
}

const hasFocus = (window: Workbench, label: string): Promise<boolean> =>
  field(window, label).evaluate((box) => box.getRootNode().activeElement === box);

const stored = (name: string) => storedTemplate(person(), name);
const elsewhere = (name: string, change: Record<string, unknown>): void => changeElsewhere(person(), name, change);

step("New Template opens an empty form that holds nothing against anybody", "20-new", person, async ({ window }) => {
  window.page.on("request", (request) => asked.push(request.url()));
  window.page.on("console", (message) => {
    if (/Content Security Policy/.test(message.text())) complaints.push(message.text());
  });
  window.page.on("pageerror", (error) => complaints.push(error.message));
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^My nightly/);
  await window.command("Cloud GPU: New Template");
  await says(window, /^Not created yet$/);
  assert.equal(await form(window).locator(".problem").count(), 0);
  await until("the focus is in the name", async () => (await focusedName(await frameOf(window))) === "Name");
  await tab(window, /^New Template$/).waitFor({ timeout: SOON });
});

step("tags of no image are told to need one, and nothing is called unsaved", "20-tags", person, async ({ window }) => {
  await button(window, "Choose…").click();
  await form(window).locator("#summary", { hasText: "Image: Enter the image first." }).waitFor({ timeout: SOON });
  assert.equal(
    await form(window)
      .getByText(/^Not saved/)
      .count(),
    0,
  );
});

step(
  "creating what is not complete sends nothing and leads to what is missing",
  "21-missing",
  person,
  async ({ window }) => {
    await button(window, "Create").click();
    await says(window, /^Not saved yet:$/);
    await form(window).locator("#summary").getByRole("button", { name: "Image" }).click();
    assert.equal(await focusedName(await frameOf(window)), "Image");
    await says(window, /Enter an image/);
    assert.equal(writes("POST").length, 0);
  },
);

step("every field can be filled, the tag from the registry's list", "22-filled", person, async ({ window }) => {
  await fill(window, "Name", "Every field");
  await fill(window, "Description", "Holds something in every field.");
  await fill(window, "Image", "registry.sandbox.invalid/you/finetune");
  await button(window, "Choose…").click();
  await window.quickPick(/Log In to the Registry/);
  await says(window, /to list the tags of a private image/);
  await until("the login is open", async () => (await focusedName(await frameOf(window))) === "Registry");
  await fill(window, "Registry", "https://registry.sandbox.invalid/me");
  await fill(window, "Registry User", "you");
  await fill(window, "Registry Token", "another-registry-token");
  await button(window, "Choose…").click();
  await form(window)
    .locator("#summary", { hasText: "Registry: Enter the registry as a host only" })
    .waitFor({ timeout: SOON });
  await until("the registry is in focus", async () => (await focusedName(await frameOf(window))) === "Registry");
  await fill(window, "Registry", "https://registry.sandbox.invalid/v2/");
  await button(window, "Choose…").click();
  await window.quickPick(/Log In to the Registry/);
  await says(window, /The registry refused this user and token/);
  await until("the token is in focus", async () => (await focusedName(await frameOf(window))) === "Registry Token");
  await fill(window, "Registry Token", "sandbox-registry-token");
  await button(window, "Choose…").click();
  await window.quickPick("2026-07");
  await says(window, /● Unsaved changes: .*Tag/);
  await form(window)
    .getByRole("radio", { name: /^Jupyter and SSH/ })
    .check();
  await field(window, "Direct SSH").press("Space");
  await says(window, /No ports are opened automatically\. Connections/);
  await field(window, "Direct SSH").press("Space");
  await field(window, "Direct Jupyter").press("Space");
  await says(window, /Ports 8080 and 22 are opened/);
  await field(window, "JupyterLab").press("Space");
  await fill(window, "Jupyter Directory", "/workspace");
  await button(window, "Add Variable").click();
  await fill(window, "Name of row 1", "HF_HOME=/data/my hf");
  assert.equal(await field(window, "Value of row 1").inputValue(), "/data/my hf");
  await button(window, "Add Port").click();
  await until(
    "the focus is in the new row",
    async () => (await focusedName(await frameOf(window))) === "Host port of row 2",
  );
  await window.page.keyboard.type("6006:6007", { delay: 20 });
  const ports = async () =>
    Promise.all(["Host", "Container"].map((part) => field(window, `${part} port of row 2`).inputValue()));
  await until("each half is in its cell", async () => (await ports()).join() === "6006,6007");
  await fill(window, "Container port of row 2", "6006");
  await says(window, /SSH sessions don't see these variables/);
  await button(window, "Export in Start Script").click();
  assert.equal(await field(window, "Start Script").inputValue(), "env >> /etc/environment");
  await fill(window, "Start Script", "env >> /etc/environment\npython /opt/train.py &");
  await button(window, "Add Filter").click();
  await fill(window, "Value of filter 1", "24 GB");
  assert.equal(await field(window, "Value of filter 1").inputValue(), "24");
  await says(window, /^\d+ machines match right now, from \$0\.\d+\/h\.$/);
  await fill(window, "Disk (GB)", "40");
  await fill(window, "Readme", "# Every field\n\nAll of them.\n");
  await fill(window, "Documentation Link", "https://example.com/docs");
  await fill(window, "Repository", "you/finetune");
  await form(window).locator("summary", { hasText: "Volume Hint" }).click();
  await fill(window, "Volume Hint", '{"mount_path": "/data"}');
  await says(window, /Attach volumes when you launch, not in the template/);
  await tab(window, /^● Every field$/).waitFor({ timeout: SOON });
});

step("Create sends it all, shows the hash, and the row is there", "23-created", person, async ({ window, service }) => {
  await button(window, "Create").click();
  await says(window, /^Saved · hash [0-9a-f]{8}$/);
  await tab(window, /^Every field$/).waitFor({ timeout: SOON });
  await window.waitForRow(/^Every field, template, image registry.sandbox.invalid\/you\/finetune:2026-07/);
  const { id, hash_id, created_at, creator_id, ...content } = stored("Every field");
  assert.equal(creator_id, service.world.account.id);
  const wanted = {
    desc: "Holds something in every field.",
    image: "registry.sandbox.invalid/you/finetune",
    tag: "2026-07",
    docker_login_repo: "registry.sandbox.invalid",
    docker_login_user: "you",
    docker_login_pass: "sandbox-registry-token",
    runtype: "jupyter",
    use_ssh: true,
    ssh_direct: true,
    jup_direct: true,
    use_jupyter_lab: true,
    jupyter_dir: "/workspace",
    env: "-e 'HF_HOME=/data/my hf' -p 6006:6006",
    onstart: "env >> /etc/environment\npython /opt/train.py &",
    extra_filters: { gpu_ram: { gte: 22_659 } },
    recommended_disk_space: 40,
    readme: "# Every field\n\nAll of them.\n",
    href: "https://example.com/docs",
    repo: "you/finetune",
    private: true,
    volume_info: { mount_path: "/data" },
  };
  for (const [name, value] of Object.entries(wanted))
    assert.deepEqual(content[name as keyof typeof content], value, name);
  assert.equal(writes("POST").length, 1);
  // The token went out once and is nowhere on the page any longer.
  assert.equal(await field(window, "Registry Token").inputValue(), "");
});

step(
  "an edited table is one changed field, the hash is new, the row and the launch follow",
  person,
  async ({ window }) => {
    const before = stored("Every field");
    await fill(window, "Value of row 1", "/data/other");
    await button(window, "Remove row 2").click();
    await says(window, /● Unsaved changes: Variables and Ports$/);
    await window.page.keyboard.press("Control+s");
    await says(window, /^Saved · hash [0-9a-f]{8}$/);
    const after = stored("Every field");
    assert.equal(after.id, before.id);
    assert.notEqual(after.hash_id, before.hash_id);
    assert.equal(after.env, "-e HF_HOME=/data/other");
    assert.equal(after.docker_login_pass, "sandbox-registry-token");
    assert.deepEqual(
      writes("PUT").map(({ body }) => Object.keys(body as object).sort()),
      [["env", "hash_id"]],
    );
    const rows = (await window.treeRows("Templates")).filter((row) => row.startsWith("Every field"));
    assert.equal(rows.length, 1);
    await window.rowMenu(/^Every field/, "Launch Instance from Template…");
    await window.quickPick(/GPU·h/);
    await window.quickTitle(/2\/2/);
    const sent = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`);
    assert.ok(
      sent.some((line) => line.startsWith(`template_hash_id ${after.hash_id}`)),
      sent.join("\n"),
    );
    await window.quickClose();
  },
);

step("what was typed is saved and launched from the form, and its readme shown", person, async ({ window }) => {
  await fill(window, "Description", "Typed just before.");
  await button(window, "Save and Launch…").click();
  await window.quickTitle(/^Launch Instance from Template/);
  assert.equal(stored("Every field").desc, "Typed just before.");
  await window.quickClose();
  await button(window, "Launch…").waitFor({ timeout: SOON });
  await window.screenshot("24-actions");
  await button(window, "Preview Readme").click();
  await tab(window, /readme\.md/).waitFor({ timeout: SOON });
  await window.command("View: Close Editor");
  await says(window, /^Saved · hash/);
});

/** A field, what is typed into it, and what is said. What stood there is put back afterwards. */
const MISTAKES: readonly [label: string, typed: string, said: RegExp][] = [
  ["Name", "  ", /Enter a name/],
  ["Image", "two words", /can't contain spaces/],
  ["Tag", "a b", /Tags can contain only letters/],
  ["Registry User", "", /token together/],
  ["Jupyter Directory", "workspace", /absolute path/],
  ["Name of row 1", "1A", /Variable names can contain only letters/],
  ["As Docker flags", "-e 'A=open", /a quote isn't closed/],
  ["As Docker flags", "-p 0:1", /from 1 to 65535/],
  ["As Docker flags", "--gpus all", /“--gpus” isn't recognized\. The text is kept/],
  ["Start Script", "x".repeat(4049), /longer than 4048 characters/],
  ["Value of filter 1", "lots", /Enter a number/],
  ["Disk (GB)", "12,5", /a size in GB/],
  ["Disk (GB)", "0", /larger than 0 GB/],
  ["Documentation Link", "javascript:alert(1)", /Only https/],
  ["Volume Hint", "[", /JSON object/],
];

step(
  "each field says what is wrong with it, and is content when it is put right",
  "25-mistakes",
  person,
  async ({ window }) => {
    await form(window).locator("summary", { hasText: "As Docker flags" }).click();
    const count = writes("PUT").length;
    const flags = await field(window, "As Docker flags").inputValue();
    await button(window, "Add Port").click();
    await button(window, "Remove row 2").click();
    await fill(window, "As Docker flags", `${flags} -p 0:1`);
    await says(window, /from 1 to 65535/);
    await fill(window, "As Docker flags", flags);
    for (const [label, typed, said] of MISTAKES) {
      const was = await field(window, label).inputValue();
      assert.equal(await form(window).getByText(said).count(), 0, `${label} was content`);
      await fill(window, label, typed);
      await says(window, said);
      if (!label.includes("Docker flags")) await tells(field(window, label), said);
      if (label === "Disk (GB)" || label === "Value of filter 1")
        assert.equal(await form(window).locator(".supply").textContent(), "", "what cannot be read is not counted by");
      if (label === "Start Script") await window.screenshot("25-mistakes-script");
      await fill(window, label, was);
      await form(window).getByText(said).first().waitFor({ state: "detached", timeout: SOON });
    }
    await says(window, /^Saved · hash/);
    await says(window, /^\d+ machines match right now, from/);
    assert.equal(writes("PUT").length, count);
  },
);

step(
  "arguments apply to one mode only; elsewhere they are shown to be ignored",
  "26-modes",
  person,
  async ({ window }) => {
    assert.equal(await field(window, "Arguments").count(), 0);
    await form(window)
      .getByRole("radio", { name: /^Image's Own Entrypoint/ })
      .check();
    await fill(window, "Arguments", "--model 'a");
    await says(window, /A quote isn't closed/);
    await fill(window, "Arguments", "--model a");
    await says(window, /SSH and Jupyter options have no effect/);
    await tells(form(window).getByRole("radiogroup"), /SSH and Jupyter options have no effect/);
    await form(window).getByRole("radio", { name: /^SSH/ }).check();
    await says(window, /Arguments are ignored in this mode/);
  },
);

step(
  "a switch tells its warning, and of a filter's three parts the one that is wrong is called so",
  "26-parts",
  person,
  async ({ window }) => {
    await field(window, "SSH Access").press("Space");
    await says(window, /A shell may not be available/);
    await tells(field(window, "SSH Access"), /^Allow SSH.*A shell may not be available/);
    const invalid = async () => {
      const parts = ["Field", "Comparison", "Value"].map((part) => field(window, `${part} of filter 2`));
      return (await Promise.all(parts.map((part) => part.getAttribute("aria-invalid")))).join();
    };
    await button(window, "Add Filter").click();
    await until("the cursor is in the new row", () => hasFocus(window, "Value of filter 2"));
    assert.equal(await invalid(), "false,false,false", "a row that is being filled in");
    await button(window, "Add Filter").focus();
    await says(window, /The same comparison of gpu_ram is listed twice/);
    const twice = field(window, "Comparison of filter 2");
    await tells(twice, /is listed twice/);
    await until("only the comparison is marked", async () => (await invalid()) === "false,true,false");
    await twice.scrollIntoViewIfNeeded();
  },
);

step("a filter's own name is typed where it was asked for", person, async ({ window }) => {
  await button(window, "Add Filter").click();
  await field(window, "Field of filter 3").selectOption({ label: "another field…" });
  await until("the focus is in the name", () => hasFocus(window, "Field of filter 3"));
  await window.page.keyboard.type("gpu_ram_new");
  assert.equal(await field(window, "Field of filter 3").inputValue(), "gpu_ram_new");
});

step("Revert asks, and brings back what is stored", person, async ({ window }) => {
  await button(window, "Revert").click();
  const { message } = await window.dialog();
  assert.match(message, /Discard the unsaved changes to “Every field”\?/);
  await window.dialogButton("Cancel");
  await says(window, /● Unsaved changes/);
  await button(window, "Revert").click();
  await window.dialogButton("Discard Changes");
  await says(window, /^Saved · hash/);
  assert.equal(await field(window, "Arguments").count(), 0);
});

step(
  "changed elsewhere: nothing is overwritten, and it is said what both changed",
  "28-conflict",
  person,
  async ({ window }) => {
    elsewhere("Every field", { desc: "Theirs.", onstart: "theirs" });
    const theirs = stored("Every field").hash_id;
    await fill(window, "Description", "Mine.");
    await fill(window, "Disk (GB)", "64");
    await button(window, "Save").click();
    await says(window, /This template was changed elsewhere: Description, Start Script\./);
    await says(window, /You also changed: Description\./);
    await says(window, /^● Changed elsewhere. Your unsaved changes: Description, Disk \(GB\)$/);
    assert.equal(
      await (await frameOf(window)).evaluate("document.activeElement.id"),
      "conflict",
      "it comes into sight",
    );
    assert.equal(await field(window, "Description").inputValue(), "Mine.");
    assert.equal(stored("Every field").hash_id, theirs);
  },
);

step("the editor's merge view shows three versions and brings the merged one back", person, async ({ window }) => {
  await button(window, "Compare and Merge…").click();
  await window.page.locator(".merge-editor, .monaco-diff-editor").first().waitFor({ timeout: SOON });
  await window.page.locator(".merge-editor .view-line", { hasText: "Theirs." }).first().waitFor({ timeout: SOON });
  await window.page.locator(".merge-editor .view-line", { hasText: "Mine." }).first().waitFor({ timeout: SOON });
  await window.screenshot("29-merge-view");
  await mergeMine(window);
  await says(window, /The merged version is in the form/);
  await tab(window, /Merging/).waitFor({ state: "detached", timeout: SOON });
  assert.equal(await field(window, "Description").inputValue(), "Mine.");
  assert.equal(await field(window, "Start Script").inputValue(), "theirs");
  assert.equal(await field(window, "Disk (GB)").inputValue(), "64");
  await button(window, "Save").click();
  await says(window, /^Saved · hash/);
  const { desc, onstart, recommended_disk_space } = stored("Every field");
  assert.deepEqual([desc, onstart, recommended_disk_space], ["Mine.", "theirs", 64]);
});

step("or mine are put on top of theirs; a registry token typed before is sent after it", person, async ({ window }) => {
  elsewhere("Every field", { desc: "Theirs again.", tag: "latest" });
  await fill(window, "Description", "Mine again.");
  await fill(window, "Registry Token", "another-registry-token");
  await button(window, "Save").click();
  await button(window, "Apply My Changes on Top").click();
  await says(window, /Your changes were applied on top of theirs/);
  assert.equal(await field(window, "Tag").inputValue(), "latest");
  await button(window, "Save").click();
  await says(window, /^Saved · hash/);
  const { desc, tag: now, docker_login_pass: token } = stored("Every field");
  assert.deepEqual([desc, now, token], ["Mine again.", "latest", "another-registry-token"]);
});

step("typing while the form is saved goes on, and is unsaved afterwards", person, async ({ window, service }) => {
  const count = writes("PUT").length;
  await field(window, "Description").fill("First.");
  service.faults.add("slow@editTemplate");
  await button(window, "Save").click();
  await until("the save is under way", () => writes("PUT").length > count);
  await field(window, "Description").fill("First. Second.");
  await window.screenshot("31-under-way");
  await says(window, /● Unsaved changes: Description/);
  await until("saved", () => stored("Every field").desc === "First.");
  service.faults.delete("slow@editTemplate");
  await button(window, "Save").click();
  await says(window, /^Saved · hash/);
  assert.equal(await field(window, "Description").inputValue(), "First. Second.");
  assert.equal(stored("Every field").desc, "First. Second.");
});

step(
  "a window that is reloaded twice has its unsaved text again, but no password, and no secret lies in its files",
  "32-reloaded",
  person,
  async ({ window, editor }) => {
    await fill(window, "Description", "Typed and not saved.");
    await fill(window, "Disk (GB)", "12,");
    await fill(window, "Registry Token", "typed-secret-token");
    await button(window, "Add Variable").click();
    await fill(window, "Name of row 2", "HF_TOKEN");
    await fill(window, "Value of row 2", SECRET);
    await tab(window, /^● Every field$/).waitFor({ timeout: SOON });
    const isKept = () => filesWith(storageFolder(editor), '"withheld":["HF_TOKEN"]').length > 0;
    await until("the draft with the variable is on the disk", isKept);
    for (const _ of [1, 2]) await reload(window);
    assert.equal(await field(window, "Description").inputValue(), "Typed and not saved.");
    assert.equal(await field(window, "Disk (GB)").inputValue(), "12,");
    assert.equal(await field(window, "Registry Token").inputValue(), "");
    // A window that goes before its secret storage has written leaves no value; then the form says so.
    const isBack = (await field(window, "Value of row 2").inputValue()) === SECRET;
    if (!isBack) await says(window, /Enter these secret values again: HF_TOKEN/);
    assert.ok(filesWith(editor.userDataDir, "Typed and not saved.").length > 0, "its draft is kept");
    assert.deepEqual(filesWith(editor.userDataDir, SECRET), []);
    await button(window, "Remove row 2").click();
    await fill(window, "Disk (GB)", "48");
  },
);

step("a tab closed with changes gives them back, up to the last key", person, async ({ window }) => {
  await field(window, "Description").fill("");
  await window.page.keyboard.type("Typed before it was closed.");
  // Not a moment between the last key and the closing of the tab.
  await window.page.keyboard.press("Control+w");
  await window.waitForNotification(/“Every field” was closed with unsaved changes\. The changes are kept\./);
  await window.notificationButton("Reopen");
  await says(window, /Restored your unsaved changes from/);
  assert.equal(await field(window, "Disk (GB)").inputValue(), "48");
  await button(window, "Save").click();
  await says(window, /^Saved · hash/);
  assert.equal(stored("Every field").desc, "Typed before it was closed.");
});

step("deleted elsewhere: what is typed is kept and can be created anew", person, async ({ window, service }) => {
  const { id } = stored("Every field");
  service.world.templates.delete(id, service.world.account.id);
  await fill(window, "Description", "Survives.");
  await button(window, "Save").click();
  await says(window, /This template was deleted/);
  assert.equal(await field(window, "Description").inputValue(), "Survives.");
  // No one holds the registry's token any longer, and the form doesn't claim it.
  await says(window, /No registry token entered/);
  assert.equal(await field(window, "Registry Token").getAttribute("placeholder"), "");
  await field(window, "Registry Token").scrollIntoViewIfNeeded();
  await window.screenshot("34-deleted-token");
  await fill(window, "Registry Token", "sandbox-registry-token");
  await form(window)
    .getByText(/No registry token entered/)
    .waitFor({ state: "detached", timeout: SOON });
  await button(window, "Create Again").click();
  await says(window, /^Saved · hash/);
  assert.equal(stored("Every field").docker_login_pass, "sandbox-registry-token");
  assert.equal(await field(window, "Registry Token").getAttribute("placeholder"), "unchanged");
  assert.notEqual(stored("Every field").id, id);
  assert.equal(stored("Every field").desc, "Survives.");
});

step("what the service refuses stands at its field", person, async ({ window }) => {
  await fill(window, "Name", "x".repeat(10_001));
  await button(window, "Save").click();
  await says(window, /^Not saved\.$/);
  await form(window).locator("#summary").getByRole("button", { name: "Name" }).waitFor({ timeout: SOON });
  await form(window).locator("#field-name .problem", { hasText: "name must be a string" }).waitFor({ timeout: SOON });
  await window.screenshot("35-refused-at-its-field");
  await fill(window, "Name", "Every field");
  await says(window, /^Saved · hash/);
});

step("templates of others are not edited but copied", person, async ({ window }) => {
  const [others, own] = [await window.rowMenuItems(/^PyTorch/), await window.rowMenuItems(/^Every field/)];
  assert.ok(others.includes("Show Start Script") && !others.includes("Edit Template"), others.join());
  assert.ok(own.includes("Edit Template") && !own.includes("Show Start Script"), own.join());
  await window.command("Cloud GPU: Edit Template");
  await window.quickPick(/^PyTorch/);
  await window.waitForNotification(/Only the creator can edit “PyTorch/);
  await window.notificationButton("Duplicate");
  await tab(window, /^● PyTorch .*\(copy\)$/).waitFor({ timeout: SOON });
  await window.command("View: Close Editor");
  await window.waitForNotification(/“PyTorch .*\(copy\)” was closed with unsaved changes/);
  await window.clearNotifications();
  await window.command("Cloud GPU: New Template");
  await window.quickTitle(/^New Template$/);
  await window.screenshot("37-which-draft");
  await window.quickPick(/^PyTorch .*\(copy\)/);
  await says(window, /Restored your unsaved changes from/);
  await button(window, "Discard").click();
  await window.dialogButton("Discard Changes");
  await says(window, /^Not created yet$/);
  assert.equal(
    await form(window)
      .getByText(/Restored your unsaved changes/)
      .count(),
    0,
  );
  await window.command("View: Close Editor");
});

step("it is all done by keyboard: from the name to Save without a mouse", "38-keyboard", person, async ({ window }) => {
  await window.rowMenu(/^Every field/, "Edit Template");
  await says(window, /^Saved · hash/);
  const frame = await frameOf(window);
  // A form that has only just been drawn may still lose the focus.
  await until("the name has the focus", async () => {
    if ((await focusedName(frame)) === "Name") return true;
    await field(window, "Name").click();
    return false;
  });
  assert.equal(await window.page.locator(".tab").count(), 1);
  const reached: string[] = [];
  for (let at = 0; at < 60; at += 1) {
    reached.push(await focusedName(frame));
    await window.page.keyboard.press("Tab");
  }
  for (const name of [
    "Name",
    "Private",
    "Image",
    "Tag",
    "Choose…",
    "Registry Token",
    "SSH Access",
    "Name of row 1",
    "Remove row 1",
    "Add Variable",
    "Start Script",
    "Field of filter 1",
    "Disk (GB)",
    "Readme",
    "Repository",
  ])
    assert.ok(reached.includes(name), `${name} in ${reached.join(" | ")}`);
});

/** The parts of the page that are worth a picture: all of them once, wide and narrow, and in other themes those with most colors. */
function pictured(theme: string, width: number): readonly string[] {
  if (theme === "dark") return ["general", "launch", "environment", "machines"];
  return width > 1000 ? ["launch", "environment"] : [];
}

step("axe finds nothing against the page, in any theme and at any width", person, async ({ window }) => {
  await form(window).locator("summary", { hasText: "As Docker flags" }).click();
  await fill(window, "Start Script", "x".repeat(4049));
  await fill(window, "As Docker flags", "-e HF_HOME=/data -e 1A=b --gpus all -p 6006:6006");
  await lookAtPage(window, [1400, 600], async (frame, theme, width) => {
    for (const part of pictured(theme, width)) {
      await frame.evaluate(`document.getElementById("section-${part}").scrollIntoView()`);
      await window.screenshot(`template-editor-${theme}-${width}-${part}`);
    }
  });
});

step("no request left the editor, and the page broke none of its rules", person, async ({ window, editor }) => {
  const origin = new URL(editor.url).origin;
  const foreign = asked.filter((url) => !/^(data|blob):/.test(url) && new URL(url).origin !== origin);
  // The editor gives each page an origin of its own, made up of a random name, and serves it from itself.
  assert.deepEqual(
    foreign.filter((url) => !/vscode-(cdn|resource)|vscode-webview/.test(url)),
    [],
  );
  assert.ok(asked.some((url) => url.includes("pages.js")));
  assert.deepEqual(complaints, []);
  void window;
});
