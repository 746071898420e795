// Keeps secrets out of every text that leaves the process's memory: by the name of a field and by known value. Never throws:
// what cannot be redacted is not shown, and nothing that is going on fails over it.
import { KnownSecrets } from "./known-secrets.ts";
import { isSecretName } from "./secret-name.ts";
import { maskNamedSecrets } from "./secret-text.ts";

export const MASK = "••••";
const DEEPEST = 12;

const known = new KnownSecrets();

/** Remembers a secret of the person's own: it is cut out of any text from now on. */
export function rememberSecret(value: string): void {
  known.rememberOwn(value);
}

/** Remembers a secret a server sent. Short ones are only masked by name: they might be words of our own sentences. */
export function rememberServedSecret(value: string): void {
  known.rememberServed(value);
}

/** Remembers the secrets a server's record holds under telling names, so that they are found in other places, too. */
export function rememberSecretsIn(record: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(record))
    if (typeof value === "string" && isSecretName(name)) rememberServedSecret(value);
}

/** The text with every remembered secret and every bearer credential masked. */
export function redactText(text: string): string {
  return known.mask(text.replace(/(bearer\s{1,100})\S+/gi, `$1${MASK}`), MASK);
}

/**
 * A script, flags or an address with what looks like a secret masked: `HF_TOKEN=…`, `--api-key …`, `-u me -p …`,
 * `https://me:…@`. Remembered secrets are masked wherever they stand.
 */
export function maskSecrets(text: string): string {
  return maskNamedSecrets(redactText(text), MASK);
}

/** Longer than any address a service takes. */
const MOST_ADDRESS = 8192;

/** A web address that can be shown: chat and paging services put the secret into its path or query. */
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
 * A copy fit for a log: secret fields masked by name, secret values by value, deep or long parts cut.
 * Bounded in depth, because a reply 100,000 levels deep would overflow a recursive walk.
 */
export function redactValue(value: unknown): unknown {
  return redacted(value, IN_A_LOG, redactText, 0);
}

/** A copy fit for a person's eyes: like `redactValue`, but whole, with what looks like a secret masked in texts, too. */
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
      return [shown, (isSecretName(name) || name === "env") && item ? MASK : inner(item)];
    }),
  );
}

/** Characters. What is cut off may end in the middle of a secret this long. */
const LONGEST_SECRET = 8192;

/** Masked first and cut then: nobody finds half a secret, and it is half of a secret. */
function cut(value: string, room: Room, text: (text: string) => string): string {
  const read = value.slice(0, room.text + LONGEST_SECRET);
  const shown = text(read);
  // Masks are short: what stands at the end of the text may have moved far to the front.
  const sure = read.length < value.length ? Math.max(0, shown.length - LONGEST_SECRET) : shown.length;
  return shown.length > Math.min(sure, room.text) ? `${shown.slice(0, Math.min(sure, room.text))}…` : shown;
}

/** Also of an object whose properties throw when they are read. */
function entriesOf(value: object): [string, unknown][] {
  try {
    return Object.entries(value);
  } catch {
    return [];
  }
}
