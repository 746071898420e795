// From a machine that runs to a prompt on it: by the message, by its row, and by a command to paste.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Workbench } from "../../editor/page.ts";
import { ownFolder, SOON, stage, step, until } from "../support.ts";

const folder = await ownFolder();
const key = join(folder, "ssh", "id_ed25519");
const config = join(folder, "config");
const sshFolder = join(folder, "ssh", "cloud-gpu");
const HAS_SSH = spawnSync("ssh", ["-V"]).error === undefined;
if (HAS_SSH) {
  await mkdir(join(folder, "ssh"));
  const made = spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "laptop", "-f", key]);
  assert.equal(made.status, 0);
}
await writeFile(config, `Host *\n  IdentityFile ${key}\n  IdentitiesOnly yes\n`);

/** Machines of the sandbox have the programs of this computer. */
const HAS_TMUX = spawnSync("tmux", ["-V"]).status === 0;

const person = stage({
  signedIn: true,
  sandbox: { ssh: true },
  env: { CLOUD_GPU_SSH_DIR: sshFolder, CLOUD_GPU_SSH_CONFIG: config },
  // Text that a test can read, in place of a picture of it.
  settings: { "terminal.integrated.gpuAcceleration": "off" },
});

const terminalRows = ({ page }: Workbench) => page.locator(".terminal-wrapper.active .xterm-rows").last();

/** Waits until the terminal shows this. Blanks in it aren't told from other ones. */
async function shows(window: Workbench, text: RegExp): Promise<void> {
  const shown = async () =>
    text.test((await terminalRows(window).allInnerTexts()).join("\n").replaceAll("\u00a0", " "));
  await until(`the terminal shows ${text}`, shown);
}

async function type({ page }: Workbench, line: string): Promise<void> {
  await page.locator(".terminal-wrapper.active .xterm").last().click();
  await page.keyboard.type(line);
  await page.keyboard.press("Enter");
}

if (HAS_SSH) {
  step("a machine that runs is one click from its terminal", "200-key", person, async ({ window, service }) => {
    await window.openContainer("Cloud GPU");
    await window.waitForRow(/^PyTorch/);
    await window.command("Cloud GPU: Launch Instance from Template…");
    await window.quickPick(/^PyTorch/);
    await window.quickTitle(/2\/3/);
    await window.quickPick(/^1× RTX 3090/);
    await window.quickTitle(/3\/3/);
    const notice = (await window.quickItems()).find(({ label }) => label.startsWith("Add an SSH Key"));
    assert.match(notice?.description ?? "", /^none of the keys in your account was found on this computer$/);
    await window.screenshot("200-summary");
    await window.quickPick(/^Rent 1× RTX 3090/);
    await window.dialogButton("Rent");
    await window.waitForNotification(/^Instance .+ is running at/);
    await window.screenshot("200-running");
    await window.notificationButton("Open Terminal");
    await window.quickTitle(/^SSH Key for Instance \d+$/);
    assert.ok(service.world.account.sshKeys.every((line) => !line.endsWith(" laptop")));
  });

  step("once a key is chosen, there is a prompt", "201-terminal", person, async ({ window, service }) => {
    await window.quickPick("laptop");
    await terminalRows(window).waitFor({ timeout: SOON });
    await shows(window, /[#$] *$/m);
    await type(window, "nvidia-smi");
    await shows(window, /NVIDIA RTX 3090/);
    assert.ok(service.world.account.sshKeys.some((line) => line.endsWith(" laptop")));
    assert.match(await readFile(join(sshFolder, "known_hosts"), "utf8"), /^cloud-gpu-sandbox-\S+ ssh-ed25519 /);
  });

  step("the exit code arrives", "202-exit", person, async ({ window }) => {
    await type(window, "exit 3");
    const said = /exit code: 3/;
    const notes = async () => (await window.notifications()).some(({ message }) => said.test(message));
    await until("the terminal's exit code is told", notes);
    await window.clearNotifications();
  });

  step("the row opens another one at once, and copies its command", "203-row", person, async ({ window }) => {
    await window.rowButton(/1× RTX 3090, instance \d+, running/, "Open Terminal");
    await shows(window, /[#$] *$/m);
    await window.rowMenu(/1× RTX 3090, instance/, "Copy SSH Command");
    await window.waitForNotification(/^Copied the SSH command of instance .+ \(\d+\)\.$/);
  });

  step("a terminal that outlives its connection is one of its menu", "203-persistent", person, async ({ window }) => {
    await window.rowMenu(/1× RTX 3090, instance/, "Open Persistent Terminal");
    if (!HAS_TMUX) return await shows(window, /This machine has neither tmux nor screen/);
    await shows(window, /\[cloud-gpu/);
    await type(window, "echo back-$((40 + 2))");
    await shows(window, /^back-42$/m);
    await window.command("Terminal: Kill the Active Terminal Instance");
    await window.rowMenu(/1× RTX 3090, instance/, "Open Persistent Terminal");
    await shows(window, /^back-42$/m);
  });

  step("a browser opens no window on a machine, and says so", "225-browser", person, async ({ window }) => {
    await window.clearNotifications();
    await window.rowMenu(/1× RTX 3090, instance/, "Open in New Window…");
    await window.waitForNotification(/^Remote windows aren't available in a browser\. Use desktop/);
    assert.deepEqual((await window.notifications())[0]?.buttons, ["Open Terminal"]);
    assert.ok(!(await readFile(config, "utf8")).includes("Include"));
  });

  step("a machine that is stopped closes its terminal and offers none of it", person, async ({ window }) => {
    await window.clearNotifications();
    await window.rowMenu(/1× RTX 3090, instance/, "Stop Instance…");
    await window.dialogButton("Stop");
    await window.waitForRow(/1× RTX 3090, instance \d+, stopped/);
    await until("its terminal is closed", async () => (await terminalRows(window).count()) === 0);
    assert.deepEqual(await window.notifications(), []);
    const entries = await window.rowMenuItems(/1× RTX 3090, instance/);
    for (const entry of ["Open Terminal", "Copy SSH Command", "Open in New Window…"])
      assert.ok(!entries.includes(entry), entries.join("\n"));
  });

  step(
    "a key is added to the account before anything is rented",
    "204-summary",
    person,
    async ({ window, service }) => {
      service.world.account.sshKeys = [];
      for (const { id, fate } of service.world.offers) if (fate !== "gone") service.world.setFate(id, "runs");
      await window.command("Cloud GPU: Launch Instance from Template…");
      await window.quickPick(/^PyTorch/);
      await window.quickTitle(/2\/3/);
      await window.quickPick(/^1× RTX 3090/);
      await window.quickTitle(/3\/3/);
      await window.quickPick(/^Add an SSH Key/);
      await window.quickTitle("SSH Key for Your Account");
      await window.screenshot("204-key");
      // Enter answers `ssh-keygen` and nothing else: no summary is open until it is done.
      await window.quickPick(/^Create a Key/);
      await shows(window, /Enter file in which to save the key/);
      assert.equal(await window.page.locator(".quick-input-widget").isVisible(), false);
      await type(window, join(folder, "another-key"));
      // What is typed before `ssh-keygen` asks for a passphrase is thrown away.
      for (const question of [/Enter passphrase/, /Enter same passphrase/]) {
        await shows(window, question);
        await type(window, "");
      }
      await window.quickTitle("SSH Key for Your Account");
      const chooseFile = async (path: string) => {
        await window.quickPick(/^Choose a File/);
        await window.quickTitle("SSH Key");
        const { page } = window;
        const input = page.locator(".quick-input-widget input[type=text]");
        const title = page.locator(".quick-input-title", { hasText: /^SSH Key$/ });
        // The editor's dialog first goes to the home folder, and takes no choice while it reads another one.
        await until("the dialog is there", async () => (await input.inputValue()).length > 1);
        await until(`${path} is chosen`, async () => {
          if ((await input.inputValue()) !== path) await input.fill(path);
          await page
            .getByRole("button", { name: "Use This Key" })
            .click({ timeout: 2000 })
            .catch(() => undefined);
          await page.waitForTimeout(500);
          return !(await title.isVisible());
        });
      };
      await chooseFile(config);
      await window.waitForNotification(/config can't be used: an SSH key is two files side by side/);
      await window.quickTitle("SSH Key for Your Account");
      // It isn't where keys usually are.
      await chooseFile(join(folder, "another-key"));
      await window.waitForNotification(/^The key “.+” was added to your account\.$/);
      await window.quickTitle(/3\/3/);
      assert.ok((await window.quickItems()).every(({ label }) => !label.startsWith("Add an SSH Key")));
      const made = (await readFile(join(folder, "another-key.pub"), "utf8")).trim();
      assert.deepEqual(service.world.account.sshKeys, [made]);
      await window.quickPick(/^Rent 1× RTX 3090/);
      await window.dialogButton("Rent");
      await window.waitForNotification(/^Instance .+ is running at/);
      await window.clearNotifications();
    },
  );

  step(
    "the + of the terminals opens one on an instance, and Escape opens none",
    "205-profile",
    person,
    async ({ window }) => {
      const terminals = window.page.locator(".terminal-wrapper");
      const before = await terminals.count();
      const start = async () => {
        await window.command("Create New Terminal (With Profile)");
        await window.quickPick(/^Cloud GPU Instance/);
        await window.quickTitle("Open Terminal");
      };
      await start();
      await window.quickClose();
      await until("what Escape leaves is gone", async () => (await terminals.count()) === before);
      assert.deepEqual(await window.notifications(), []);
      await start();
      await window.quickPick(/^1× RTX 3090/);
      await until("there is one more", async () => (await terminals.count()) === before + 1);
      await shows(window, /[#$] *$/m);
    },
  );

  step("destroying closes the terminal and says what it cost", "206-destroyed", person, async ({ window }) => {
    await window.clearNotifications();
    await window.rowMenu(/1× RTX 3090, instance \d+, running/, "Destroy Instance…");
    await window.dialogButton("Destroy");
    const said = /^Destroyed instance .+ \(\d+\) after .+\./;
    await until("the status bar says so", async () => (await window.statusBar()).some((entry) => said.test(entry)));
    await until("its terminal is closed", async () => (await terminalRows(window).count()) === 0);
    assert.deepEqual(await window.notifications(), []);
  });
}
