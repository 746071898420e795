// The host keys of machines, which exist in memory only.
import ssh2 from "ssh2";

const SAMPLE = Buffer.from("sandbox");
/** Far more than are ever needed. */
const MOST_TRIES = 100;

/** One in two hundred keys that the library makes can't be read by it, so each is tried before it is used. */
function isUsable(text: string): boolean {
  const key = ssh2.utils.parseKey(text);
  if (key instanceof Error) return false;
  const signature = key.sign(SAMPLE);
  return Buffer.isBuffer(signature) && key.verify(SAMPLE, signature) === true;
}

/** An Ed25519 key in OpenSSH's form. @throws Error if none can be made. */
export function createHostKey(): string {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const key = ssh2.utils.generateKeyPairSync("ed25519").private;
    if (isUsable(key)) return key;
  }
  throw new Error("No host key could be made");
}
