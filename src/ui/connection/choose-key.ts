// Which of this computer's SSH keys may log in to an instance that admits none of them yet.
import * as vscode from "vscode";
import type { InstanceId } from "../../domain/base/id.ts";
import type { PublicKey } from "../../domain/connection/public-key.ts";
import { label, t } from "../../lib/text.ts";
import { findSshTool } from "../../services/connection/ssh-program.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { BACK, type Choice, pick } from "../kit/steps.ts";
import type { ConnectionServices } from "./connection-services.ts";

const NEW = Symbol("new");

/**
 * Makes sure that the instance admits a key of this computer, as far as the service says. The chosen key is added to the
 * account as well. @returns whether to go on connecting.
 * @throws AppError if the service doesn't take the key.
 */
export async function chooseKey(services: ConnectionServices, account: SignedIn, id: InstanceId): Promise<boolean> {
  const { connections } = services;
  const keys = await connections.localKeys();
  // If the service doesn't say, the login itself will.
  if ((await connections.admits(account, id, keys)) !== false) return true;
  const chosen = await pick<PublicKey | typeof NEW>({
    title: t("SSH Key for Instance {0}", id),
    placeholder:
      keys.length > 0
        ? t("No key of this computer can log in yet. Choose one to add to this instance and to your account.")
        : t("This computer has no SSH key yet."),
    choices: [...keys.map(keyChoice), { label: `$(add) ${t("Create a Key…")}`, value: NEW, alwaysShow: true }],
  });
  if (chosen === undefined || chosen === BACK) return false;
  if (chosen === NEW) {
    await createKey();
    return false;
  }
  await connections.addKey(account, id, chosen);
  return true;
}

function keyChoice(key: PublicKey): Choice<PublicKey> {
  return {
    label: label(key.comment || key.type, 80),
    description: `${key.type} · …${key.blob.slice(-12)}`,
    value: key,
  };
}

/** `ssh-keygen` itself asks where to store the key and for a passphrase: neither goes through the extension. */
async function createKey(): Promise<void> {
  const program = await findSshTool("ssh-keygen");
  const name = t("Create an SSH Key");
  vscode.window.createTerminal({ name, shellPath: program, shellArgs: ["-t", "ed25519"], isTransient: true }).show();
}
