// The API key: what may be pasted, and what must never be sent.

import { t } from "../../lib/text.ts";
import { AppError } from "./error.ts";

function refuse(reason: string): never {
  throw new AppError("rejected", reason, { fields: { apiKey: reason } });
}

/**
 * Reads a pasted key. Removes surrounding whitespace, quotes and a "Bearer " prefix.
 * Only 1 to 512 characters of printable ASCII are allowed: anything else can't be sent unchanged in a header.
 * @throws AppError `rejected`; the message never repeats the key.
 */
export function parseApiKey(input: string): string {
  let key = input.trim();
  key = key.replace(/^(["'])(.*)\1$/s, "$2").trim();
  key = key.replace(/^bearer(\s+|$)/i, "").trim();
  if (key === "") refuse(t("Enter an API key. You can find it on your account page."));
  if (key.length > 512)
    refuse(t("The API key is too long: {0} characters (maximum 512). Paste only the key.", key.length));
  if (!/^[\x21-\x7e]+$/.test(key)) {
    refuse(t("The API key contains a space, a line break, or an invalid character. Copy the key again."));
  }
  return key;
}
