// The person's public keys on this computer: in files and in the agent. No file with a private key is ever opened.
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
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

/**
 * The keys of this computer, by their public halves: in these folders (`*.pub`, beside the private half) and in the agent,
 * each once. A public key without its private half is somebody else's. Never rejects.
 */
export async function listLocalKeys(folders: readonly string[]): Promise<readonly PublicKey[]> {
  const names = await Promise.all(
    folders.map(async (folder) => {
      const all = await readdir(folder).catch(() => []);
      const keys = all.filter((name) => name.endsWith(".pub")).slice(0, MOST_FILES);
      return keys.map((name) => join(folder, name));
    }),
  );
  const files = (await Promise.all(names.flat().map(readKeyFile))).filter((key) => key?.file !== undefined);
  const agent = (await listAgentKeys()).map(readPublicKey);
  const found = [...agent, ...files].filter((key) => key !== undefined);
  return [...new Map(found.map((key) => [key.blob, key])).values()];
}
