// The token at the start of a launch's label. It identifies the rental even if the response is lost.
import { randomBytes } from "node:crypto";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** One confirmed launch. It is created when the summary opens, so that a second click uses the same one. */
export interface Intent {
  readonly token: string;
}

/** 80 random bits in base32 after `vsc-`: five of each byte. */
export function createIntent(): Intent {
  const word = Array.from(randomBytes(16), (byte) => ALPHABET[byte % ALPHABET.length]).join("");
  return { token: `vsc-${word}` };
}

/** The label that is sent. The token comes first, so that truncation never removes it; 128 characters at most. */
export function formatLaunchLabel(intent: Intent, own: string): string {
  return `${intent.token} ${own}`.trim().slice(0, 128);
}
