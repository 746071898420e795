// Logs, ports and files of machines whose service lies about where they are and whose programs write what they like.
import assert from "node:assert/strict";
import type { Workbench } from "../editor/page.ts";
import { chooseFolder, SOON, until } from "../person/support.ts";
import { HONEST } from "./ports.ts";
import { LOGGED } from "./proxy.ts";
import { say, step } from "./stage.ts";

const ROW = /^runner/;
const OPEN = `${HONEST.host}:${HONEST.port}, open to everyone`;
/** Of a machine's ports, as many are listed. */
const MOST = 64;

const terminal = ({ page }: Workbench) => page.locator(".terminal-wrapper.active .xterm-rows").last();

async function shows(window: Workbench, text: string | RegExp): Promise<void> {
  await terminal(window).getByText(text).first().waitFor({ timeout: SOON });
}

/** No one is there to be connected to, which is waited for until the person leaves. */
async function leaveConnecting(window: Workbench): Promise<void> {
  await window.waitForNotification(/^Connecting to runner .*Waiting for the SSH server/);
  await window.notificationButton("Cancel");
  const notes = window.page.locator(".notification-list-item-message", { hasText: /^Connecting to/ });
  await notes.waitFor({ state: "hidden", timeout: SOON });
}

export function connections(): void {
  step("a log in a document is text", "05-document", async ({ window }) => {
    await window.rowMenu(ROW, "Open Log as Document");
    await window.page.locator(".tab.active", { hasText: /^Log of Instance \d+/ }).waitFor({ timeout: SOON });
    await window.page.locator(".view-line", { hasText: LOGGED.first }).first().waitFor({ timeout: SOON });
    await window.closeAllEditors();
  });

  step("ports of any kind are rows of which one is open to everyone", "06-ports", async ({ window }) => {
    await window.toggleRow(ROW);
    await window.waitForRow(new RegExp(`^Port 5000 of instance \\d+, ${OPEN}$`));
    await window.hover(/^Port 5000 of instance/);
    await window.page.mouse.move(0, 0);
    await window.waitForRow(/^Port 6000 of instance \d+, through SSH$/);
    assert.ok(!(await window.rowMenuItems(/^Port 6000 of instance/)).includes("Open Public Address…"));
    await window.toggleRow(ROW);
  });

  step("a command for a machine at no address is refused", "07-nowhere", async ({ window }) => {
    await window.rowMenu(ROW, "Copy SSH Command");
    await say(window, /^The service lists no SSH address for instance \d+ yet\. Try again in a moment\.$/);
    await window.rowMenu(ROW, "Open in New Window…");
    await say(window, /^To open a remote window, install the extension/);
  });

  step("a port, Jupyter and files wait for it, and nothing else", "08-waiting", async ({ window, folder }) => {
    await window.rowMenu(ROW, "Forward Port…");
    await window.quickTitle(/^Forward Port of runner/);
    const ports = (await window.quickItems()).map(({ description }) => description);
    assert.equal(ports.length, MOST + 1, "and one to type another");
    assert.equal(ports.filter((place) => place === OPEN).length, 1);
    assert.equal(ports.filter((place) => place === "through SSH").length, MOST - 1);
    await window.screenshot("hostile-08-ports");
    await window.quickPick(/^6000/);
    await leaveConnecting(window);
    await window.rowMenu(ROW, "Open Jupyter");
    await window.dialogButton("Open");
    await leaveConnecting(window);
    await window.rowMenu(ROW, "Download…");
    await leaveConnecting(window);
    await window.rowMenu(ROW, "Upload Folder…");
    await chooseFolder(window, /^Upload Folder$/, folder, "Upload");
    await leaveConnecting(window);
  });
}

/** Last of all: in Restricted Mode, the editor opens no terminal at all, not even one without a program. */
export function logs(): void {
  step("a log in a terminal obeys nobody", "80-log", async ({ window }) => {
    await window.rowMenu(ROW, "Show Log");
    const { message } = await window.dialog();
    assert.match(message, /^Do you trust the authors/);
    await window.dialogButton("Trust Folder & Continue");
    await shows(window, LOGGED.last);
    await shows(window, "Following the log.");
    await shows(window, "a link another");
    assert.equal(await terminal(window).locator('[class*="xterm-underline"]').count(), 0, "no link of the log's own");
    await window.screenshot("hostile-80-terminal");
    await window.command("Terminal: Kill the Active Terminal Instance");
    await until("it is closed", async () => (await window.page.locator(".terminal-wrapper").count()) === 0);
  });
}
