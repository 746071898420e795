// A service's record as a readable page: complete, with secrets masked and no characters that move other text.
import { redactForReading } from "../../lib/redact.ts";
import { toPlainText } from "../../lib/text.ts";

/** Invisible characters, some of which change the direction of the text around them. */
const INVISIBLE = /[\p{Cf}\u2028\u2029]/gu;

/** Indented JSON. */
export function formatRecordJson(record: unknown): string {
  const json = JSON.stringify(redactForReading(record), undefined, 2) ?? "null";
  return json.replace(INVISIBLE, (char) =>
    [...Array(char.length).keys()].map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
}

/** JSON, preceded by comment lines. */
export function formatRecord(remarks: readonly string[], record: unknown): string {
  return [...remarks.map((line) => `// ${toPlainText(line, 500)}`), formatRecordJson(record), ""].join("\n");
}
