// Which instances the person is working on in this window: one with a terminal open, or the one that the whole window is on. What is
// only left open doesn't count: the editor knows whether someone is there.
import * as vscode from "vscode";
import type { Bag } from "../../lib/disposable.ts";
import { mergeEvents } from "../../lib/event.ts";
import { listTerminalInstances } from "../instance/machine-terminals.ts";
import type { ConnectionServices } from "./connection-services.ts";
import { isOwnMachine, type WindowMachine } from "./window-machine.ts";

export function followPerson({ session, instanceUses }: ConnectionServices, machine: WindowMachine, bag: Bag): void {
  const inUse = () => {
    const { focused, active } = vscode.window.state;
    if (!focused || !active || session.current.kind !== "signed-in") return [];
    const ids = listTerminalInstances();
    const own = machine.current;
    return own && isOwnMachine(own, session.current) ? [...ids, own.id] : [...ids];
  };
  const onDidChange = mergeEvents<unknown>(
    ...[vscode.window.onDidChangeWindowState, vscode.window.onDidOpenTerminal, vscode.window.onDidCloseTerminal],
    machine.onDidChange,
  );
  instanceUses.add({ inUse, onDidChange: (listener) => bag.add(onDidChange(() => listener())) });
}
