// Everything up to a login, for terminals and windows alike: the machine answers, shows the key it had, and admits one of ours.

import type { Instance } from "../../domain/instance/instance.ts";
import { t } from "../../lib/text.ts";
import { buildForgetKeyQuestion, buildHostKeyQuestion } from "../../present/connection/connection-questions.ts";
import { findOpen, prepareLogin } from "../../services/connection/prepare-login.ts";
import { loginQuietly } from "../../services/connection/quiet-login.ts";
import type { MachineLogin } from "../../services/connection/run-there.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { withLateNotification } from "../kit/late-notification.ts";
import { withNotification } from "../kit/messages.ts";
import { chooseKey } from "./choose-key.ts";
import type { ConnectionServices } from "./connection-services.ts";

/**
 * Waits until the machine's SSH server answers. @returns undefined if the person doesn't want to connect.
 * @throws AppError if the machine can't be reached, or if the account was switched.
 */
export async function reachMachine(
  services: ConnectionServices,
  account: SignedIn,
  { id }: Pick<Instance, "id">,
  title: string,
): Promise<MachineLogin | undefined> {
  const { session, connections, hostKeys, sshMachines } = services;
  const open = await findOpen(services, account, id);
  session.assertStill(account);
  if (open) return open;
  const { program, login, hostKey, admitted } = await withNotification(title, true, (report, cancelled) => {
    report(t("Waiting for the SSH server…"));
    return prepareLogin(services, account, id, cancelled);
  });
  session.assertStill(account);
  if (hostKey === "changed") {
    if (!(await confirm(buildHostKeyQuestion(id)))) return undefined;
    if (!(await confirm(buildForgetKeyQuestion(id)))) return undefined;
    session.assertStill(account);
    await hostKeys.forget(login.alias);
  }
  const chosen = await chooseKey(services, account, id, admitted);
  if (!chosen) return undefined;
  if (chosen.wasAsked || hostKey === "changed") await connections.recheck(account, id, login);
  session.assertStill(account);
  const known = { ...login, identity: await connections.findKeyFile(chosen.key) };
  // Before the first login: whatever that stores goes when the machine ends.
  await sshMachines.note(account, id, known);
  session.assertStill(account);
  return { id, program, login: known };
}

/**
 * The same for commands, by a connection that they share. @returns undefined if the person doesn't want to connect.
 * @throws AppError as `reachMachine` does, or if it can't be logged in to without a question.
 */
export async function reachForCommands(
  services: ConnectionServices,
  account: SignedIn,
  instance: Pick<Instance, "id">,
  title: string,
): Promise<MachineLogin | undefined> {
  const machine = await reachMachine(services, account, instance, title);
  if (!machine) return undefined;
  return await withLateNotification(title, (_, cancelled) =>
    services.sharedConnections.open(account, machine, cancelled),
  );
}

/**
 * The same for what the person didn't begin, and so isn't asked about.
 * @throws AppError as `loginQuietly` does; the signal's reason.
 */
export async function reachUnasked(
  services: ConnectionServices,
  account: SignedIn,
  { id }: Pick<Instance, "id">,
  { title, signal }: { readonly title: string; readonly signal: AbortSignal },
): Promise<MachineLogin> {
  return await withLateNotification(title, (_, cancelled) =>
    loginQuietly(services, account, id, AbortSignal.any([cancelled, signal])),
  );
}
