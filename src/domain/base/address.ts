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
  if (text === "") refuse(t("Address: empty. Type the service's address, such as https://gpu.example.com."));
  if (/[\s\\\p{Cc}\p{Cf}]/u.test(text))
    refuse(t("Address: it contains a space, a backslash or an invisible character. Remove it."));
  if (!/^https?:\/\/[^/]/i.test(text)) refuse(t("Address: it must start with https:// (or http:// on this machine)."));
  if (!URL.canParse(text)) refuse(t("Address: it cannot be read as a web address. Check its spelling."));
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || /^https?:\/\/[^/?#]*@/i.test(text)) {
    refuse(t("Address: a user name or password does not belong in it. Remove everything before the @."));
  }
  if (url.search !== "" || text.includes("?")) refuse(t("Address: remove the question mark and what follows it."));
  if (url.hash !== "" || text.includes("#")) refuse(t("Address: remove the # and what follows it."));
  if (url.protocol === "http:" && !isLoopback(url)) {
    refuse(
      t(
        "Address: http:// would send your key unprotected. Use https:// (http:// is for 127.0.0.1, [::1] and localhost only).",
      ),
    );
  }
  const base = (url.origin + url.pathname).replace(/\/+$/, "");
  return { base, origin: url.origin, host: url.host };
}
