// The service's address: what may be typed, and the normal form every request is built from.

import { t } from "../../lib/text.ts";
import { AppError } from "./error.ts";

export interface Address {
  /** The address without a trailing slash. The interface's paths are appended to it unchanged. */
  readonly base: string;
  /** Scheme, host and port: a key is bound to this. */
  readonly origin: string;
  /** The host for display. Encoded international names stay encoded. */
  readonly host: string;
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

function refuse(reason: string): never {
  throw new AppError("rejected", reason, { fields: { baseUrl: reason } });
}

/** True for the three names of this machine, compared exactly: no suffix or prefix matches. */
export function isLoopback(url: URL): boolean {
  return LOOPBACK.has(url.hostname);
}

/**
 * Reads a base address: HTTPS everywhere, HTTP on loopback only; no user info, query or fragment.
 * @throws AppError `rejected` with a message that says what to change.
 */
export function parseAddress(input: string): Address {
  const text = input.trim();
  if (text === "") refuse(t("Enter the service's address, such as https://gpu.example.com."));
  if (/[\s\\\p{Cc}\p{Cf}]/u.test(text))
    refuse(t("The address contains a space, a backslash, or an invisible character. Remove that character."));
  if (!/^https?:\/\/[^/]/i.test(text)) refuse(t("The address must start with https:// (or http:// on this computer)."));
  if (!URL.canParse(text)) refuse(t("The address isn't a valid URL. Check its spelling."));
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || /^https?:\/\/[^/?#]*@/i.test(text)) {
    refuse(t("The address can't contain a user name or password. Remove everything before the @."));
  }
  if (url.search !== "" || text.includes("?"))
    refuse(t("Remove the question mark and everything after it from the address."));
  if (url.hash !== "" || text.includes("#")) refuse(t("Remove the # and everything after it from the address."));
  if (url.protocol === "http:" && !isLoopback(url)) {
    refuse(
      t(
        "With an http:// address, your key would be sent unencrypted. Use https://. Only 127.0.0.1, [::1], and localhost can use http://.",
      ),
    );
  }
  const base = (url.origin + url.pathname).replace(/(?<!\/)\/+$/, "");
  return { base, origin: url.origin, host: url.host };
}
