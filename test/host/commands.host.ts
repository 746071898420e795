// Commands in the real editor: all there, and none of them writes anything without a question answered by a person.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { commands } from "../../src/ids.ts";
import { extension } from "./support.ts";

/** A command may wait for an answer that never comes here; closing what it asks ends it. */
async function runAndDrop(id: string, args: readonly unknown[]): Promise<void> {
  const running = Promise.resolve(vscode.commands.executeCommand(id, ...args));
  const outcome = running.then(
    () => "ended",
    () => "ended",
  );
  for (let turn = 0; turn < 60; turn += 1) {
    const state = await Promise.race([outcome, new Promise((resolve) => setTimeout(resolve, 50, "waiting"))]);
    if (state === "ended") return;
    await vscode.commands.executeCommand("workbench.action.closeQuickOpen");
    await vscode.commands.executeCommand("notifications.clearAll");
  }
}

describe("commands", () => {
  it("are registered, every one", async () => {
    await extension().activate();
    const registered = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      Object.values(commands).filter((id) => !registered.has(id)),
      [],
    );
  });

  it("write nothing without a confirmation, whatever they are given", async () => {
    const api = await extension().activate();
    await vscode.commands.executeCommand(commands.tryDemo);
    const { host } = await api.snapshot();
    const spending = [commands.launchFromTemplate, commands.launchFromOffer, commands.instanceDestroy] as const;
    const junk = [
      undefined,
      7,
      "x",
      { confirmed: true },
      { of: { value: { id: 1, hash_id: "a" } } },
      [1, 2],
      Symbol("x"),
    ];
    for (const id of [...spending, commands.instanceShow, commands.instanceCopyId, commands.templateCopyHash]) {
      for (const argument of junk.slice(0, 6)) await runAndDrop(id, [argument, { confirmed: true }]);
    }
    await vscode.commands.executeCommand(commands.refresh);
    assert.equal((await api.snapshot()).host, host);
    assert.deepEqual((await api.snapshot()).instances, []);
    await vscode.commands.executeCommand(commands.signOut);
  }).timeout(120_000);
});
