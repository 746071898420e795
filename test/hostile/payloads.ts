// What a hostile service, host or stranger writes into every text there is.

/** An icon no one draws: it is searched for in the window. */
export const ICON = "squirrel";
/** Nothing listens there; a request to it is seen in the window's own log. */
export const TRACKER = "https://127.0.0.1:9/t";

const LONG = 24 * 1024;

export const PAYLOADS: readonly string[] = [
  "[x](command:workbench.action.terminal.new)",
  "[y](command:cloudGpu.instance.destroy?%5B31000001%5D)",
  `$(${ICON}) $(trash)`,
  "<img src=x onerror=alert(1)>",
  "<script>alert(2)</script>",
  `![i](${TRACKER})`,
  "[z](file:///etc/passwd) file:///etc/passwd",
  "\u001b[31mred\u001b[0m\u0007",
  "a\u202Eb\u2066c\u2069",
  "z\u200Be\u200Dr\uFEFFo",
  "\uD800abcd1234 \uDC00",
  "one\r\ntwo\n](command:a)\nthree",
  "x](command:workbench.action.terminal.new) [",
  "-token ".repeat(LONG / 7),
  "w".repeat(LONG),
  `"'\`\\\${x} \`code\``,
  "%s %d %00 %2e%2e%2f %5Bx%5D(command:a)",
  "{0} {1} {{x}}",
];

/** Hands the texts out in turn, to each field on its own; the same text of the same field always gets the same one. */
export class Rotation {
  readonly #turns = new Map<string, number>();
  readonly #given = new Map<string, string>();
  readonly #all: readonly string[];

  constructor(all: readonly string[] = PAYLOADS) {
    this.#all = all;
  }

  next(field: string, text?: string): string {
    const key = `${field} ${text}`;
    const given = text === undefined ? undefined : this.#given.get(key);
    if (given !== undefined) return given;
    // Fields begin at different places, so that a row shows several kinds at once.
    const start = [...field].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
    const turn = this.#turns.get(field) ?? start;
    this.#turns.set(field, turn + 1);
    const next = this.#all[turn % this.#all.length] ?? "";
    if (text !== undefined) this.#given.set(key, next);
    return next;
  }
}
