// What is wrong with a template file and where; and files that would block the editor.
import { createScanner, type Node } from "jsonc-parser";
import { t } from "../../lib/text.ts";
import type { Severity } from "./template-lint.ts";

/** Far larger than any template, and small enough not to block the editor. */
const MOST_CHARACTERS = 1_000_000;
const DEEPEST = 32;
/**
 * A readme of many thousands of lines becomes a list with as many items. A file with more parts than this is refused.
 */
const MOST_PARTS = 100_000;

export interface FileProblem {
  readonly severity: Severity;
  readonly message: string;
  /** In characters from the start of the text. */
  readonly offset: number;
  readonly length: number;
  /** `own`: a problem the editor can't find with the JSON schema. */
  readonly by: "syntax" | "schema" | "own";
  /** Text to put in the place of another that solves it. */
  readonly fix?: {
    readonly label: string;
    readonly offset: number;
    readonly length: number;
    readonly text: string;
  };
}

/** Detects what would block the editor: megabytes of text, or brackets nested thousands deep. */
export function findExcess(text: string): FileProblem | undefined {
  if (text.length > MOST_CHARACTERS)
    return createFileProblem(
      undefined,
      t("The file is too large for a template: {0} characters at most.", MOST_CHARACTERS),
    );
  const scanner = createScanner(text, true);
  let [depth, parts] = [0, 0];
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    parts += 1;
    if (parts > MOST_PARTS) return createFileProblem(undefined, t("The file has too many values for a template."));
    const first = text[scanner.getTokenOffset()];
    if (first === "{" || first === "[") depth += 1;
    if (first === "}" || first === "]") depth -= 1;
    if (depth > DEEPEST)
      return {
        ...createFileProblem(undefined, t("The file is nested too deeply for a template.")),
        offset: scanner.getTokenOffset(),
      };
  }
  return undefined;
}

export function createFileProblem(node: Node | undefined, message: string): FileProblem {
  return { severity: "error", message, offset: node?.offset ?? 0, length: node?.length ?? 1, by: "own" };
}
