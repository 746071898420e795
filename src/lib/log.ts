// A log that accepts any value. It redacts what it writes and never throws.
import { redactText, redactValue } from "./redact.ts";

export type Level = "debug" | "info" | "warn" | "error";
type Sink = (level: Level, line: string) => void;

export interface Log {
  debug(text: string, detail?: unknown): void;
  info(text: string, detail?: unknown): void;
  warn(text: string, detail?: unknown): void;
  error(text: string, detail?: unknown): void;
}

/** Lines are cut at this length, after redaction: half a secret would no longer be recognized. */
const MOST = 20_000;
const MOST_READ = 1_000_000;

function line(text: string, detail: unknown): string {
  if (detail === undefined) return redactText(text.slice(0, MOST_READ)).slice(0, MOST);
  const shown = detail instanceof Error ? `${detail.name}: ${detail.message}` : JSON.stringify(redactValue(detail));
  return redactText(`${text} ${shown}`.slice(0, MOST_READ)).slice(0, MOST);
}

export function createLog(sink: Sink): Log {
  const at = (level: Level) => (text: string, detail?: unknown) => {
    try {
      sink(level, line(text, detail));
    } catch {
      // A detail that can't be read, or a closed channel, must not break the operation being logged.
    }
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

export const silentLog: Log = createLog(() => {});
