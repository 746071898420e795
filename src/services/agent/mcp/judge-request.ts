// Whether a request to the shared tools is read at all. Any page in a browser can send one to this computer: it names itself in `Origin`, or, if
// it led a name of its own here, by that name in `Host`. Any program can: it doesn't have the token.
import { createHash, timingSafeEqual } from "node:crypto";

/** Of a request that arrived. */
export interface RequestHead {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headersDistinct: Readonly<Record<string, string[] | undefined>>;
}

/** Who may ask, and where. */
interface Door {
  readonly port: number;
  readonly token: string;
}

export const MCP_PATH = "/mcp";
/** Bytes. The longest call takes a few thousand. */
export const MOST_BODY = 1_000_000;

/** @returns the HTTP status that refuses it; undefined if it may be read. */
export function judgeRequest(
  { method, url, headersDistinct: headers }: RequestHead,
  { port, token }: Door,
): number | undefined {
  const host = getOnly(headers.host);
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return 403;
  if (headers.origin !== undefined) return 403;
  // Agents look for a place to sign in beside it, and go on without one.
  if (url !== MCP_PATH) return 404;
  if (!hasToken(getOnly(headers.authorization), token)) return 401;
  if (method !== "POST") return 405;
  if (!isPlainJson(headers)) return 415;
  return Number(getOnly(headers["content-length"])) > MOST_BODY ? 413 : undefined;
}

/** What is there twice may be read in two ways. */
const getOnly = (values: readonly string[] | undefined): string | undefined =>
  values?.length === 1 ? values[0] : undefined;

function hasToken(given: string | undefined, token: string): boolean {
  const [, shown] = /^Bearer +(\S+)$/i.exec(given ?? "") ?? [];
  // Digests are equally long, so nothing is told by how long it takes to compare them.
  return shown !== undefined && timingSafeEqual(hashToken(shown), hashToken(token));
}

const hashToken = (text: string): Buffer => createHash("sha256").update(text).digest();

const isPlainJson = (headers: RequestHead["headersDistinct"]): boolean =>
  headers["content-encoding"] === undefined &&
  /^application\/json\s*(?:;|$)/i.test(getOnly(headers["content-type"]) ?? "");
