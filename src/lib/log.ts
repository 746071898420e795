// A log that can be handed anything: what it writes has been redacted first, and writing it never throws.
import { redactText, redactValue } from "./redact.ts";

export type Level = "debug" | "info" | "warn" | "error";
export type Sink = (level: Level, line: string) => void;

export interface Log {
  debug(text: string, detail?: unknown): void;
  info(text: string, detail?: unknown): void;
  warn(text: string, detail?: unknown): void;
  error(text: string, detail?: unknown): void;
}

/** A line longer than this helps nobody. It is cut after it was redacted: half a secret is found by nobody. */
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
      // A detail that cannot be read, or a channel that was closed, must not fail what is being logged.
    }
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

export const silentLog: Log = createLog(() => {});
