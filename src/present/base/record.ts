// A record of the service as a page to read: whole, with its secrets masked and nothing in it that moves other text.
import { redactForReading } from "../../lib/redact.ts";
import { plain } from "../../lib/text.ts";

/** Characters that show nothing and may turn the order of what stands around them. */
const INVISIBLE = /[\p{Cf}\u2028\u2029]/gu;

/** JSON below lines of comment. */
export function recordText(remarks: readonly string[], record: unknown): string {
  const json = JSON.stringify(redactForReading(record), undefined, 2) ?? "null";
  const shown = json.replace(INVISIBLE, (char) =>
    [...Array(char.length).keys()].map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
  return [...remarks.map((line) => `// ${plain(line, 500)}`), shown, ""].join("\n");
}
