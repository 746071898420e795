// The person's public keys on this computer: in files and in the agent. No file with a private key is ever opened.
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type PublicKey, readPublicKey } from "../../domain/connection/public-key.ts";
import { listAgentKeys } from "./ssh-program.ts";

/** Bytes. A public key is far shorter. */
const LARGEST = 16_384;

async function readKeyFile(path: string): Promise<PublicKey | undefined> {
  const file = await open(path).catch(() => undefined);
  if (!file) return undefined;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LARGEST), 0, LARGEST, 0);
    return readPublicKey(buffer.toString("utf8", 0, bytesRead));
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

/** The public keys in these folders (`*.pub`) and in the agent, each once. Never rejects. */
export async function listLocalKeys(folders: readonly string[]): Promise<readonly PublicKey[]> {
  const names = await Promise.all(
    folders.map(async (folder) => {
      const all = await readdir(folder).catch(() => []);
      return all.filter((name) => name.endsWith(".pub")).map((name) => join(folder, name));
    }),
  );
  const files = await Promise.all(names.flat().map(readKeyFile));
  const agent = (await listAgentKeys()).map(readPublicKey);
  const found = [...files, ...agent].filter((key) => key !== undefined);
  return [...new Map(found.map((key) => [key.blob, key])).values()];
}
