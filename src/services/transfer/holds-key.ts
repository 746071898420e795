// What is in a file that may be a key by its name. A name alone tells a key from a list of IDs badly.
import { constants, open } from "node:fs/promises";
import { isPrivateKeyText, KEY_HEAD, LARGEST_KEY } from "../../domain/transfer/upload-list.ts";

/** A link or a pipe may have taken the file's place: neither is followed, nor waited for. */
export const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Whether a file of this size, in bytes, is a private key. One that can't be read may be. */
export async function holdsPrivateKey(path: string, size: number): Promise<boolean> {
  if (size > LARGEST_KEY) return false;
  const file = await open(path, READ_FLAGS).catch(() => undefined);
  try {
    const { buffer, bytesRead } = (await file?.read(Buffer.alloc(KEY_HEAD), 0, KEY_HEAD, 0)) ?? {};
    return !buffer || isPrivateKeyText(buffer.toString("latin1", 0, bytesRead));
  } catch {
    return true;
  } finally {
    await file?.close();
  }
}
