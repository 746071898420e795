// The person's public keys on this computer: in files and in the agent. No file with a private key is ever opened.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { homedir, hostname, userInfo } from "node:os";
import { basename, isAbsolute, join } from "node:path";
import type { KeyPlaces, LocalUser } from "../../../domain/connection/key-places.ts";
import { type PublicKey, readPublicKey } from "../../../domain/connection/public-key.ts";
import { listAgentKeys } from "./ssh-program.ts";

/** Bytes. A public key is far shorter. */
const LARGEST = 16_384;
const MOST_FILES = 200;

const isFile = (path: string) =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

/** Who runs the editor, as `ssh` finds it. In a container the number may have no name. */
export function findLocalUser(): LocalUser {
  const here = { d: homedir(), l: hostname(), L: hostname().replace(/\..*$/, "") };
  try {
    const { username, uid } = userInfo();
    return { ...here, u: username, i: String(uid) };
  } catch {
    return here;
  }
}

/** Only an ordinary file of a plausible size is opened: reading a pipe would never end. */
async function readKeyFile(path: string): Promise<PublicKey | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile() || found.size > LARGEST) return undefined;
    const key = readPublicKey(await readFile(path, "utf8"));
    const file = path.replace(/\.pub$/, "");
    return key && ((await isFile(file)) ? { ...key, file } : key);
  } catch {
    return undefined;
  }
}

const toHash = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);

const OWN_LINK = /^key-[0-9a-f]{16}$/;
const nameLink = (file: string) => `key-${toHash(file)}`;

/**
 * A key in a file that the person chose, by either half. From now on it is listed with the others: `folder` gets links to both halves.
 * Undefined if it isn't a key, or its other half isn't beside it. Where a link can't be made, it is read all the same.
 */
export async function rememberKeyFile(folder: string, chosen: string): Promise<PublicKey | undefined> {
  const file = chosen.replace(/\.pub$/, "");
  const key = await readKeyFile(`${file}.pub`);
  if (key?.file === undefined) return undefined;
  const link = join(folder, nameLink(file));
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const half of ["", ".pub"]) {
      await rm(link + half, { force: true });
      await symlink(file + half, link + half);
    }
  } catch {
    // Some computers allow no links. It can be chosen again.
  }
  return key;
}

/** The file itself where a link of ours leads to it. A link of the person's own stays, and so does a path that depends on the folder. */
async function followLink(key: PublicKey): Promise<PublicKey> {
  const { file } = key;
  if (file === undefined || !OWN_LINK.test(basename(file))) return key;
  const target = await readlink(file).catch(() => file);
  return isAbsolute(target) && basename(file) === nameLink(target) ? { ...key, file: target } : key;
}

/**
 * The keys of this computer, by their public halves: in these folders (`*.pub`, beside the private half), beside the files and in the agent
 * that the person's configuration names, each once. A public key without its private half is someone else's. Never rejects.
 */
export async function listLocalKeys(
  folders: readonly string[],
  { agent: socket, files: named }: KeyPlaces,
): Promise<readonly PublicKey[]> {
  const names = await Promise.all(
    folders.map(async (folder) => {
      const all = await readdir(folder).catch(() => []);
      const keys = all.filter((name) => name.endsWith(".pub")).slice(0, MOST_FILES);
      return keys.map((name) => join(folder, name));
    }),
  );
  const paths = [...names.flat(), ...named.slice(0, MOST_FILES).map((file) => `${file}.pub`)];
  const read = (await Promise.all(paths.map(readKeyFile))).filter((key) => key?.file !== undefined);
  const files = await Promise.all(read.map((key) => key && followLink(key)));
  const agent = socket === undefined ? [] : (await listAgentKeys(socket)).map(readPublicKey);
  const found = [...agent, ...files].filter((key) => key !== undefined);
  return [...new Map(found.map((key) => [key.blob, key])).values()];
}

/**
 * The file by which `ssh` offers this key and no other: a machine hangs up after six keys that it doesn't admit, and an agent may hold more.
 * Of a key in the agent, its public half is enough. Undefined if it can't be written. Never rejects.
 */
export async function findKeyFile(folder: string, key: PublicKey): Promise<string | undefined> {
  if (key.file !== undefined) return key.file;
  const path = join(folder, "keys", `${toHash(key.blob)}.pub`);
  try {
    await mkdir(join(folder, "keys"), { recursive: true, mode: 0o700 });
    // Private keys may be read by no one else, and so may what `ssh` takes for one.
    await writeFile(path, `${key.line}\n`, { mode: 0o600 });
    return path;
  } catch {
    return undefined;
  }
}
