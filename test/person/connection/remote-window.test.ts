// From a machine that runs to a window of the editor on it: the one question, the line it adds, and what goes when the machine does.
// The window itself needs the desktop editor; here its address is looked at, and the machine is logged in to by the same name.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import { Workbench } from "../../editor/page.ts";
import { jsonFile, ownFolder, type RunningEditor, SOON, stage, step, until } from "../support.ts";

const folder = await ownFolder();
const key = join(folder, "ssh", "id_ed25519");
const config = join(folder, "config");
const sshFolder = join(folder, "ssh", "cloud-gpu");
const beside = join(folder, "remote-ssh");
const PLATFORMS = "remote.SSH.remotePlatform";
const OWN = `Host work\n  HostName work.example\n\nHost *\n  ForwardAgent yes\n`;
const ROW = /^mine, instance \d+, running/;
const HAS_SSH = spawnSync("ssh", ["-V"]).error === undefined;
if (HAS_SSH) {
  await mkdir(join(folder, "ssh"));
  assert.equal(spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "laptop", "-f", key]).status, 0);
}
await writeFile(config, OWN, { mode: 0o600 });

// Stands in for the extension that opens windows on other computers: its ID and its one setting.
await mkdir(beside);
const manifest = {
  ...{ name: "open-remote-ssh", publisher: "jeanp413", version: "0.0.1", engines: { vscode: "^1.106.0" } },
  ...{ main: "./main.cjs", activationEvents: [], extensionKind: ["workspace"] },
  contributes: {
    configuration: {
      properties: { [PLATFORMS]: { type: "object", default: {}, scope: "application" } },
    },
  },
};
await writeFile(join(beside, "package.json"), JSON.stringify(manifest));
await writeFile(join(beside, "main.cjs"), "exports.activate = () => {};\n");

/** Another machine, which only this computer still knows. */
const OTHER = "cloud-gpu-sandbox-other-9";

const person = stage({
  signedIn: true,
  settings: { [PLATFORMS]: { [OTHER]: "linux" } },
  sandbox: { ssh: true },
  beside,
  env: { CLOUD_GPU_SSH_DIR: sshFolder, CLOUD_GPU_SSH_CONFIG: config, CLOUD_GPU_REMOTE_WINDOWS: "1" },
  prepare: ({ world }) => {
    const line = spawnSync("cat", [`${key}.pub`], { encoding: "utf8" }).stdout.trim();
    world.account.sshKeys.push(line);
    const offer = world.offers.find((one) => world.isRentable(one));
    assert.ok(offer);
    world.setFate(offer.id, "runs");
    createInstance(world, offer.id, { image: "pytorch/pytorch", runtype: "ssh_direct", label: "mine" });
  },
});

const aliasIn = (text: string) => /^Host (cloud-gpu-sandbox-\S+)(?: \S+)?$/m.exec(text)?.[1];
/** The name that people read, by which windows open. */
const nameIn = (text: string) => /^Host cloud-gpu-sandbox-\S+ (\S+)$/m.exec(text)?.[1];
const platformsIn = async (userData: string) =>
  (await jsonFile<Record<string, Record<string, string>>>(join(userData, "User", "settings.json")))[PLATFORMS];
const ownConfig = () => readFile(join(sshFolder, "config"), "utf8").catch(() => "");

const LOST = /^Instance mine \(\d+\) is no longer in this account, so this window can't reconnect to it\.$/;
const ENDS = /reminder at .*\d\d:\d\d/;

/** A window that is on the machine of this name. */
async function openOnMachine(window: Workbench, editor: RunningEditor, name: string): Promise<Workbench> {
  const workspace = join(folder, "there.code-workspace");
  // The browser build takes a remote folder for one of its own. One of a scheme that it doesn't know stays what it is.
  const there = JSON.stringify({ folders: [{ uri: `elsewhere://ssh-remote+${name}/tmp` }] });
  await writeFile(workspace, there);
  const other = new Workbench(await window.page.context().newPage());
  await other.open({ ...editor, url: `${new URL(editor.url).origin}/?workspace=${encodeURIComponent(workspace)}` });
  const item = other.page.locator(".statusbar-item", { hasText: ENDS });
  const isShown = (timeout: number) =>
    item.waitFor({ timeout }).then(
      () => true,
      () => false,
    );
  // The browser build may look for the file before it can read files, and then shows no folder until the file changes.
  for (let tries = 1; !(await isShown(10_000)); tries += 1) {
    assert.ok(tries < 6, "it says when the instance ends");
    await writeFile(workspace, there + " ".repeat(tries));
  }
  return other;
}

if (HAS_SSH) {
  step("a window asks once before it adds a line", "220-include-question", person, async ({ window }) => {
    await window.openContainer("Cloud GPU");
    await window.waitForRow(ROW, 90_000);
    await window.clearNotifications();
    await window.rowMenu(ROW, "Open in New Window…");
    const { message, detail } = await window.dialog();
    assert.equal(message, "Add one line to your SSH configuration?");
    for (const part of [`reads ${config} to open`, `Include ${sshFolder}/config`, `kept as ${config}.before-cloud-gpu`])
      assert.ok(detail.includes(part), detail);
  });

  step("declined, nothing changes and a terminal is offered", "221-declined", person, async ({ window }) => {
    await window.dialogButton("Cancel");
    await window.waitForNotification(/^Your SSH configuration wasn't changed/);
    assert.deepEqual((await window.notifications())[0]?.buttons, ["Open Terminal", "Don't Ask Again"]);
    assert.equal(await readFile(config, "utf8"), OWN);
    assert.equal(await ownConfig(), "");
  });

  step("a configuration that is a link is left alone, and nobody is asked", "226-link", person, async ({ window }) => {
    await window.clearNotifications();
    await rename(config, `${config}.real`);
    await symlink(`${config}.real`, config);
    await window.rowMenu(ROW, "Open in New Window…");
    await window.waitForNotification(
      /is a link to another file, so Cloud GPU didn't change it\. To open remote windows, add/,
    );
    const [note] = await window.notifications();
    assert.deepEqual(note?.buttons, ["Copy Line", "Open File"]);
    await rename(`${config}.real`, config);
    assert.equal(await readFile(config, "utf8"), OWN);
    assert.equal(await ownConfig(), "");
  });

  step("allowed, the line stands first, and the folder is asked for", person, async ({ window }) => {
    await window.clearNotifications();
    await window.rowMenu(ROW, "Open in New Window…");
    await window.dialogButton("Add Line");
    await window.quickTitle(/^Open Instance \d+ in a New Window$/);
    assert.equal(await readFile(config, "utf8"), `Include ${sshFolder}/config\n${OWN}`);
    assert.equal(await readFile(`${config}.before-cloud-gpu`, "utf8"), OWN);
    await window.waitForNotification(/^Logins to instance \d+ no longer start tmux/);
    const alias = aliasIn(await ownConfig()) ?? "";
    const login = ["-F", config, "-o", "BatchMode=yes", alias, "test -e ~/.no_auto_tmux && echo in"];
    assert.equal((await promisify(execFile)("ssh", login, { timeout: SOON })).stdout.trim(), "in");
    await window.screenshot("222-folder");
    await window.quickRefused("workspace", /isn't an absolute path/);
  });

  step("the window opens on the machine, by the name that people read", person, async ({ window, editor }) => {
    const name = nameIn(await ownConfig()) ?? "";
    assert.match(name, /^\d+x[a-z0-9]+-(?:[a-z]{2}-)?\d+$/);
    const opened = window.page.context().waitForEvent("page", { timeout: SOON });
    await window.quickAnswer("/tmp");
    const page = await opened;
    const { searchParams } = new URL(page.url());
    await page.close();
    // A browser keeps the folder alone.
    assert.equal(searchParams.get("folder"), "/tmp");
    const platforms = () => platformsIn(editor.userDataDir);
    await until("the platform is set", async () => (await platforms())?.[name] === "linux");
  });

  step("a window on the machine says when it ends, and extends that", "224-end", person, async ({ window, editor }) => {
    const name = nameIn(await ownConfig()) ?? "";
    await window.rowMenu(ROW, "Set Auto-Stop…");
    await window.quickPick(/^In 4 h/);
    await window.quickPick(/^Remind Me/);
    await window.waitForRow(/^mine, instance \d+, running.*reminder/);
    const other = await openOnMachine(window, editor, name);
    const item = other.page.locator(".statusbar-item", { hasText: ENDS });
    const before = await item.innerText();
    await item.click({ timeout: SOON });
    await other.quickTitle(/^Set Auto-Stop of mine/);
    await other.screenshot("224-extend");
    await other.quickPick(/^Extend 1 h/);
    await until("it ends later", async () => (await item.innerText()) !== before);
    await other.page.close();
  });

  step("a key that changed is a question whose default is no", "223-host-key", person, async ({ window, service }) => {
    await window.clearNotifications();
    service.faults.add("ssh-other-key");
    const before = await readFile(join(sshFolder, "known_hosts"), "utf8");
    await window.rowMenu(ROW, "Open in New Window…");
    const { message, buttons } = await window.dialog();
    assert.match(message, /^Instance \d+ shows a different host key than before\.$/);
    assert.deepEqual([...buttons].sort(), ["Cancel", "Don't Connect", "Forget Old Key…"]);
    const byDefault = window.page.locator(".monaco-dialog-box .monaco-button:focus");
    assert.equal(await byDefault.innerText(), "Don't Connect");
    await window.screenshot("223-host-key");
    await window.dialogButton("Forget Old Key…");
    assert.match((await window.dialog()).message, /^Forget the stored host key of instance \d+\?$/);
    await window.dialogButton("Keep Old Key");
    service.faults.clear();
    assert.equal(await readFile(join(sshFolder, "known_hosts"), "utf8"), before);
  });

  step("without an extension for it, one is offered", person, async ({ window, editor }) => {
    const other = new Workbench(await window.page.context().newPage());
    await other.open({ ...editor, extensionDevelopmentPath: undefined });
    await other.openContainer("Cloud GPU");
    await other.waitForRow(ROW, SOON);
    await other.rowMenu(ROW, "Open in New Window…");
    await other.waitForNotification(/^To open a remote window, install the extension Open Remote - SSH/);
    const offers = (await other.notifications()).flatMap(({ buttons }) => buttons);
    assert.deepEqual(offers, ["Install", "Open Terminal"]);
    await other.screenshot("224-no-remote-ssh");
    await other.page.close();
  });

  step("machines that end at once take all of theirs along, but for the line", person, async ({ window, editor }) => {
    const [alias, name] = [aliasIn(await ownConfig()) ?? "", nameIn(await ownConfig()) ?? ""];
    const platforms = () => platformsIn(editor.userDataDir);
    assert.deepEqual(await platforms(), { [OTHER]: "linux", [name]: "linux" });
    const record = JSON.parse(await readFile(join(sshFolder, "machines", `${alias}.json`), "utf8"));
    await writeFile(
      join(sshFolder, "machines", `${OTHER}.json`),
      JSON.stringify({ ...record, alias: OTHER, name: undefined }),
    );
    const there = await openOnMachine(window, editor, name);
    await there.openContainer("Cloud GPU");
    await there.rowMenu(ROW, "Destroy Instance…");
    await there.dialogButton("Destroy");
    await until("its block is gone", async () => aliasIn(await ownConfig()) === undefined);
    assert.doesNotMatch(await readFile(join(sshFolder, "known_hosts"), "utf8"), /cloud-gpu-sandbox/);
    assert.deepEqual(await readdir(join(sshFolder, "machines")), []);
    await until("both platforms are forgotten", async () => (await platforms()) === undefined);
    await there.waitForNotification(LOST);
    const said = (await there.notifications()).find(({ message }) => LOST.test(message));
    assert.deepEqual(said?.buttons, ["Launch Similar Instance…"]);
    await there.screenshot("227-lost");
    await there.notificationButton("Launch Similar Instance…");
    await there.quickTitle(/^Launch Similar Instance/);
    await there.page.close();
  });

  step("one command takes the line out again", person, async ({ window }) => {
    await window.command("Cloud GPU: Remove from SSH Configuration…");
    await window.dialogButton("Remove");
    await window.waitForNotification(/^Cloud GPU's line was removed from /);
    assert.equal(await readFile(config, "utf8"), OWN);
    assert.deepEqual((await readdir(sshFolder)).sort(), ["ended", "known_hosts", "machines"]);
  });
}
