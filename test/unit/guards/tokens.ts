// TypeScript cut into tokens, as far as guards over the source need it: comments gone, texts told apart from names.

export interface Token {
  readonly kind: "name" | "text" | "sign" | "number" | "regex";
  /** A text without its quotes. */
  readonly text: string;
  readonly line: number;
}

const NAME = /[\p{ID_Start}$_#][\p{ID_Continue}$]*/uy;
const NUMBER = /\d[\w.]*/y;
const SPACE = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const QUOTED = /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/y;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const SIGN = /=>|\?\?=|\|\|=|&&=|===|!==|==|!=|\?\.|\?\?|[+\-*/%&|^]=|\.\.\.|[^\s]/uy;
/** A slash after one of these divides; after anything else it begins an expression. */
const ENDS_A_VALUE = new Set([")", "]", "}"]);
const WORDS_BEFORE_A_VALUE = new Set(["return", "typeof", "case", "in", "of", "await", "yield", "void", "throw"]);

export function tokens(source: string): Token[] {
  const found: Token[] = [];
  /** Open braces, by whether they stand in a template. */
  const braces: boolean[] = [];
  let at = 0;
  let line = 1;
  const match = (shape: RegExp): string | undefined => {
    shape.lastIndex = at;
    return shape.exec(source)?.[0];
  };
  const pass = (text: string, kind?: Token["kind"], shown = text) => {
    if (kind) found.push({ kind, text: shown, line });
    line += text.split("\n").length - 1;
    at += text.length;
  };
  const template = () => {
    const part = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;
    const text = match(part);
    if (text === undefined) throw new Error(`line ${line}: a template does not end`);
    const opens = text.endsWith("{");
    pass(text, "text", text.slice(0, opens ? -2 : -1));
    if (opens) braces.push(true);
  };
  const beginsAValue = (): boolean => {
    const last = found.at(-1);
    if (!last || last.kind === "sign") return !ENDS_A_VALUE.has(last?.text ?? "");
    return last.kind === "name" && WORDS_BEFORE_A_VALUE.has(last.text);
  };
  while (at < source.length) {
    const space = match(SPACE);
    const quoted = space === undefined ? match(QUOTED) : undefined;
    const name = match(NAME);
    const number = match(NUMBER);
    const regex = source[at] === "/" && beginsAValue() ? match(REGEX) : undefined;
    if (space !== undefined) pass(space);
    else if (quoted !== undefined) pass(quoted, "text", quoted.slice(1, -1));
    else if (name !== undefined) pass(name, "name");
    else if (number !== undefined) pass(number, "number");
    else if (regex !== undefined) pass(regex, "regex");
    else if (source[at] === "`") {
      pass("`");
      template();
    } else {
      const sign = match(SIGN) ?? source.charAt(at);
      pass(sign, "sign");
      if (sign === "{") braces.push(false);
      if (sign === "}" && braces.pop()) template();
    }
  }
  return found;
}
