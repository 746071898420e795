// Keeps secrets out of every text that leaves the process's memory: by the name of a field and by known value.

const SECRET_NAME =
  /(^|[_-])(authorization|api_?key|private_?key|token|secret|password|passwd|pass|credentials?|image_login|cookie)$/i;
export const MASK = "••••";
const DEEPEST = 12;

const known = new Set<string>();

/** Remembers a secret so that it is cut out of any text from now on. Values below 4 characters would blank innocent text. */
export function rememberSecret(value: string): void {
  if (value.length >= 4) known.add(value);
}

/**
 * Remembers the secrets a record holds under telling names, so that they are found in other places, too. Short ones are
 * only masked by name: they might be words.
 */
export function rememberSecretsIn(record: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(record))
    if (typeof value === "string" && value.length >= 8 && SECRET_NAME.test(name)) rememberSecret(value);
}

/** The text with every remembered secret and every bearer credential masked. */
export function redactText(text: string): string {
  let out = text.replace(/(bearer\s+)\S+/gi, `$1${MASK}`);
  for (const secret of known) {
    for (const form of [secret, encodeURIComponent(secret)]) {
      if (out.includes(form)) out = out.split(form).join(MASK);
    }
  }
  return out;
}

/**
 * A script, flags or an address with what looks like a secret masked: `HF_TOKEN=…`, `--api-key …`, `-u me -p …`,
 * `https://me:…@`. Remembered secrets are masked wherever they stand.
 */
export function maskSecrets(text: string): string {
  const value = `("[^"]*"|'[^']*'|[^\\s'"]+)`;
  const named = new RegExp(`([\\w-]*(?:TOKEN|KEY|SECRET|PASS|PWD|CREDENTIAL)\\w*\\s*[=:]\\s*)${value}`, "gi");
  const flag = new RegExp(
    `(--?[\\w-]*(?:token|key|secret|pass|pwd|credential|login|auth)[\\w-]*[ =]+)(?!-)${value}`,
    "gi",
  );
  const login = new RegExp(`(-u\\s+\\S+\\s+-p\\s+)${value}`, "g");
  return redactText(text)
    .replace(/(:\/\/[^\s/:@]+):[^\s/@]+@/g, `$1:${MASK}@`)
    .replace(login, `$1${MASK}`)
    .replace(named, `$1${MASK}`)
    .replace(flag, `$1${MASK}`);
}

/** A web address that can be shown: chat and paging services put the secret into its path or query. */
export function maskAddress(text: string): string {
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
  if (typeof value === "string") return text(value.length > room.text ? `${value.slice(0, room.text)}…` : value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEEPEST) return "…";
  const inner = (item: unknown) => redacted(item, room, text, depth + 1);
  if (Array.isArray(value)) return value.slice(0, room.items).map(inner);
  const entries = Object.entries(value).slice(0, room.fields);
  return Object.fromEntries(
    entries.map(([name, item]) => {
      if (name === "env" && room === ON_A_PAGE && typeof item === "object" && item !== null)
        return [name, Object.fromEntries(Object.keys(item).map((key) => [key, MASK]))];
      return [name, (SECRET_NAME.test(name) || name === "env") && item ? MASK : inner(item)];
    }),
  );
}
