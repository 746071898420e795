// A log that can be handed anything: what it writes has been redacted first.
import { redactText, redactValue } from "./redact.ts";

export type Level = "debug" | "info" | "warn" | "error";
export type Sink = (level: Level, line: string) => void;

export interface Log {
  debug(text: string, detail?: unknown): void;
  info(text: string, detail?: unknown): void;
  warn(text: string, detail?: unknown): void;
  error(text: string, detail?: unknown): void;
}

function line(text: string, detail: unknown): string {
  if (detail === undefined) return redactText(text);
  const shown = detail instanceof Error ? `${detail.name}: ${detail.message}` : JSON.stringify(redactValue(detail));
  return redactText(`${text} ${shown}`);
}

export function createLog(sink: Sink): Log {
  const at = (level: Level) => (text: string, detail?: unknown) => sink(level, line(text, detail));
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

export const silentLog: Log = createLog(() => {});
