// What happens while a log is followed, as plain data: `present` has the words.
import type { AppError } from "../base/error.ts";

/**
 * - `text`: what is new, safe for a terminal
 * - `gap`: lines between the text before and the text after may be missing
 * - `cut`: the log is too long, and its beginning was left out
 * - `empty`: there is no text yet
 * - `failed`: a reading failed; the next one follows
 * - `recovered`: a reading succeeded after one that failed
 *
 * After one of these, nothing more comes:
 * - `refused`: the service doesn't show this log
 * - `gone`: the machine is no longer in the account
 * - `left-account`: the person signed out or switched accounts
 */
export type LogEvent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "failed" | "refused"; readonly error: AppError }
  | { readonly kind: "gap" | "cut" | "empty" | "recovered" | "gone" | "left-account" };
