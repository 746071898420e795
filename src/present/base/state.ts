// Texts about a stored list: why it is empty, and how old it is if the service can't be reached.
import type { AppError } from "../../domain/base/error.ts";
import { t } from "../../lib/text.ts";
import type { Why } from "./row.ts";

/** The part of a loaded list that these texts need. */
export interface ListCondition {
  readonly state: "idle" | "loading" | "ready" | "failed";
  /** The error of the last read, until a read succeeds. */
  readonly error?: AppError | undefined;
  /** Wall clock milliseconds of the last good read. */
  readonly at?: number | undefined;
  readonly count: number;
  readonly unreadable: number;
  /** False if the list is incomplete, so that "nothing there" can't be said. */
  readonly complete: boolean;
  /** Shown above the rows, and instead of "nothing there", if the service can't list them. */
  readonly remark?: string | undefined;
}

export function whyEmpty({ state, error, count, at, unreadable, complete, remark }: ListCondition): Why {
  if (state === "idle") return "signedOut";
  if (count > 0) return "rows";
  if (error) {
    if (error.kind === "key-refused") return "refused";
    return error.kind === "not-allowed" ? "forbidden" : "unreachable";
  }
  if (state === "loading" && at === undefined) return "loading";
  if (remark !== undefined) return "unlisted";
  return complete && unreadable === 0 ? "empty" : "incomplete";
}

/** `14:02`. */
export function clock(at: number): string {
  return new Date(at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", hour12: false });
}

/** The line above the rows: what went wrong and how old the rows are, or what couldn't be read. */
export function banner({ error, at, count, unreadable, complete, remark }: ListCondition): string | undefined {
  if (error) {
    const age = at === undefined || count === 0 ? "" : ` ${t("Shown as of {0}.", clock(at))}`;
    return `${error.message}${age}`;
  }
  if (unreadable > 0) return t("{0} entries the service sent could not be read.", unreadable);
  if (remark !== undefined) return remark;
  return complete ? undefined : t("The service sent an incomplete list; more may be there.");
}
