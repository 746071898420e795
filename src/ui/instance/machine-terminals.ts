// Terminals on instances, by the names that we gave them.
import * as vscode from "vscode";
import type { InstanceId } from "../../domain/base/id.ts";
import type { Bag } from "../../lib/disposable.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { InstanceServices } from "./instance-services.ts";

interface On {
  readonly account: string;
  readonly id: InstanceId;
}

const named = new Map<string, On>();

/** From now on, a terminal of this name is one on the instance. */
export function noteTerminal(name: string, { tag }: SignedIn, id: InstanceId): void {
  named.set(name, { account: tag, id });
}

const listOpen = (): readonly { readonly terminal: vscode.Terminal; readonly on: On }[] =>
  vscode.window.terminals.flatMap((terminal) => {
    const on = named.get(terminal.creationOptions.name ?? "");
    return on && terminal.exitStatus === undefined ? [{ terminal, on }] : [];
  });

/** The instances that have an open terminal in this window. */
export const listTerminalInstances = (): readonly InstanceId[] => listOpen().map(({ on }) => on.id);

/** Closes a terminal once the service has destroyed or stopped its instance: cut off, it would end in an error. */
export function followOrders({ session, orders }: InstanceServices, bag: Bag): void {
  const closeOrdered = () => {
    const account = session.current;
    if (account.kind !== "signed-in") return;
    for (const { terminal, on } of listOpen())
      if (on.account === account.tag && orders.getStage(on.id)?.isConfirmed) terminal.dispose();
  };
  bag.add(orders.onDidChange(closeOrdered));
}
