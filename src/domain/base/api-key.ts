// The bearer key: what may be pasted, and what must never be sent.

import { t } from "../../lib/text.ts";
import { AppError } from "./error.ts";

function refuse(reason: string): never {
  throw new AppError("rejected", reason, { fields: { apiKey: reason } });
}

/**
 * Reads a pasted key: surrounding blanks, quotes and a "Bearer " prefix are taken off.
 * Only printable ASCII is allowed, 1 to 512 characters: anything else cannot be sent in a header unchanged.
 * @throws AppError `rejected`; the sentence never repeats the key.
 */
export function parseApiKey(input: string): string {
  let key = input.trim();
  key = key.replace(/^(["'])(.*)\1$/s, "$2").trim();
  key = key.replace(/^bearer(\s+|$)/i, "").trim();
  if (key === "") refuse(t("API key: empty. Paste the key from your account page."));
  if (key.length > 512)
    refuse(t("API key: {0} characters are too many (512 at most). Paste the key alone.", key.length));
  if (!/^[\x21-\x7e]+$/.test(key)) {
    refuse(t("API key: it contains a space, a line break or a character that no key has. Copy it again."));
  }
  return key;
}
