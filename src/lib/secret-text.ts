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
/** The same where no quote is open: what follows a backslash belongs to the word. */
const ESCAPED_VALUE = /[^\s'"`;|&<>()\\]*(?:\\[\\;|&<>() \t]?[^\s'"`;|&<>()\\]*)*/y;
const ESCAPE = /\\[\\;|&<>() \t]/g;
/** What a shell runs, or passes on to what it runs, in a value. */
const CODE = /[`;|&<>\n\r]|\$\(/;
/** What a shell runs within double quotes, and what a program may run of a variable. */
const SUBSTITUTION = /`|\$\(/;
/** Keys and certificates over several lines, with their headers, which nothing runs. */
const PEM =
  /^["']?(?:-----BEGIN [A-Z\d ]{1,40}-----(?:\r?\n[A-Za-z][\w-]*: [^\r\n`$;|&<>()]*)*[\w+/=\s]+-----END [A-Z\d ]{1,40}-----\s*)+["']?$/;
const SEPARATOR = /[ =]+/y;
const USER = /[^\s/:@]*/y;
const PASSWORD = /[^\s/@]+/y;
/** Comes before a credential but isn't one: `Authorization: Bearer …`. */
const SCHEME = /^(?:bearer|basic|token)$/i;

/** Whether a shell that reads this value would do more than keep it. */
const holdsCode = (value: string): boolean => CODE.test(value) && !PEM.test(value);

/** Whether a variable's value may be a text to run. A shell that uses a variable runs none of the signs in it. */
export const isScript = (value: string): boolean =>
  SUBSTITUTION.test(value) || (/[\n\r]/.test(value.trim()) && !PEM.test(value));

interface Span {
  readonly from: number;
  readonly to: number;
}

/** What runs its words, or what is written to it, as a script once more, where quotes of this one keep nothing from being code. */
const RUNS_WORDS =
  /(?:^|[\s;|&(`"'/])(?:eval|trap|alias|xargs|parallel|ssh|su|watch|-[a-z]*c|[a-z]*sh)(?=[\s;|&)`"']|$)/m;
/** What a shell itself keeps: a program may run what it is given. */
const ASSIGNMENT = /(?:^|[\n;&|])[ \t]*(?:(?:export|readonly)[ \t]+)?\w+=$/;
const LONGEST_START = 200;
/** A substitution, or an expansion of more than a name. */
const NESTING = /\$(?:\(|\{(?!\w+\}))/y;

/** Which quotes are open where in a script. Reads on from where it was asked last. */
class Quotes {
  readonly #text: string;
  #at = 0;
  #open: "" | "'" | '"' = "";
  /** Where texts are nested that have quotes of their own. */
  #isUnsure: boolean;

  constructor(text: string) {
    this.#text = text;
    this.#isUnsure = RUNS_WORDS.test(text);
  }

  /** Whether surely none is open there. */
  areClosed(at: number): boolean {
    while (this.#at < at && !this.#isUnsure) this.#step();
    return !this.#isUnsure && this.#open === "" && this.#at === at;
  }

  #step(): void {
    const sign = this.#text[this.#at] ?? "";
    if (this.#open === "'") this.#open = sign === "'" ? "" : "'";
    else if (sign === "\\") this.#at += 1;
    else if (this.#open === '"') this.#stepInDouble(sign);
    else this.#stepOutside(sign);
    this.#at += 1;
  }

  #stepInDouble(sign: string): void {
    if (sign === '"') this.#open = "";
    NESTING.lastIndex = this.#at;
    if (sign === "`" || (sign === "$" && NESTING.test(this.#text))) this.#isUnsure = true;
  }

  #stepOutside(sign: string): void {
    const before = this.#text[this.#at - 1] ?? "\n";
    if (sign === "'" || sign === '"') this.#open = sign;
    // A quote that reads escapes, and a text up to a word of its own.
    if ((this.#open !== "" && before === "$") || (sign === "<" && before === "<")) this.#isUnsure = true;
    if (sign !== "#" || !/[\s;|&()]/.test(before)) return;
    const line = this.#text.indexOf("\n", this.#at);
    this.#at = line < 0 ? this.#text.length : line;
  }
}

class Scanner {
  readonly text: string;
  /** Quotes known to have no closing partner further on, so the search runs once and not at every quote. */
  readonly #unclosed = new Set<string>();

  readonly #isCode: boolean;
  readonly #quotes: Quotes;

  constructor(text: string, isCode: boolean) {
    this.text = text;
    this.#isCode = isCode;
    this.#quotes = new Quotes(text);
  }

  /** Whether what would be masked is, or may be, run: whoever decides about a text that runs must see all that it does. */
  runs({ from, to }: Span): boolean {
    if (!this.#isCode) return false;
    const value = this.text.slice(from, to);
    if (this.#quotes.areClosed(from) && ASSIGNMENT.test(this.text.slice(Math.max(0, from - LONGEST_START), from))) {
      if (/^'[^']*'$/.test(value)) return false;
      if (/^"[^"]*"$/.test(value)) return SUBSTITUTION.test(value);
      if (!/^["']/.test(value)) return this.#goesOn(value.replaceAll(ESCAPE, ""), to);
    }
    return this.#goesOn(value, to);
  }

  /** Whether a word, or what follows it at `to`, holds code. */
  #goesOn(value: string, to: number): boolean {
    const isSubstitution = value.endsWith("$") && this.text[to] === "(";
    return holdsCode(value) || isSubstitution || this.text[to] === "`";
  }

  /** Where a run of one kind that begins at `at` ends; `at` itself if there is none. */
  skip(run: RegExp, at: number): number {
    run.lastIndex = at;
    return run.test(this.text) ? run.lastIndex : at;
  }

  /** Where the value at `at` ends: a word or a quoted text. An unclosed quote extends to the end of its line. */
  findValueEnd(at: number): number {
    const quote = this.text[at];
    if (quote !== '"' && quote !== "'") return this.skip(this.#wordAt(at), at);
    const close = this.#unclosed.has(quote) ? -1 : this.text.indexOf(quote, at + 1);
    if (close >= 0) return close + 1;
    this.#unclosed.add(quote);
    const line = this.text.indexOf("\n", at);
    return line < 0 ? this.text.length : line;
  }

  #wordAt(at: number): RegExp {
    if (!this.#isCode) return VALUE;
    return this.#quotes.areClosed(at) ? ESCAPED_VALUE : CODE_VALUE;
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
  const to = scanner.findValueEnd(from);
  if (!SCHEME.test(text.slice(from, Math.min(to, from + 10)))) return to > from ? { from, to } : undefined;
  const behind = scanner.skip(SPACE, to);
  return { from: behind, to: scanner.findValueEnd(behind) };
}

/** The value of `--name value` and `--name=value`. Another flag isn't a value. */
function flagged(scanner: Scanner, at: number): Span | undefined {
  const from = scanner.skip(SEPARATOR, at);
  if (from === at || scanner.text[from] === "-") return undefined;
  const to = scanner.findValueEnd(from);
  return to > from ? { from, to } : undefined;
}

/** The token of a registry login, `-u name -p token`, where `at` is just after `-u`. */
function login(scanner: Scanner, at: number): Span | undefined {
  const user = scanner.skip(SPACE, at);
  const userEnd = scanner.skip(WORD, user);
  const flag = scanner.skip(SPACE, userEnd);
  if (user === at || userEnd === user || flag === userEnd || !scanner.text.startsWith("-p", flag)) return undefined;
  const from = scanner.skip(SPACE, flag + 2);
  const to = scanner.findValueEnd(from);
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
