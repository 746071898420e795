// Who commits, by a person's own configuration of git.
import { listGitValues } from "./git-config.ts";

export interface GitIdentity {
  readonly name: string;
  readonly email: string;
}

const isPlain = (text: string): boolean =>
  text !== "" && text.length <= 200 && !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(text);

/** The last value of each name in `[user]`, as git reads it. What is included from other files isn't. */
export function readGitIdentity(texts: readonly string[]): GitIdentity | undefined {
  const found = new Map<string, string>();
  for (const text of texts)
    for (const [name, written] of listGitValues(text, (heading) => heading.toLowerCase() === "user"))
      found.set(name, readValue(written));
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
