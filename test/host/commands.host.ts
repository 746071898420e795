// Commands in the real editor: all there, and none of them writes anything without a question answered by a person.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { commands } from "../../src/ids.ts";
import { createInstance } from "../../src/sandbox/handlers/create-instance.ts";
import { describe, it } from "./bdd.ts";
import { eventually, extension, type InSandbox, inSandbox, writes } from "./support.ts";

/** A command may wait for an answer that never comes here; closing what it asks ends it. */
async function runAndDrop(id: string, args: readonly unknown[]): Promise<void> {
  const running = Promise.resolve(vscode.commands.executeCommand(id, ...args));
  const outcome = running.then(
    () => "ended",
    () => "ended",
  );
  for (let turn = 0; turn < 24; turn += 1) {
    const state = await Promise.race([outcome, new Promise((resolve) => setTimeout(resolve, 50, "waiting"))]);
    if (state === "ended") return;
    await vscode.commands.executeCommand("workbench.action.closeQuickOpen");
    await vscode.commands.executeCommand("notifications.clearAll");
  }
}

interface Rented extends InSandbox {
  readonly id: number;
}

/** In the sandbox, with one instance in the list. */
const withInstance = (act: (rented: Rented) => Promise<void>): Promise<void> =>
  inSandbox(async ({ service, lines }) => {
    const offer = service.world.offers[0];
    assert.ok(offer);
    const { id } = createInstance(service.world, offer.id, { image: "a/b", label: "mine" });
    await vscode.commands.executeCommand(commands.refresh);
    await eventually(() => extension().exports.instances.some((one) => one.id === id), "it is listed");
    await act({ service, id, lines });
  });

describe("commands", () => {
  it("are registered, every one", async () => {
    await extension().activate();
    const registered = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      Object.values(commands).filter((id) => !registered.has(id)),
      [],
    );
  });

  it("write nothing without a confirmation, whatever they are given", () =>
    withInstance(async ({ service, id, lines }) => {
      const api = await extension().activate();
      const confirmed = { confirmed: true };
      const given = [
        [],
        [id, confirmed],
        [{ of: { value: { id, hash_id: "a" } } }, [{ of: { value: { id } } }], confirmed],
        [{ id, confirmed: true, force: true, yes: true }],
        ["x; rm -rf /", Symbol("x"), confirmed],
      ];
      const harmless = new Set<string>([commands.signIn, commands.signOut, commands.sandboxTry, commands.refresh]);
      for (const command of Object.values(commands).filter((one) => !harmless.has(one)))
        for (const args of given) await runAndDrop(command, args);
      assert.deepEqual(writes(lines), []);
      assert.equal(service.world.listInstances().length, 1);
      assert.ok(
        api.instances.some((one) => one.id === id),
        "and no command has left the account",
      );
    })).timeout(240_000);

  it("of a row that the editor lost in a redraw ask nothing in its place", () =>
    withInstance(async () => {
      for (const command of [commands.instanceDestroy, commands.instanceChangeBid, commands.templateDelete]) {
        const running = Promise.resolve(vscode.commands.executeCommand(command, undefined, [undefined]));
        // A question would go on waiting: only messages are closed here.
        await eventually(async () => {
          await vscode.commands.executeCommand("notifications.clearAll");
          return Promise.race([running.then(() => true), new Promise<false>((end) => setTimeout(end, 50, false))]);
        }, `${command} ends`);
      }
    })).timeout(60_000);
});
