// Masks secrets, by field name and by known value, in every text that leaves the process's memory. Never throws: text
// that can't be redacted is not shown, and no operation fails because of redaction.
import { KnownSecrets } from "./known-secrets.ts";
import { isSecretName } from "./secret-name.ts";
import { maskNamedSecrets } from "./secret-text.ts";

export const MASK = "••••";
const DEEPEST = 12;
/** Fields that hold variables, whose values may be secrets whatever their names. */
const ENVIRONMENTS = new Set(["env", "extra_env"]);

const known = new KnownSecrets();

/** Remembers one of the person's own secrets. From now on it is masked in any text. */
export function rememberSecret(value: string): void {
  known.rememberOwn(value);
}

/**
 * Remembers a secret a server sent. Short ones are masked by field name only, because they could be words of our own
 * messages.
 */
export function rememberServedSecret(value: string): void {
  known.rememberServed(value);
}

/** Remembers the values a server's record holds under secret names, so that they are masked in other places too. */
export function rememberSecretsIn(record: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(record))
    if (typeof value === "string" && isSecretName(name)) rememberServedSecret(value);
}

/** The text with every remembered secret and every bearer credential masked. */
export function redactText(text: string): string {
  return known.mask(text.replace(/(bearer\s{1,100})\S+/gi, `$1${MASK}`), MASK);
}

/**
 * A script, flags or an address with apparent secrets masked: `HF_TOKEN=…`, `--api-key …`, `-u me -p …`,
 * `https://me:…@`. Remembered secrets are masked wherever they occur.
 */
export function maskSecrets(text: string): string {
  return maskNamedSecrets(redactText(text), MASK);
}

/** Longer than any address a service accepts. */
const MOST_ADDRESS = 8192;

/** A web address that is safe to show: chat and paging services put the secret into its path or query. */
export function maskAddress(given: string): string {
  const text = given.slice(0, MOST_ADDRESS);
  if (!URL.canParse(text)) return maskSecrets(text);
  const { protocol, host, pathname, search, hash } = new URL(text);
  const secret = (part: string) => part.length >= 20 || (part.length >= 12 && /\d/.test(part) && /[a-z]/i.test(part));
  const path = pathname.split("/").map((part) => (secret(part) ? MASK : part));
  return redactText(
    `${protocol}//${host}${path.join("/")}${search === "" ? "" : `?${MASK}`}${hash === "" ? "" : `#${MASK}`}`,
  );
}

interface Room {
  readonly text: number;
  readonly items: number;
  readonly fields: number;
}

const IN_A_LOG: Room = { text: 2000, items: 50, fields: 200 };
const ON_A_PAGE: Room = { text: 100_000, items: 5000, fields: 5000 };

/**
 * A copy for the log: secrets are masked by field name and by value, and deep or long parts are cut.
 * The depth is bounded because a recursive walk of a response 100,000 levels deep would overflow the stack.
 */
export function redactValue(value: unknown): unknown {
  return redacted(value, IN_A_LOG, redactText, 0);
}

/** A copy for display: like `redactValue` but uncut, with apparent secrets in texts masked too. */
export function redactForReading(value: unknown): unknown {
  return redacted(value, ON_A_PAGE, maskSecrets, 0);
}

function redacted(value: unknown, room: Room, text: (text: string) => string, depth: number): unknown {
  if (typeof value === "string") return cut(value, room, text);
  if (typeof value === "bigint" || typeof value === "symbol") return String(value);
  if (typeof value === "function") return "…";
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEEPEST) return "…";
  const inner = (item: unknown) => redacted(item, room, text, depth + 1);
  if (Array.isArray(value)) return value.slice(0, room.items).map(inner);
  const entries = entriesOf(value).slice(0, room.fields);
  return Object.fromEntries(
    entries.map(([name, item]) => {
      const shown = cut(name, room, text);
      if (name === "env" && room === ON_A_PAGE && typeof item === "object" && item !== null)
        return [shown, Object.fromEntries(Object.keys(item).map((key) => [cut(key, room, text), MASK]))];
      return [shown, (isSecretName(name) || ENVIRONMENTS.has(name)) && item ? MASK : inner(item)];
    }),
  );
}

/** In characters. A cut may fall in the middle of a secret this long. */
const LONGEST_SECRET = 8192;

/** Masks first and cuts afterward: half a secret isn't recognized as one, but is still secret. */
function cut(value: string, room: Room, text: (text: string) => string): string {
  const read = value.slice(0, room.text + LONGEST_SECRET);
  const shown = text(read);
  // Masks are short, so text from near the end of the window may have moved far forward.
  const sure = read.length < value.length ? Math.max(0, shown.length - LONGEST_SECRET) : shown.length;
  return shown.length > Math.min(sure, room.text) ? `${shown.slice(0, Math.min(sure, room.text))}…` : shown;
}

/** Also handles objects whose properties throw when read. */
function entriesOf(value: object): [string, unknown][] {
  try {
    return Object.entries(value);
  } catch {
    return [];
  }
}
