// What a log's terminal and document say about the log, in lines between its own.
import type { LogEvent } from "../../domain/connection/log-event.ts";
import type { LogSource } from "../../domain/connection/log-text.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import { t, toLabel } from "../../lib/text.ts";
import { formatInstanceName } from "../instance/instances.ts";

/** Megabytes of a log that are shown at most. */
const MOST_MB = 8;

const nameOf = (instance: Instance) => toLabel(formatInstanceName(instance), 60);

/** The title of the terminal. */
export function formatLogTitle(instance: Instance, source: LogSource): string {
  return source === "daemon"
    ? t("Daemon Log: {0} · {1}", instance.id, nameOf(instance))
    : t("Log: {0} · {1}", instance.id, nameOf(instance));
}

/** The first line of the terminal. */
export function formatLogHeader(instance: Instance, source: LogSource): string {
  return source === "daemon"
    ? t("Reading the daemon log of instance {0} ({1})…", instance.id, nameOf(instance))
    : t("Reading the log of instance {0} ({1})…", instance.id, nameOf(instance));
}

/** The line for an event; undefined for the log's own text. */
export function describeLogEvent(event: LogEvent): string | undefined {
  switch (event.kind) {
    case "text":
      return undefined;
    case "gap":
      return t("Some lines may be missing here.");
    case "cut":
      return cutText();
    case "empty":
      return t("The log is empty so far.");
    case "failed":
      return t("Couldn't read the log. Trying again. {0}", event.error.message);
    case "recovered":
      return t("The log is available again.");
    case "refused":
      return event.error.message;
    case "gone":
      return t("The instance is no longer in your account. Its log has ended.");
    case "left-account":
      return t("You signed out or switched accounts. The log is no longer followed.");
  }
}

const cutText = (): string => t("Only the last {0} MB of the log is shown.", MOST_MB);

/** A log as a document. `text` is plain; `at` is the time it was read, in words. */
export function formatLogDocument(
  instance: Instance,
  { text, isCut, at }: { readonly text: string; readonly isCut: boolean; readonly at: string },
): string {
  const head = [t("Log of instance {0} ({1}), as of {2}", instance.id, nameOf(instance), at)];
  if (isCut) head.push(cutText());
  return `${head.join("\n")}\n\n${text === "" ? `${t("The log is empty so far.")}\n` : text}`;
}
