// Logging in to an instance from its row, from the message that it runs, and from the Command Palette.
import { homedir } from "node:os";
import * as vscode from "vscode";
import type { InstanceId } from "../../domain/base/id.ts";
import { buildSshArguments, formatSshCommand } from "../../domain/connection/ssh-command.ts";
import { buildPersistentCommand } from "../../domain/connection/tmux.ts";
import { getPhase, hasSsh, type Instance } from "../../domain/instance/instance.ts";
import { commands } from "../../ids.ts";
import { t, toLabel } from "../../lib/text.ts";
import { formatInstanceName, formatInstanceTitle } from "../../present/instance/instances.ts";
import type { MachineLogin } from "../../services/connection/run-there.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { type Choosable, findOneTarget } from "../instance/instance-commands.ts";
import { noteTerminal } from "../instance/machine-terminals.ts";
import { tellInfo } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";
import { toRowArguments } from "../list/targets.ts";
import type { ConnectionServices } from "./connection-services.ts";
import { reachMachine } from "./reach-machine.ts";

/** A name for titles: one line without icons. */
export const formatShortName = (instance: Instance) => toLabel(formatInstanceName(instance), 60);

/** Opens a terminal on the instance once its SSH server answers. */
export async function openTerminal(
  services: ConnectionServices,
  args: readonly unknown[],
  kind: TerminalKind = "usual",
): Promise<void> {
  const options = await prepareTerminal(services, args, kind);
  if (options) vscode.window.createTerminal(options).show();
}

/** `persistent`: what runs in it goes on without it. */
type TerminalKind = "usual" | "persistent";

/**
 * A terminal on the instance, once its SSH server answers and a key is chosen. It ends with its window and isn't revived by a
 * reload. @returns undefined if the person leaves. @throws AppError if the instance can't be logged in to.
 */
export async function prepareTerminal(
  services: ConnectionServices,
  args: readonly unknown[],
  kind: TerminalKind = "usual",
): Promise<vscode.TerminalOptions | undefined> {
  const { session } = services;
  const account = session.requireSignedIn();
  const isUsual = kind === "usual";
  const title = isUsual ? t("Open Terminal") : t("Open Persistent Terminal");
  const row = await findOneTarget(services, args, title, ADMITTING);
  if (!row) return undefined;
  session.assertStill(account);
  const { value } = row;
  const reached = await reachMachine(services, account, value, t("Connecting to {0}", formatShortName(value)));
  if (!reached) return undefined;
  const name = `${value.id} · ${formatShortName(value)}`;
  if (isUsual) return await prepareTerminalOn(services, account, reached, name);
  const options = await prepareTerminalOn(services, account, reached, name, buildPersistentCommand());
  return { ...options, iconPath: new vscode.ThemeIcon("server-process") };
}

/** The same on a machine that was reached: for a shell, or for a command that any shell reads. */
export async function prepareTerminalOn(
  { session, sshConfig }: ConnectionServices,
  account: SignedIn,
  { id, program, login }: MachineLogin,
  name: string,
  command?: string,
): Promise<vscode.TerminalOptions> {
  const given = (await sshConfig.buildTerminalArguments(login)) ?? buildSshArguments(login);
  session.assertStill(account);
  noteTerminal(name, account, id);
  return {
    name,
    shellPath: program,
    shellArgs: command === undefined ? [...given] : ["-t", ...given, command],
    // A folder of this computer keeps the terminal on this computer, also in a remote window.
    cwd: vscode.Uri.file(homedir()),
    iconPath: new vscode.ThemeIcon("server"),
    isTransient: true,
  };
}

/** Machines that can be logged in to. */
export const ADMITTING: Choosable = {
  accepts: ({ value, gone }) => !gone && getPhase(value) === "running" && hasSsh(value),
  none: () => t("No running instance accepts SSH logins."),
};

/** Opens a terminal on an instance that a message of this account named. */
export async function connectById(
  { session }: Pick<ConnectionServices, "session">,
  account: SignedIn,
  id: InstanceId,
): Promise<void> {
  const [row] = toRowArguments(session, account, [{ id }]);
  await runCommand(commands.instanceOpenTerminal, row);
}

/** Copies a command that logs in from any terminal of this computer. */
export async function copySshCommand(services: ConnectionServices, args: readonly unknown[]): Promise<void> {
  const { session, connections, sshMachines } = services;
  const account = session.requireSignedIn();
  const row = await findOneTarget(services, args, t("Copy SSH Command"), ADMITTING);
  if (!row) return;
  const login = await connections.describe(account, row.value.id);
  session.assertStill(account);
  await sshMachines.note(account, row.value.id, login);
  session.assertStill(account);
  await vscode.env.clipboard.writeText(formatSshCommand(login));
  void tellInfo(t("Copied the SSH command of instance {0}.", formatInstanceTitle(row.value)));
}
