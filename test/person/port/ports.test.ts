// The ports of a machine: privately in the browser, at their public addresses, and as a notebook's server.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import type { Workbench } from "../../editor/page.ts";
import { ownFolder, type Person, SOON, stage, step, until } from "../support.ts";

const folder = await ownFolder();
const key = join(folder, "ssh", "id_ed25519");
const config = join(folder, "config");
const beside = join(folder, "jupyter");
const notebooks = join(folder, "notebooks");
const ROW = /^mine, instance \d+, running/;
const API = /^api, instance \d+, running/;
const HAS_SSH = spawnSync("ssh", ["-V"]).error === undefined;
if (HAS_SSH) {
  await mkdir(join(folder, "ssh"));
  assert.equal(spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "laptop", "-f", key]).status, 0);
}
await writeFile(config, `Host *\n  IdentityFile ${key}\n`);
await mkdir(notebooks);
await writeFile(join(notebooks, "train.ipynb"), "{}");

// Stands in for the Jupyter extension: its ID, its kind of notebooks, and what it asks of those who bring servers.
await mkdir(beside);
const manifest = {
  ...{ name: "jupyter", publisher: "ms-toolsai", version: "0.0.1", engines: { vscode: "^1.106.0" } },
  ...{ main: "./main.cjs", activationEvents: ["onNotebook:jupyter-notebook"], extensionKind: ["workspace"] },
  contributes: {
    notebooks: [{ type: "jupyter-notebook", displayName: "Notebook", selector: [{ filenamePattern: "*.ipynb" }] }],
    commands: [{ command: "standIn.selectKernel", title: "Select Kernel", category: "Stand-In" }],
  },
};
const main = `const vscode = require("vscode");
const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };
const tell = (told) => require("node:fs").writeFileSync(require("node:path").join(__dirname, "told.json"), JSON.stringify(told));
exports.activate = () => {
  vscode.workspace.registerNotebookSerializer("jupyter-notebook", {
    deserializeNotebook: () => new vscode.NotebookData([]),
    serializeNotebook: () => new Uint8Array(),
  });
  // Until someone brings servers, the list is empty: notebooks open before everyone has seen them.
  let provider = { provideJupyterServers: () => [] }, collection = { commandProvider: { provideCommands: () => [] } };
  vscode.commands.registerCommand("standIn.selectKernel", async () => {
    const servers = await provider.provideJupyterServers(token);
    const commands = await collection.commandProvider.provideCommands("", token);
    const shown = [...servers, ...commands].map((of) => ({ label: of.label, of }));
    const picked = await vscode.window.showQuickPick(shown, { title: collection.label });
    if (!picked) return;
    const { of } = picked;
    try {
      const chosen = servers.includes(of)
        ? await provider.resolveJupyterServer(of, token)
        : await collection.commandProvider.handleCommand(of, token);
      const { baseUrl, token: secret } = chosen.connectionInformation;
      tell({ ids: servers.map(({ id }) => id), known: servers.map((one) => Object.keys(one).sort()), baseUrl: baseUrl.toString(), secret });
    } catch (error) {
      tell({ error: error instanceof vscode.CancellationError ? "cancelled" : String(error) });
    }
  });
  return {
    createJupyterServerCollection(id, label, given) {
      provider = given;
      return (collection = { id, label, dispose() {} });
    },
  };
};
`;
await writeFile(join(beside, "package.json"), JSON.stringify(manifest));
await writeFile(join(beside, "main.cjs"), main);

const person = stage({
  signedIn: true,
  sandbox: { ssh: true },
  beside,
  folder: notebooks,
  settings: { "security.workspace.trust.enabled": false },
  env: { CLOUD_GPU_SSH_DIR: join(folder, "ssh", "cloud-gpu"), CLOUD_GPU_SSH_CONFIG: config },
  prepare: ({ world }) => {
    world.account.sshKeys.push(spawnSync("cat", [`${key}.pub`], { encoding: "utf8" }).stdout.trim());
    const rent = (label: string, runtype: string, env: Record<string, string>) => {
      const offer = world.offers.find((one) => world.isRentable(one));
      assert.ok(offer);
      world.setFate(offer.id, "runs");
      createInstance(world, offer.id, { image: "a/b", runtype, label, env });
    };
    rent("mine", "jupyter_direc ssh_direc ssh_proxy", { "-p 6006:6006": "1" });
    rent("api", "args", { "-p 8000:8000": "1" });
  },
});

/** The page that the browser opens by this. */
async function pageOpenedBy({ page }: Workbench, act: () => Promise<void>) {
  const opening = page.context().waitForEvent("page", { timeout: SOON });
  await act();
  const opened = await opening;
  await opened.waitForURL(/^http/, { timeout: SOON });
  return opened;
}

const tokenOf = ({ service }: Person) => {
  const [instance] = service.world.listInstances();
  return instance && String(service.world.toRecord(instance).jupyter_token);
};

async function told(): Promise<Record<string, unknown>> {
  let found: Record<string, unknown> | undefined;
  await until("the Jupyter extension was answered", async () => {
    found = await readFile(join(beside, "told.json"), "utf8").then(JSON.parse, () => undefined);
    return found !== undefined;
  });
  return found ?? {};
}

if (HAS_SSH) {
  step("a machine's row unfolds to its ports, and says who reaches them", "240-ports", person, async ({ window }) => {
    await window.openContainer("Cloud GPU");
    await window.waitForRow(ROW, 90_000);
    await window.clearNotifications();
    await window.toggleRow(ROW);
    await window.waitForRow(/^Port 6006 of instance \d+, 127\.0\.0\.1:\d+, open to everyone$/);
    await window.waitForRow(/^Port 8080 of instance \d+, 127\.0\.0\.1:\d+, open to everyone$/);
  });

  step("without an SSH server, the address of the API is on the row and the page", "240-api", person, async (one) => {
    const { window } = one;
    await window.waitForRow(API, 90_000);
    await window.toggleRow(API);
    const port = /^Port 8000 of instance \d+, 127\.0\.0\.1:\d+, open to everyone$/;
    await window.waitForRow(port);
    await window.screenshot("240-api");
    await window.rowMenu(port, "Copy Address");
    const copied = () => window.page.evaluate<string>("navigator.clipboard.readText()");
    await until("the address is in the clipboard", async () => /^127\.0\.0\.1:\d+$/.test(await copied()));
    await window.rowMenu(API, "Show Instance");
    await window
      .webview()
      .getByText(/^8000 → 127\.0\.0\.1:\d+$/)
      .waitFor({ timeout: SOON });
    await window.screenshot("240-api-page");
    await window.closeAllEditors();
  });

  step(
    "Jupyter isn't opened as a page of the editor, which would be the machine's to read",
    "241-token",
    person,
    async (one) => {
      const { window } = one;
      await window.rowMenu(ROW, "Open Jupyter");
      const { message, detail } = await window.dialog();
      assert.equal(message, "Open Jupyter in the browser?");
      assert.match(detail, /contains the server's token/);
      await window.screenshot("241-token");
      await window.dialogButton("Open");
      await until("the editor's address is told of", async () => /wasn't opened/.test((await window.dialog()).message));
      const told = await window.dialog();
      assert.match(told.message, /^The port of instance \d+ wasn't opened\.$/);
      assert.match(
        told.detail,
        /^This editor shares its address, editor\.localhost, or its cookies with forwarded ports\./,
      );
      assert.match(told.detail, /open the port's own address instead\.$/);
      await window.screenshot("241-shared");
      await window.dialogButton("Cancel");
      await window.waitForRow(
        /^Port 8080 of instance \d+, forwarded to localhost:\d+ · 127\.0\.0\.1:\d+, open to everyone$/,
      );
    },
  );

  step(
    "it opens by a name of its own, with its token, and gets the cookies of nobody else",
    "241-jupyter",
    person,
    async (one) => {
      const { window } = one;
      const context = window.page.context();
      const secret = { name: "session", value: "of-another-server", httpOnly: true, sameSite: "Strict" } as const;
      await context.addCookies([
        { ...secret, url: "http://127.0.0.1/" },
        { ...secret, url: "http://localhost/" },
      ]);
      const sent: string[] = [];
      context.on("request", async (request) => {
        if (/^cg-/.test(new URL(request.url()).hostname)) sent.push((await request.allHeaders()).cookie ?? "");
      });
      const page = await pageOpenedBy(window, async () => {
        await window.rowMenu(ROW, "Open Jupyter");
        await until("it asks again", async () => /wasn't opened/.test((await window.dialog()).message));
        await window.dialogButton("Open on This Computer");
      });
      const address = new URL(page.url());
      assert.match(address.hostname, /^cg-\d+-[0-9a-f]{8}\.localhost$/);
      assert.notEqual(address.origin, new URL(one.editor.url).origin);
      assert.equal(address.searchParams.get("token"), tokenOf(one));
      await until("the notebook server's page is there", async () => /<h1>Instance \d+</.test(await page.content()));
      await until("its requests were seen", async () => sent.length > 0);
      assert.deepEqual([...new Set(sent)], [""]);
      await page.close();
    },
  );

  step("a public address is opened after a question", "242-public", person, async ({ window }) => {
    await window.rowMenu(/^Port 8080 of instance/, "Open Public Address…");
    const { message, detail } = await window.dialog();
    assert.match(message, /^Open port 8080 of instance \d+ at its public address\?$/);
    assert.match(detail, /^Everyone can reach 127\.0\.0\.1:\d+, and what you send there may not be encrypted\./);
    await window.screenshot("242-public");
    await window.dialogButton("Cancel");
  });

  step(
    "a port without a server is forwarded, and that is all that is said",
    "243-silent",
    person,
    async ({ window }) => {
      await window.rowMenu(ROW, "Forward Port…");
      await window.quickPick(/^Other Port…/);
      await window.quickRefused("70000", /^Enter a port from 1 to 65535\.$/);
      await window.quickAnswer("7007");
      await window.waitForNotification(
        /^Port 7007 of instance \d+ is forwarded to localhost:\d+\. No web server is responding/,
      );
      await window.waitForRow(/^Port 7007 of instance \d+, forwarded to localhost:\d+$/);
    },
  );

  step("a forwarding is stopped where all are listed", "244-stop", person, async ({ window }) => {
    await window.clearNotifications();
    await window.command("Cloud GPU: Stop Forwarding Port");
    await window.quickTitle("Stop Forwarding Port");
    await window.screenshot("244-forwarded");
    await window.quickPick(/^7007/);
    const rows = () => window.treeRows("Instances");
    await until("its row is gone", async () => !(await rows()).some((row) => row.startsWith("Port 7007")));
  });

  step("a notebook finds the machine among its servers", "245-kernel", person, async (one) => {
    const { window } = one;
    await window.command("Go to File...");
    await window.quickType("train.ipynb");
    await window.quickPick(/^train\.ipynb/);
    await until("the machines are offered", async () => {
      await window.command("Stand-In: Select Kernel");
      const [first] = await window.quickItems();
      return /^mine · \d+ · running$/.test(first?.label ?? "");
    });
    await window.screenshot("245-kernel");
    await window.quickPick(/^mine · /);
    const { ids, known, baseUrl, secret } = await told();
    assert.match(String(ids), /^[0-9a-f]{16}-\d+$/, "a number alone may name another account's machine");
    assert.deepEqual(known, [["id", "label"]], "nothing is connected to before it is chosen");
    assert.equal(secret, tokenOf(one));
    const status = await fetch(`${baseUrl}api/status`, { headers: { authorization: `token ${secret}` } });
    assert.equal(status.status, 200);
  });

  step("and rents one from there", "246-rent", person, async ({ window }) => {
    await window.command("Stand-In: Select Kernel");
    await window.quickPick(/^Rent a GPU for This Notebook…/);
    assert.match(await window.quickTitle(/Launch Instance from Template/), /1\/3/);
    assert.equal((await told()).error, "cancelled");
    await window.quickClose();
  });
}
