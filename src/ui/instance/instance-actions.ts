// Actions that cost, stop or lose something: one question that names it, for one row or a whole selection.
import { asAppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { formatHourlyPrice, toPrice } from "../../domain/base/money.ts";
import { withoutLaunchToken } from "../../domain/instance/instance.ts";
import { parseLabel } from "../../domain/instance/label.ts";
import { parseBid } from "../../domain/offer/bid.ts";
import { views } from "../../ids.ts";
import { t, toPlainText } from "../../lib/text.ts";
import {
  buildOrderQuestion,
  buildStartQuestion,
  buildStateQuestion,
} from "../../present/instance/instance-questions.ts";
import { describeDestroyed, formatInstanceName, formatInstanceTitle } from "../../present/instance/instances.ts";
import { describeOrderFailures } from "../../present/instance/orders.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { InstanceRow } from "../../services/instance/instances.ts";
import type { OrderKind } from "../../services/instance/order-journal.ts";
import type { OrderEnd } from "../../services/instance/order-notices.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { askText } from "../kit/ask/steps.ts";
import { flashStatus, tellError, tellInfo, withViewProgress } from "../kit/messages.ts";
import { findOneTarget, findTargets, rereadRows } from "./instance-commands.ts";
import type { InstanceServices } from "./instance-services.ts";

/** Milliseconds for which the status bar says what was destroyed. */
const SAYS_DESTROYED = 15_000;

/** What remains to be reported about one row at the end; undefined if nothing. */
type Ending = string | undefined;

/**
 * Applies an action to each row in turn and reports the failures at the end. One failure doesn't stop the others; a
 * change of account does.
 */
async function each(
  { session, log }: InstanceServices,
  account: SignedIn,
  rows: readonly InstanceRow[],
  act: (id: InstanceId, title: string) => Promise<Ending>,
): Promise<void> {
  session.assertStill(account);
  const said: string[] = [];
  await withViewProgress(views.instances, async () => {
    for (const { value } of rows) {
      const ending = await act(value.id, formatInstanceTitle(value)).catch((thrown) => {
        const error = asAppError(thrown);
        log.warn(`An action on instance ${value.id} failed.`, error);
        return error.message;
      });
      if (ending !== undefined) said.push(t("Instance {0}: {1}", formatInstanceTitle(value), ending));
    }
  });
  if (said.length > 0) void tellError(said.join(" "));
}

/** The usual question before rows are destroyed or stopped. */
export const confirmOrder = (kind: OrderKind, rows: readonly InstanceRow[]): Promise<boolean> =>
  confirm(buildOrderQuestion(kind, rows));

/**
 * Destroys or stops what was confirmed. Each row shows its progress. Success is whatever the service reports afterward.
 */
/** `carryOut`: how they are carried out, if not as a person's orders are. */
export async function carryOutOrders(
  { orders, scheduler }: InstanceServices,
  account: SignedIn,
  kind: OrderKind,
  rows: readonly InstanceRow[],
  carryOut = () => orders.carryOut(account, kind, rows),
): Promise<readonly OrderEnd[]> {
  const ends = await withViewProgress(views.instances, carryOut);
  const titles = new Map<number, string>(rows.map(({ value }) => [value.id, formatInstanceTitle(value)]));
  const said = describeOrderFailures(ends, (id) => titles.get(id) ?? String(id));
  if (said !== undefined) void tellError(said, t("OK")).then(() => orders.acknowledge(ends));
  const now = scheduler.clock.now();
  const destroyed = describeDestroyed(
    ends,
    rows.map((row) => ({ ...row, now, staleSince: undefined, tag: account.tag })),
  );
  if (destroyed !== undefined) flashStatus(destroyed, SAYS_DESTROYED);
  return ends;
}

export async function destroyInstances(services: InstanceServices, args: readonly unknown[]): Promise<void> {
  const account = services.session.requireSignedIn();
  const chosen = await findTargets(services, args, t("Destroy Instance"));
  if (chosen.length === 0) return;
  const rows = await rereadRows(services, account, chosen);
  if (!(await confirmOrder("destroy", rows))) return;
  await carryOutOrders(services, account, "destroy", rows);
}

export async function stopInstances(services: InstanceServices, args: readonly unknown[]): Promise<void> {
  const account = services.session.requireSignedIn();
  const chosen = await findTargets(services, args, t("Stop Instance"));
  if (chosen.length === 0) return;
  const rows = await rereadRows(services, account, chosen);
  if (!(await confirmOrder("stop", rows))) return;
  await carryOutOrders(services, account, "stop", rows);
}

export async function startInstances(services: InstanceServices, args: readonly unknown[]): Promise<void> {
  const account = services.session.requireSignedIn();
  const chosen = await findTargets(services, args, t("Start Instance"));
  if (chosen.length === 0) return;
  const rows = await rereadRows(services, account, chosen);
  if (!(await confirm({ ...buildStartQuestion(rows), go: t("Start") }))) return;
  await each(services, account, rows, async (id, title) => {
    const change = await services.actions.start(account, id);
    if (change === "queued") {
      // The requested change will happen later, so this is information, not a failure.
      void tellInfo(
        t(
          "Instance {0} is queued: someone else is renting its GPU. The instance starts, and its GPU is billed, when the GPU is free. To cancel, stop the instance.",
          title,
        ),
      );
      return undefined;
    }
    return change === "done"
      ? undefined
      : t("the service doesn't show the instance starting yet. Refresh to check again.");
  });
}

export async function rebootInstances(services: InstanceServices, args: readonly unknown[]): Promise<void> {
  const account = services.session.requireSignedIn();
  const chosen = await findTargets(services, args, t("Reboot Instance"));
  if (chosen.length === 0) return;
  const rows = await rereadRows(services, account, chosen);
  if (!(await confirm({ ...buildStateQuestion("reboot", rows), go: t("Reboot") }))) return;
  await each(services, account, rows, async (id) => void (await services.actions.reboot(account, id)));
}

export async function renameInstance(services: InstanceServices, args: readonly unknown[]): Promise<void> {
  const account = services.session.requireSignedIn();
  const row = await findOneTarget(services, args, t("Rename Instance"));
  if (!row) return;
  await askText({
    title: t("Rename Instance"),
    prompt: t("New name of {0}", formatInstanceTitle(row.value)),
    value: withoutLaunchToken(row.value.label),
    read: (text) => services.actions.rename(account, row.value.id, parseLabel(text)),
  });
}

export async function changeBid(services: InstanceServices, args: readonly unknown[]): Promise<void> {
  const account = services.session.requireSignedIn();
  const chosen = await findOneTarget(services, args, t("Change Bid"));
  if (!chosen) return;
  const [row] = await rereadRows(services, account, [chosen]);
  if (!row) return;
  const { value } = row;
  const least = toPrice(value.min_bid);
  const price = await askText({
    title: t("Change Bid"),
    prompt:
      least === undefined
        ? t("Your bid in dollars per hour for the whole machine, excluding the disk")
        : t(
            "Your bid in dollars per hour for the whole machine, excluding the disk. The minimum right now is {0}.",
            formatHourlyPrice(least),
          ),
    read: (text) => parseBid(text, { min_bid: value.min_bid }),
  });
  if (typeof price !== "number") return;
  const name = toPlainText(formatInstanceName(value), 60);
  const sure = await confirm({
    message: t("Bid {0} for instance {1} “{2}”?", formatHourlyPrice(price), value.id, name),
    detail: t("You pay this price from now on, plus the disk. The machine runs until someone bids more."),
    go: t("Change Bid"),
  });
  if (sure) await services.actions.changeBid(account, value.id, price);
}
