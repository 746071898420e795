// Logging in to an instance from its row, from the message that it runs, and from the Command Palette.
import { homedir } from "node:os";
import * as vscode from "vscode";
import type { InstanceId } from "../../domain/base/id.ts";
import { sshArguments, sshCommandText } from "../../domain/connection/ssh-command.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import { commands } from "../../ids.ts";
import { label, t } from "../../lib/text.ts";
import { instanceName } from "../../present/instance/instances.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { targets } from "../instance/instance-commands.ts";
import { tellInfo } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";
import { rowsOf } from "../kit/targets.ts";
import type { ConnectionServices } from "./connection-services.ts";
import { reachMachine } from "./reach-machine.ts";

/** A name for titles: one line without icons. */
export const nameOf = (instance: Instance) => label(instanceName(instance), 60);

/** Opens a terminal on the instance once its SSH server answers. It ends with its window and isn't revived by a reload. */
export async function openTerminal(services: ConnectionServices, args: readonly unknown[]): Promise<void> {
  const { session } = services;
  const account = session.signedIn();
  const row = await oneTarget(services, args, t("Open Terminal"));
  if (!row) return;
  session.assertStill(account);
  const { value } = row;
  const reached = await reachMachine(services, account, value, t("Connecting to {0}", nameOf(value)));
  if (!reached) return;
  vscode.window
    .createTerminal({
      name: `${value.id} · ${nameOf(value)}`,
      shellPath: reached.program,
      shellArgs: [...sshArguments(reached.login)],
      // A folder of this computer keeps the terminal on this computer, also in a remote window.
      cwd: vscode.Uri.file(homedir()),
      iconPath: new vscode.ThemeIcon("server"),
      isTransient: true,
    })
    .show();
}

/** The row that was clicked, also if others are selected with it: a login is for one machine. */
export async function oneTarget(services: ConnectionServices, [first]: readonly unknown[], title: string) {
  const [row] = await targets(services, [first], title);
  return row;
}

/** Opens a terminal on an instance that a message of this account named. */
export async function connectById(
  { session }: Pick<ConnectionServices, "session">,
  account: SignedIn,
  id: InstanceId,
): Promise<void> {
  const [row] = rowsOf(session, account, [{ id }]);
  await runCommand(commands.instanceConnectSsh, row);
}

/** Copies a command that logs in from any terminal of this computer. */
export async function copySshCommand(services: ConnectionServices, args: readonly unknown[]): Promise<void> {
  const { session, connections, sshMachines } = services;
  const account = session.signedIn();
  const row = await oneTarget(services, args, t("Copy SSH Command"));
  if (!row) return;
  const login = await connections.describe(account, row.value.id);
  session.assertStill(account);
  await sshMachines.note(account, row.value.id, login);
  session.assertStill(account);
  await vscode.env.clipboard.writeText(sshCommandText(login));
  void tellInfo(t("The SSH command of instance {0} is on the clipboard.", row.value.id));
}
