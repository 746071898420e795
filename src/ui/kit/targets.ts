// Finds the row for a command: given as a tree node or an ID, or picked by the person.
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { WireId } from "../../domain/base/id.ts";
import type { Row } from "../../domain/base/wire.ts";
import { t } from "../../lib/text.ts";
import type { Refreshable } from "../../services/core/refresher.ts";
import type { SessionService, SignedIn } from "../../services/core/session.ts";
import { BACK, type Choice, pick } from "./steps.ts";

export interface Aim<R> {
  readonly title: string;
  readonly placeholder: string;
  readonly collection: Refreshable;
  /** Called after the list is read. The given row is looked up again, because arguments aren't trusted. */
  readonly rows: () => readonly R[];
  readonly choice: (row: R) => Choice<R>;
  /** Shown if the list is empty. */
  readonly none: string;
}

/**
 * What a tree node stands for, if the editor passed one to a command. Other extensions can pass anything, so each part
 * of it may be missing, and an ID in it must be looked up.
 */
export function nodeValue<R>(given: unknown): Partial<R> | undefined {
  if (typeof given !== "object" || given === null || !("of" in given)) return undefined;
  return typeof given.of === "object" && given.of !== null ? (given.of as Partial<R>) : undefined;
}

/**
 * @throws AppError: `not-found` for a row that doesn't exist (any more), otherwise the reason the list can't be read.
 */
export async function target<R extends Row<{ readonly id: number }>>(
  aim: Aim<R>,
  given: unknown,
): Promise<R | undefined> {
  if (given !== undefined) {
    const id = WireId.safeParse(nodeValue<R>(given)?.value?.id ?? given);
    const row = id.success ? aim.rows().find(({ value }) => value.id === id.data) : undefined;
    if (row) return row;
    throw new AppError("not-found", t("That is not in the list (any more). Nothing was done."));
  }
  const chosen = await pick<R>({
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
      throw new AppError("rejected", t("You switched accounts in the meantime. Nothing was done."), { notSent: true });
  }
}

/**
 * Instances named in a message of an account, as arguments for a command. They still work after signing in to the same
 * account again. In another account, the command rejects them.
 */
export function rowsOf(
  session: SessionService,
  account: SignedIn,
  named: readonly { readonly id: InstanceId }[],
): readonly { readonly of: { readonly value: { readonly id: InstanceId } }; readonly account: SignedIn }[] {
  const { current } = session;
  const owner = current.kind === "signed-in" && current.tag === account.tag ? current : account;
  return named.map(({ id }) => ({ of: { value: { id } }, account: owner }));
}
