// Finds the row for a command: given as a tree node or an ID, or picked by the person.
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { WireId } from "../../domain/base/id.ts";
import type { Row } from "../../domain/base/wire.ts";
import { t } from "../../lib/text.ts";
import type { Refreshable } from "../../services/core/refresher.ts";
import { renewAccount } from "../../services/core/renew-account.ts";
import type { SessionService, SignedIn } from "../../services/core/session.ts";
import { type Choice, pickOne } from "../kit/ask/pick.ts";
import { BACK } from "../kit/ask/steps.ts";

export interface Aim<R> {
  readonly title: string;
  readonly placeholder: string;
  readonly collection: Refreshable;
  /** Called after the list is read. The given row is looked up again, because arguments aren't trusted. */
  readonly rows: () => readonly R[];
  /** The rows that are selected in the view, for a command that was given none. */
  readonly selected: readonly unknown[];
  readonly choice: (row: R) => Choice<R>;
  /** Shown if the list is empty. */
  readonly none: string;
}

/**
 * What a tree node stands for, if the editor passed one to a command. Other extensions can pass anything, so each part
 * of it may be missing, and an ID in it must be looked up.
 */
export function readNodeValue<R>(given: unknown): Partial<R> | undefined {
  if (typeof given !== "object" || given === null || !("of" in given)) return undefined;
  return typeof given.of === "object" && given.of !== null ? (given.of as Partial<R>) : undefined;
}

/**
 * Whether a row of this kind was given, by the first word of its context. A button beside a view's name is given the row
 * that has the focus, whatever it is.
 */
export function isRowOf(kind: string, given: unknown): boolean {
  if (typeof given !== "object" || given === null || !("view" in given)) return false;
  const { view } = given;
  if (typeof view !== "object" || view === null || !("context" in view)) return false;
  return typeof view.context === "string" && view.context.split(" ")[0] === kind;
}

/**
 * @throws AppError: `not-found` for a row that doesn't exist (any longer), otherwise the reason the list can't be read.
 */
export async function findTarget<R extends Row<{ readonly id: number }>>(
  aim: Aim<R>,
  given: unknown,
): Promise<R | undefined> {
  if (given !== undefined) {
    const id = WireId.safeParse(readNodeValue<R>(given)?.value?.id ?? given);
    // A row can be drawn before the rest of its list has arrived.
    if (id.success && aim.rows().length === 0) await aim.collection.refresh();
    const row = id.success ? aim.rows().find(({ value }) => value.id === id.data) : undefined;
    if (row) return row;
    throw new AppError("not-found", t("That item is no longer in the list. Nothing was changed."));
  }
  const [selected] = aim.selected;
  const id = WireId.safeParse(readNodeValue<R>(selected)?.value?.id);
  const row = id.success && aim.rows().find(({ value }) => value.id === id.data);
  if (row) return row;
  const chosen = await pickOne<R>({
    title: aim.title,
    placeholder: aim.placeholder,
    choices: async () => {
      if (aim.rows().length === 0) await aim.collection.refresh();
      const { current } = aim.collection.store;
      if (aim.rows().length === 0 && current.state === "failed") throw current.error;
      return aim.rows().length === 0 ? [{ label: aim.none }] : aim.rows().map(aim.choice);
    },
  });
  return chosen === BACK ? undefined : chosen;
}

/**
 * Rejects rows that were drawn for another account: another window may have switched accounts while the row's menu was
 * open.
 * @throws AppError `rejected`.
 */
export function assertOwnRows(session: SessionService, args: readonly unknown[]): void {
  for (const arg of args.flat()) {
    if (typeof arg !== "object" || arg === null || !("account" in arg) || arg.account === undefined) continue;
    if (arg.account !== session.current)
      throw new AppError("rejected", t("You switched accounts. Nothing was changed."), { notSent: true });
  }
}

/**
 * Rejects the command of a row that the editor no longer knows: during a full redraw, it forgets every row until it has
 * read them again, and passes `undefined` for the one that was clicked. A selected row, or a picker, in its place could
 * be the wrong one.
 * @throws AppError `not-found`.
 */
export function assertRowKnown(args: readonly unknown[]): void {
  if (args.length > 0 && args[0] === undefined)
    throw new AppError("not-found", t("The list was just redrawn. Nothing was changed. Choose the row again."));
}

/** The argument that key bindings pass: the command is for the rows with the focus, and for nothing in their place. */
export const BY_KEY = "selection";

/** Those of the rows that were drawn for this account. */
export function filterOwnRows(account: SignedIn, rows: readonly unknown[]): readonly unknown[] {
  return rows.filter((row) => typeof row === "object" && row !== null && "account" in row && row.account === account);
}

/**
 * Instances named in a message of an account, as arguments for a command. They still work after signing in to the same
 * account again. In another account, the command rejects them.
 */
export function toRowArguments(
  session: SessionService,
  account: SignedIn,
  named: readonly { readonly id: InstanceId }[],
): readonly { readonly of: { readonly value: { readonly id: InstanceId } }; readonly account: SignedIn }[] {
  const owner = renewAccount(session, account);
  return named.map(({ id }) => ({ of: { value: { id } }, account: owner }));
}
