// One line per request, for tests and debugging. Contains no secret.
import { redactText } from "../../lib/redact.ts";
import { isSecretName } from "../../lib/secret-name.ts";

export interface RequestLine {
  /** Real time, ISO 8601. */
  readonly time: string;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Parsed JSON; null if there was no body, or if it isn't JSON, because then it can't be searched for secrets. */
  readonly body: unknown;
  /** HTTP status; null if the connection was cut instead. */
  readonly status: number | null;
}

/** The same line without secrets: masked by field name, and wherever a known key appears in a text. */
export function redactLine(line: RequestLine): RequestLine {
  const text = JSON.stringify(line, (name, value: unknown) => {
    if (isSecretName(name) && value) return "••••";
    if (typeof value === "string" && value.includes("PRIVATE KEY")) return "••••";
    return typeof value === "string" ? redactText(value) : value;
  });
  return JSON.parse(text) as RequestLine;
}
