// Everything up to a login, for terminals and windows alike: the machine answers, shows the key it had, and admits one of ours.

import type { Instance } from "../../domain/instance/instance.ts";
import { t } from "../../lib/text.ts";
import { forgetKeyQuestion, hostKeyQuestion } from "../../present/connection/connection-questions.ts";
import { findSsh, type SshWay } from "../../services/connection/ssh-program.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { confirm } from "../kit/confirm.ts";
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
): Promise<SshWay | undefined> {
  const { session, connections, hostKeys, sshMachines } = services;
  const [program, login, hostKey] = await withNotification(title, true, async (report, cancelled) => {
    report(t("Waiting for its SSH server…"));
    const ssh = await findSsh();
    const reached = await connections.reach(account, id, cancelled);
    return [ssh, reached, await hostKeys.compare(reached, cancelled)] as const;
  });
  session.assertStill(account);
  if (hostKey === "changed") {
    if (!(await confirm(hostKeyQuestion(id)))) return undefined;
    if (!(await confirm(forgetKeyQuestion(id)))) return undefined;
    session.assertStill(account);
    await hostKeys.forget(login.alias);
  }
  const chosen = await chooseKey(services, account, id);
  if (!chosen) return undefined;
  if (chosen.wasAsked || hostKey === "changed") await connections.recheck(account, id, login);
  session.assertStill(account);
  const known = { ...login, identity: chosen.key?.file };
  // Before the first login: whatever that stores goes when the machine ends.
  await sshMachines.note(account, id, known);
  session.assertStill(account);
  return { program, login: known };
}
