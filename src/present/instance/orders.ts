// Texts about orders to destroy or stop: their progress, what failed, and what an earlier window left unfinished.
import type { OrderResult } from "../../domain/instance/order-result.ts";
import { formatDateTime, t } from "../../lib/text.ts";

/** The state of an order in progress. */
export interface OrderState {
  readonly kind: "destroy" | "stop";
  readonly stage: "waiting" | "sending" | "checking" | "failed";
}

export function formatOrder({ kind, stage }: OrderState): string {
  if (kind === "destroy") {
    if (stage === "waiting") return t("waiting to be destroyed");
    return stage === "sending" ? t("destroying…") : t("destroying, waiting for confirmation");
  }
  if (stage === "waiting") return t("waiting to be stopped");
  return stage === "sending" ? t("stopping…") : t("stopping, waiting for confirmation");
}

/**
 * What failed, and what that means for money. Undefined if nothing failed. `called` says what people call an instance, if
 * that is known.
 */
export function describeOrderFailures(
  ends: readonly OrderResult[],
  called: (id: number) => string = String,
): string | undefined {
  const ids = (all: readonly OrderResult[]): string => all.map(({ id }) => called(id)).join(", ");
  const failed = ends.filter(({ outcome }) => outcome === "failed");
  const left = ends.filter(({ outcome }) => outcome === "left");
  const said = failed.map(({ id, kind, reason = "" }) =>
    kind === "destroy"
      ? t("Instance {0} may still exist and cost money. {1}", called(id), reason)
      : t("Instance {0} may still be running at full price. {1}", called(id), reason),
  );
  if (left.length > 0)
    said.push(
      t(
        "You switched accounts before Cloud GPU was done with these instances: {0}. They still cost money. Cloud GPU continues when you switch back.",
        ids(left),
      ),
    );
  const elsewhere = ends.filter(({ outcome }) => outcome === "elsewhere");
  if (elsewhere.length > 0)
    said.push(
      t("Another window took over: {0}. That window notifies you if an instance still costs money.", ids(elsewhere)),
    );
  return said.length === 0 ? undefined : said.join(" ");
}

const ids = (all: readonly { readonly id: number }[]): string => all.map(({ id }) => id).join(", ");

/** What this window finished of an earlier window's orders. */
export function describeFinishedOrders(ends: readonly OrderResult[]): string {
  const said: string[] = [];
  const [destroyed, stopped] = (["destroy", "stop"] as const).map((kind) =>
    ends.filter((end) => end.kind === kind && end.outcome === "done"),
  );
  if (destroyed?.length) said.push(t("Destroyed {0}, as you asked before the window closed.", instances(destroyed)));
  if (stopped?.length) said.push(t("Stopped {0}, as you asked before the window closed.", instances(stopped)));
  return [...said, describeOrderFailures(ends)].filter(Boolean).join(" ");
}

/** Unfinished orders of one kind that are too old to be carried out without asking. `at` epoch milliseconds. */
export function describeStaleOrders(
  orders: readonly { readonly id: number; readonly kind: "destroy" | "stop"; readonly at: number }[],
): string {
  const [first] = orders;
  const when = first ? formatDateTime(first.at) : "";
  return first?.kind === "stop"
    ? t(
        "You asked to stop {0} ({1}), but the service hasn't confirmed that. You may still be billed at full price.",
        instances(orders),
        when,
      )
    : t(
        "You asked to destroy {0} ({1}), but the service hasn't confirmed that. You may still be billed.",
        instances(orders),
        when,
      );
}

function instances(all: readonly { readonly id: number }[]): string {
  return all.length === 1 ? t("instance {0}", ids(all)) : t("instances {0}", ids(all));
}
