// Masks secrets, by field name and by known value, in every text that leaves the process's memory. Never throws: text
// that can't be redacted isn't shown, and no operation fails because of redaction.
import { KnownSecrets } from "./known-secrets.ts";
import { isSecretName } from "./secret-name.ts";
import { maskNamedSecrets } from "./secret-text.ts";

export const MASK = "••••";
const DEEPEST = 12;
/** Fields that hold variables, whose values may be secrets whatever their names. */
const ENVIRONMENTS = new Set(["env", "extra_env"]);

const known = new KnownSecrets();
/** The person's own alone: what anyone may read, no one else can declare secret. */
const own = new KnownSecrets();

/** Remembers one of the person's own secrets. From now on it is masked in any text. */
export function rememberSecret(value: string): void {
  known.rememberOwn(value);
  own.rememberOwn(value);
}

/** Whether the text holds one of the person's own secrets. */
export function holdsOwnSecret(text: string): boolean {
  return known.holdsOwn(text);
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

/** The person's own once more: a part of what a server sent may have been left, because we say it ourselves. */
const maskKnown = (text: string): string => own.mask(known.mask(text, MASK), MASK);

/** The text with every remembered secret and every bearer credential masked. */
export function redactText(text: string): string {
  return maskKnown(text.replace(/(bearer\s{1,100})\S+/gi, `$1${MASK}`));
}

/**
 * A script, flags or an address with apparent secrets masked: `HF_TOKEN=…`, `--api-key …`, `-u me -p …`,
 * `https://me:…@`. Remembered secrets are masked wherever they occur.
 */
export function maskSecrets(text: string): string {
  return maskNamedSecrets(redactText(text), MASK);
}

/** The same for what will run, such as a script: a value with code in it is shown, and so is whatever follows a value. */
export function maskCode(text: string): string {
  const read = text.replace(/(bearer\s{1,100})[^\s'"`;|&<>()$]+/gi, `$1${MASK}`);
  return maskNamedSecrets(maskKnown(read), MASK, true);
}

/** What everyone can read, with nothing masked but the person's own secrets. */
export function maskPublic(text: string): string {
  return own.mask(text, MASK);
}

/** Longer than any address a service accepts. */
const MOST_ADDRESS = 8192;

/**
 * A web address that is safe to show: chat and paging services put the secret into its path or query. Of what is no web address,
 * any part may be the secret.
 */
export function maskAddress(given: string): string {
  const text = given.slice(0, MOST_ADDRESS).trim();
  if (text === "") return "";
  const [scheme = "", rest = ""] = /^(https?:\/\/|\/\/)?(.*)$/is.exec(text)?.slice(1) ?? [];
  const isOther = scheme === "" && /^[a-z][a-z\d+.-]{0,30}:(?!\d)/i.test(rest);
  // Without its beginning, it is read as a browser reads it.
  if (isOther || !URL.canParse(`https://${rest}`)) return MASK;
  const { host, pathname, search, hash } = new URL(`https://${rest}`);
  const secret = (part: string) => part.length >= 20 || (part.length >= 12 && /\d/.test(part) && /[a-z]/i.test(part));
  if (scheme === "" && (!/[.:]/.test(host) || host.split(/[.:]/).some(secret))) return MASK;
  const path = pathname.split("/").map((part) => (secret(part) ? MASK : part));
  return redactText(
    `${scheme}${host}${path.join("/")}${search === "" ? "" : `?${MASK}`}${hash === "" ? "" : `#${MASK}`}`,
  );
}

/** A web address within a text. */
const ADDRESS = /\bhttps?:\/\/[^\s"'<>]{1,8192}/gi;

/** Like `maskSecrets`, and every web address in the text as `maskAddress` shows it. */
export function maskAddresses(text: string): string {
  return maskSecrets(text.replace(ADDRESS, maskAddress));
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
export function redactForReading(value: unknown, mask = maskSecrets): unknown {
  return redacted(value, ON_A_PAGE, mask, 0);
}

function redacted(value: unknown, room: Room, text: (text: string) => string, depth: number): unknown {
  if (typeof value === "string") return cut(value, room, text);
  if (typeof value === "bigint" || typeof value === "symbol") return String(value);
  if (typeof value === "function") return "…";
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEEPEST) return "…";
  const inner = (item: unknown) => redacted(item, room, text, depth + 1);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value.slice(0, room.items);
    return items.map((item, at) => (typeof item === "string" && isAnnounced(items, at) ? MASK : inner(item)));
  }
  const entries = entriesOf(value).slice(0, room.fields);
  const isPair = entries.some(([name, item]) => /^(name|key)$/i.test(name) && isSecretText(item));
  return Object.fromEntries(
    entries.map(([name, item]) => {
      const shown = cut(name, room, text);
      if (name === "env" && room === ON_A_PAGE && typeof item === "object" && item !== null)
        return [shown, Object.fromEntries(Object.keys(item).map((key) => [cut(key, room, text), MASK]))];
      const isSecret = isSecretName(name) || ENVIRONMENTS.has(name) || (isPair && /^value$/i.test(name));
      return [shown, isSecret && item ? MASK : inner(item)];
    }),
  );
}

const isSecretText = (name: unknown): boolean => typeof name === "string" && isSecretName(name);

/** Stands for a value. */
const SOME = "some0value";
/** Characters of a flag that are worth reading, and how many words can come before the secret one: `-u me -p`. */
const LONGEST_FLAG = 200;
const WORDS_BEFORE = 3;

/** Whether the item before says that this one is secret: `["--api-key", "…"]`, `["-u", "me", "-p", "…"]`, `["TOKEN", "…"]`. */
function isAnnounced(items: readonly unknown[], at: number): boolean {
  const last = items[at - 1];
  if (typeof last !== "string") return false;
  if (items.length === 2 && /^[a-z][\w.-]*$/i.test(last) && isSecretName(last)) return true;
  if (!last.startsWith("-") || last.includes("=")) return false;
  const words = items.slice(Math.max(0, at - WORDS_BEFORE), at).map((word) =>
    String(word)
      .slice(0, LONGEST_FLAG)
      .replaceAll(/[\s'"]/g, "_"),
  );
  return !maskNamedSecrets([...words, SOME].join(" "), MASK).endsWith(SOME);
}

/** The beginning of a text for a file, with apparent secrets masked as `maskSecrets` does. */
export function cutMasked(text: string, most: number): string {
  return cut(text.toWellFormed(), { text: most }, maskSecrets).slice(0, most);
}

/** In characters. A cut may fall in the middle of a secret this long. */
const LONGEST_SECRET = 8192;

/** Masks first and cuts afterward: half a secret isn't recognized as one, but is still secret. */
function cut(value: string, room: Pick<Room, "text">, text: (text: string) => string): string {
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
