// Texts about a stored list: why it is empty, and how old it is if the service can't be reached.
import type { AppError } from "../../domain/base/error.ts";
import { formatDateTime, formatTime, t } from "../../lib/text.ts";
import type { Why } from "./row.ts";

/** The part of a loaded list that these texts need. */
export interface ListCondition {
  readonly state: "idle" | "loading" | "ready" | "failed";
  /** The error of the last read, until a read succeeds. */
  readonly error?: AppError | undefined;
  /** Wall clock milliseconds of the last good read. */
  readonly at?: number | undefined;
  /** How the rows came about, if they aren't what a complete read returned. */
  readonly rows?: { readonly kind: "partial" } | { readonly kind: "remembered"; readonly now: number } | undefined;
  readonly count: number;
  readonly unreadable: number;
  /** False if the list is incomplete, so that "nothing there" can't be said. */
  readonly complete: boolean;
  /** Shown above the rows, and instead of "nothing there", if the service can't list them. */
  readonly remark?: string | undefined;
}

export function findEmptyReason({ state, error, count, at, rows, unreadable, complete, remark }: ListCondition): Why {
  if (state === "idle") return "signedOut";
  if (count > 0) return "rows";
  if (error) {
    if (error.kind === "key-refused") return "refused";
    return error.kind === "not-allowed" ? "forbidden" : "unreachable";
  }
  // What the first of several lists lacks, the next ones may have.
  if (state === "loading" && (at === undefined || rows?.kind === "partial")) return "loading";
  if (remark !== undefined) return "unlisted";
  return complete && unreadable === 0 ? "empty" : "incomplete";
}

/** `14:02` today, with the date on any other day. Both are wall clock milliseconds. */
export function formatMoment(at: number, now: number): string {
  return new Date(at).toDateString() === new Date(now).toDateString() ? formatTime(at) : formatDateTime(at);
}

/** The line above the rows: what went wrong and how old the rows are, or what couldn't be read. */
export function describeListCondition(condition: ListCondition): string | undefined {
  const { error, at, count, unreadable, complete, remark, rows } = condition;
  const when = (read: number) => (rows?.kind === "remembered" ? formatMoment(read, rows.now) : formatTime(read));
  const age = at === undefined || count === 0 ? undefined : t("Showing data from {0}.", when(at));
  if (error) return [error.message, age].filter(Boolean).join(" ");
  if (rows?.kind === "remembered") return [age, t("Loading…")].filter(Boolean).join(" ");
  if (rows?.kind === "partial") return t("Loading more…");
  if (unreadable > 0) return t("Entries from the service that couldn't be read: {0}.", unreadable);
  if (remark !== undefined) return remark;
  return complete ? undefined : t("The service sent an incomplete list. Some items may be missing.");
}
