// Which of this computer's SSH keys may log in to an instance that admits none of them yet.
import { homedir } from "node:os";
import { sep } from "node:path";
import * as vscode from "vscode";
import type { InstanceId } from "../../domain/base/id.ts";
import type { PublicKey } from "../../domain/connection/public-key.ts";
import { t, toLabel } from "../../lib/text.ts";
import type { AdmittedKey } from "../../services/connection/connections.ts";
import { findSshTool } from "../../services/connection/ssh/ssh-program.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { type Choice, type PickOptions, pickOne } from "../kit/ask/pick.ts";
import { BACK } from "../kit/ask/steps.ts";
import { tellError, tellInfo } from "../kit/messages.ts";
import type { ConnectionServices } from "./connection-services.ts";

const NEW = Symbol("new");
const FILE = Symbol("file");
const ANYWAY = Symbol("anyway");
type Chosen = PublicKey | typeof NEW | typeof FILE | typeof ANYWAY;

/** How to log in: with this key, or with whatever `ssh` finds itself. */
interface ChosenKey {
  readonly key: PublicKey | undefined;
  /** Whether the person was asked, which takes as long as they like. */
  readonly wasAsked: boolean;
}

/**
 * Asks for a key of this computer if the instance admits none, as far as the service says. A key that is chosen is added to the
 * account as well. @returns undefined if the person doesn't want to connect now.
 * @throws AppError if the service doesn't take the key.
 */
export async function chooseKey(
  services: ConnectionServices,
  account: SignedIn,
  id: InstanceId,
  admitted: AdmittedKey,
): Promise<ChosenKey | undefined> {
  // If the service doesn't say, the login itself will.
  if (admitted === "unknown") return { key: undefined, wasAsked: false };
  if (admitted !== "none") return { key: admitted, wasAsked: false };
  const { connections } = services;
  const chosen = await askForKey(services, (keys) => ({
    title: t("SSH Key for Instance {0}", id),
    placeholder:
      keys.length > 0
        ? t("None of these keys can log in. Choose one to add to this instance and your account.")
        : t("No SSH key was found on this computer."),
    choices: [...keys.map(keyChoice), ...otherWays()],
  }));
  if (chosen === undefined) return undefined;
  if (chosen === ANYWAY) return { key: undefined, wasAsked: true };
  await connections.addKey(account, id, chosen);
  return { key: chosen, wasAsked: true };
}

/** Asks for a key of this computer and adds it to the account. @throws AppError if the service doesn't take it. */
export async function addAccountKey(
  { connections, accountKeys }: Pick<ConnectionServices, "connections" | "accountKeys">,
  account: SignedIn,
): Promise<void> {
  const chosen = await askForKey({ connections }, (keys) => ({
    title: t("SSH Key for Your Account"),
    placeholder:
      keys.length > 0
        ? t("Choose a key to add to your account. New instances will accept this key.")
        : t("No SSH key was found on this computer."),
    choices: [...keys.map(keyChoice), ...otherKeys()],
  }));
  if (chosen === undefined || chosen === ANYWAY) return;
  await accountKeys.add(account, chosen);
  void tellInfo(t("The key “{0}” was added to your account.", toLabel(chosen.comment || chosen.type, 80)));
}

/** Asks again with the new key once one was created: until then, what comes next would take the keys meant for `ssh-keygen`. */
async function askForKey(
  { connections }: Pick<ConnectionServices, "connections">,
  question: (keys: readonly PublicKey[]) => PickOptions<Chosen>,
): Promise<PublicKey | typeof ANYWAY | undefined> {
  for (;;) {
    const chosen = await pickOne(question(await connections.listLocalKeys()));
    if (chosen === undefined || chosen === BACK) return undefined;
    if (chosen === NEW) await createKey();
    else if (chosen !== FILE) return chosen;
    else {
      const key = await chooseKeyFile(connections);
      if (key) return key;
    }
  }
}

/** @returns undefined if none was chosen, or what was chosen isn't a key, which is said. */
async function chooseKeyFile(connections: ConnectionServices["connections"]): Promise<PublicKey | undefined> {
  const options = { defaultUri: vscode.Uri.file(homedir()), openLabel: t("Use This Key"), title: t("SSH Key") };
  const [uri] = (await vscode.window.showOpenDialog(options)) ?? [];
  if (uri === undefined) return undefined;
  const key = await connections.rememberKeyFile(uri.fsPath);
  if (!key)
    void tellError(
      t(
        "{0} can't be used: an SSH key is two files side by side, such as “key” and “key.pub”.",
        toLabel(uri.fsPath, 200),
      ),
    );
  return key;
}

function keyChoice(key: PublicKey): Choice<PublicKey> {
  return {
    label: toLabel(key.comment || key.type, 80),
    description: `${key.type} · ${describePlace(key)}`,
    value: key,
  };
}

/** Its file, or the end of the key where it is only in the agent. */
function describePlace({ file, blob }: PublicKey): string {
  if (file === undefined) return t("in the SSH agent, …{0}", blob.slice(-12));
  const home = homedir();
  return toLabel(file.startsWith(home + sep) ? `~${file.slice(home.length)}` : file, 120);
}

const otherKeys = (): readonly Choice<Chosen>[] => [
  { label: `$(add) ${t("Create a Key…")}`, value: NEW, alwaysShow: true },
  { label: `$(folder-opened) ${t("Choose a File…")}`, value: FILE, alwaysShow: true },
];

function otherWays(): readonly Choice<Chosen>[] {
  const detail = t("Your SSH configuration may name a key that isn't listed here.");
  return [...otherKeys(), { label: `$(plug) ${t("Connect Anyway")}`, detail, value: ANYWAY, alwaysShow: true }];
}

/**
 * `ssh-keygen` itself asks where to store the key and for a passphrase: neither goes through the extension. Resolves when its
 * terminal is closed, which it does itself when it is done.
 */
async function createKey(): Promise<void> {
  const program = await findSshTool("ssh-keygen");
  const name = t("Create an SSH Key");
  // A folder of this computer keeps the terminal, and the key, on this computer.
  const cwd = vscode.Uri.file(homedir());
  const terminal = vscode.window.createTerminal({
    name,
    shellPath: program,
    shellArgs: ["-t", "ed25519"],
    cwd,
    isTransient: true,
  });
  const closed = new Promise<void>((resolve) => {
    const listening = vscode.window.onDidCloseTerminal((one) => {
      if (one !== terminal) return;
      listening.dispose();
      resolve();
    });
  });
  terminal.show();
  void tellInfo(t("Finish in the terminal, then choose the new key here."));
  await closed;
}
