// Who commits, by a person's own configuration of git.

export interface GitIdentity {
  readonly name: string;
  readonly email: string;
}

const isPlain = (text: string): boolean =>
  text !== "" && text.length <= 200 && !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(text);

/** The last value of each name in `[user]`, as git reads it. What is included from other files isn't. */
export function readGitIdentity(texts: readonly string[]): GitIdentity | undefined {
  const found = new Map<string, string>();
  for (const text of texts) {
    let isUser = false;
    for (const line of text.slice(0, 1_000_000).split(/\r?\n/)) {
      const [, section] = /^\s*\[([^\]]*)\]/.exec(line) ?? [];
      if (section !== undefined) isUser = section.trim().toLowerCase() === "user";
      const [, name, value] = /^\s*(name|email)\s*=(.*)$/i.exec(line.slice(0, 1000)) ?? [];
      if (isUser && name !== undefined) found.set(name.toLowerCase(), readValue(value ?? ""));
    }
  }
  const [name, email] = [found.get("name") ?? "", found.get("email") ?? ""];
  return isPlain(name) && isPlain(email) ? { name, email } : undefined;
}

/** Quotes are taken away, and a comment outside of them. */
function readValue(written: string): string {
  let [value, isQuoted, isEscaped] = ["", false, false];
  for (const char of written) {
    if (isEscaped) {
      value += char;
      isEscaped = false;
    } else if (char === '"') isQuoted = !isQuoted;
    else if (char === "\\") isEscaped = true;
    else if (!isQuoted && (char === "#" || char === ";")) break;
    else value += char;
  }
  return value.trim();
}
