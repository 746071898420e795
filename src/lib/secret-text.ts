// Masks apparent secrets in scripts, flags and addresses. One pass from left to right: the time grows linearly with the
// length of the text, whatever its content.
import { isSecretName } from "./secret-name.ts";

/** A name or flag, or the place where an address may contain a login. */
const TOKEN = /[\w.-]+|:\/\//g;
const SPACE = /\s+/y;
const WORD = /\S+/y;
const VALUE = /[^\s'"]+/y;
/** In code, a shell goes on with something else after it. */
const CODE_VALUE = /[^\s'"`;|&<>()]+/y;
/** What a shell runs, or passes on to what it runs, in a value. */
const CODE = /[`;|&<>\n\r]|\$\(/;
/** A key over several lines, which nothing runs. */
const PEM = /^["']?-----BEGIN [A-Z ]{1,40}-----[\w+/=\s]+-----END [A-Z ]{1,40}-----\s*["']?$/;
const SEPARATOR = /[ =]+/y;
const USER = /[^\s/:@]*/y;
const PASSWORD = /[^\s/@]+/y;
/** Comes before a credential but isn't one: `Authorization: Bearer …`. */
const SCHEME = /^(?:bearer|basic|token)$/i;

/** Whether a shell that reads this value would do more than keep it. */
export const holdsCode = (value: string): boolean => CODE.test(value) && !PEM.test(value);

interface Span {
  readonly from: number;
  readonly to: number;
}

class Scanner {
  readonly text: string;
  /** Quotes known to have no closing partner further on, so the search runs once and not at every quote. */
  readonly #unclosed = new Set<string>();

  readonly #isCode: boolean;

  constructor(text: string, isCode: boolean) {
    this.text = text;
    this.#isCode = isCode;
  }

  /** Whether what would be masked is, or may be, run: whoever decides about a text that runs must see all that it does. */
  runs({ from, to }: Span): boolean {
    if (!this.#isCode) return false;
    const value = this.text.slice(from, to);
    const isSubstitution = value.endsWith("$") && this.text[to] === "(";
    return holdsCode(value) || isSubstitution || this.text[to] === "`";
  }

  /** Where a run of one kind that begins at `at` ends; `at` itself if there is none. */
  skip(run: RegExp, at: number): number {
    run.lastIndex = at;
    return run.test(this.text) ? run.lastIndex : at;
  }

  /** Where the value at `at` ends: a word or a quoted text. An unclosed quote extends to the end of its line. */
  valueEnd(at: number): number {
    const quote = this.text[at];
    if (quote !== '"' && quote !== "'") return this.skip(this.#isCode ? CODE_VALUE : VALUE, at);
    const close = this.#unclosed.has(quote) ? -1 : this.text.indexOf(quote, at + 1);
    if (close >= 0) return close + 1;
    this.#unclosed.add(quote);
    const line = this.text.indexOf("\n", at);
    return line < 0 ? this.text.length : line;
  }
}

/** The value of `name=value`, `name: value` and `"name": "value"`, where the name ends at `at`. */
function assigned(scanner: Scanner, at: number): Span | undefined {
  const { text } = scanner;
  const quoted = text[at] === '"' || text[at] === "'" ? at + 1 : at;
  const sign = scanner.skip(SPACE, quoted);
  if (text[sign] !== "=" && text[sign] !== ":") return undefined;
  if (text.startsWith("://", sign)) return undefined;
  const from = scanner.skip(SPACE, sign + 1);
  const to = scanner.valueEnd(from);
  if (!SCHEME.test(text.slice(from, Math.min(to, from + 10)))) return to > from ? { from, to } : undefined;
  const behind = scanner.skip(SPACE, to);
  return { from: behind, to: scanner.valueEnd(behind) };
}

/** The value of `--name value` and `--name=value`. Another flag is not a value. */
function flagged(scanner: Scanner, at: number): Span | undefined {
  const from = scanner.skip(SEPARATOR, at);
  if (from === at || scanner.text[from] === "-") return undefined;
  const to = scanner.valueEnd(from);
  return to > from ? { from, to } : undefined;
}

/** The token of a registry login, `-u name -p token`, where `at` is just after `-u`. */
function login(scanner: Scanner, at: number): Span | undefined {
  const user = scanner.skip(SPACE, at);
  const userEnd = scanner.skip(WORD, user);
  const flag = scanner.skip(SPACE, userEnd);
  if (user === at || userEnd === user || flag === userEnd || !scanner.text.startsWith("-p", flag)) return undefined;
  const from = scanner.skip(SPACE, flag + 2);
  const to = scanner.valueEnd(from);
  return from > flag + 2 && to > from ? { from, to } : undefined;
}

/** Characters; a user's name alone is rarely that long, and a token is never shorter. */
const LEAST_TOKEN = 16;

/** The password in `://name:password@host`, or the token in `://token@host`, where `at` is just after the slashes. */
function password(scanner: Scanner, at: number): Span | undefined {
  const colon = scanner.skip(USER, at);
  if (scanner.text[colon] === "@" && colon - at >= LEAST_TOKEN) return { from: at, to: colon };
  if (scanner.text[colon] !== ":") return undefined;
  const to = scanner.skip(PASSWORD, colon + 1);
  return to > colon + 1 && scanner.text[to] === "@" ? { from: colon + 1, to } : undefined;
}

function secretAfter(scanner: Scanner, token: string, end: number): Span | undefined {
  if (token === "://") return password(scanner, end);
  if (token === "-u") return login(scanner, end);
  if (!isSecretName(token)) return undefined;
  return assigned(scanner, end) ?? (token.startsWith("-") ? flagged(scanner, end) : undefined);
}

/**
 * The text with `mask` in place of every value that its name, flag or address marks as secret. In code, such a value ends where a shell
 * would end it, and one that holds code stays.
 */
export function maskNamedSecrets(text: string, mask: string, isCode = false): string {
  const scanner = new Scanner(text, isCode);
  let out = "";
  let from = 0;
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(text); token; token = TOKEN.exec(text)) {
    const end = TOKEN.lastIndex;
    const span = secretAfter(scanner, token[0], end);
    if (!span || scanner.runs(span)) continue;
    out += text.slice(from, span.from) + mask;
    from = span.to;
    TOKEN.lastIndex = span.to;
  }
  return out + text.slice(from);
}
