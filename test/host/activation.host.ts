// Activation in the real editor: cheap, harmless to others, deaf to the workspace, and quiet until it is used.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as vscode from "vscode";
import { commands, settings } from "../../src/ids.ts";
import { startSandbox } from "../../src/sandbox/start.ts";
import { describe, it } from "./bdd.ts";
import { DISPATCHER, eventually, extension } from "./support.ts";

describe("activation", () => {
  it("leaves the process-wide dispatcher as it was, also after the first requests", async () => {
    const before = Reflect.get(globalThis, DISPATCHER);
    const api = await extension().activate();
    assert.equal(api.version, 1);
    assert.equal(api.isSandbox, false);
    assert.equal(Reflect.get(globalThis, DISPATCHER), before);
    await vscode.commands.executeCommand(commands.sandboxTry);
    assert.equal(api.isSandbox, true);
    assert.equal(Reflect.get(globalThis, DISPATCHER), before);
    const other = createServer((_, response) => void response.end("{}"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    assert.equal((await fetch(`http://127.0.0.1:${port}`)).status, 200);
    other.close();
    await vscode.commands.executeCommand(commands.signOut);
    assert.equal(api.isSandbox, false);
  });
});

describe("a workspace", () => {
  it("cannot set the address, nor any other setting", async () => {
    let seen = 0;
    const evil = createServer((_, response) => {
      seen += 1;
      response.end("{}");
    });
    await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder, "the tests run in a folder");
    const sandbox = await startSandbox({ seed: 3 });
    const api = await extension().activate();
    const address = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;
    const content = JSON.stringify({
      [settings.baseUrl]: address,
      [settings.refreshActive]: 2,
      [settings.refreshIdle]: 10,
    });
    const file = vscode.Uri.joinPath(folder.uri, ".vscode", "settings.json");
    try {
      await vscode.workspace.fs.writeFile(file, Buffer.from(content));
      await new Promise((resolve) => setTimeout(resolve, 1500));
      for (const id of Object.values(settings)) {
        const inspected = vscode.workspace.getConfiguration().inspect(id);
        assert.equal(inspected?.workspaceValue, undefined, id);
        assert.deepEqual(vscode.workspace.getConfiguration().get(id), inspected?.defaultValue, id);
      }
      await vscode.commands.executeCommand(commands.sandboxTry);
      await vscode.commands.executeCommand(commands.refresh);
      assert.equal(api.isSandbox, true);
      await vscode.commands.executeCommand(commands.signOut);
      assert.equal(seen, 0);
    } finally {
      await vscode.workspace.fs.delete(file);
      await sandbox.stop();
      evil.close();
    }
  });

  it("is not followed when the person's own address changes either, without a key for it", async () => {
    let seen = 0;
    const other = createServer((_, response) => {
      seen += 1;
      response.end("{}");
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const api = await extension().activate();
    const configuration = vscode.workspace.getConfiguration();
    try {
      const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
      await configuration.update(settings.baseUrl, address, vscode.ConfigurationTarget.Global);
      await eventually(async () => configuration.inspect(settings.baseUrl) !== undefined, "the setting is there");
      await new Promise((resolve) => setTimeout(resolve, 500));
      assert.deepEqual(api.instances, []);
      assert.equal(seen, 0);
    } finally {
      await configuration.update(settings.baseUrl, undefined, vscode.ConfigurationTarget.Global);
      other.close();
    }
  });
});
