// One line for every request served, for tests and for the curious; no secret is in it.
import { redactText } from "../../lib/redact.ts";
import { isSecretName } from "../../lib/secret-name.ts";

export interface RequestLine {
  /** Real time, ISO 8601. */
  readonly time: string;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Parsed JSON; null where there was none, or what came is not JSON and cannot be searched for secrets. */
  readonly body: unknown;
  /** HTTP status; null where the connection was cut instead. */
  readonly status: number | null;
}

/** The same line without secrets: masked by field name and wherever a known key stands in a text. */
export function redactLine(line: RequestLine): RequestLine {
  const text = JSON.stringify(line, (name, value: unknown) => {
    if (isSecretName(name) && value) return "••••";
    if (typeof value === "string" && value.includes("PRIVATE KEY")) return "••••";
    return typeof value === "string" ? redactText(value) : value;
  });
  return JSON.parse(text) as RequestLine;
}
