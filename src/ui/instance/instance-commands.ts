// Commands on instances, from their rows and from the Command Palette.
import { AppError } from "../../domain/base/error.ts";
import { InstanceId } from "../../domain/base/id.ts";
import { formatHourlyPrice } from "../../domain/base/money.ts";
import { getCurrentPrice } from "../../domain/instance/instance.ts";
import { commands, views } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { formatInstanceName, formatPhase } from "../../present/instance/instances.ts";
import { getError, getLast } from "../../services/core/loaded.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { InstanceRow, InstancesService } from "../../services/instance/instances.ts";
import { parseInstanceId } from "../kit/ask/ask-id.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { pickOne } from "../kit/ask/pick.ts";
import { askText, BACK } from "../kit/ask/steps.ts";
import { copyText, tellInfo } from "../kit/messages.ts";
import { runCommand, showView } from "../kit/run-command.ts";
import { BY_KEY, filterOwnRows, readNodeValue, toRowArguments } from "../list/targets.ts";
import type { InstanceServices } from "./instance-services.ts";

/** Which instances are offered if none is named, and what is said if there are none of them. */
export interface Choosable {
  accepts(row: InstanceRow): boolean;
  none(): string;
}
const ANY: Choosable = { accepts: () => true, none: () => t("There are no instances.") };

/** One row for commands that act on one machine: the clicked one, also if others are selected with it. */
export async function findOneTarget(
  services: InstanceServices,
  [first]: readonly unknown[],
  title: string,
  choosable?: Choosable,
): Promise<InstanceRow | undefined> {
  const [row] = await findTargets(services, [first], title, choosable, 1);
  return row;
}

/**
 * The rows that a command was given as tree nodes or IDs. If it was given nothing, the rows that are selected in the
 * view, or else the person picks. A row that was given but no longer exists is an error: a picker in its place would
 * offer the wrong machine.
 */
export async function findTargets(
  { instances, session, selections }: InstanceServices,
  args: readonly unknown[],
  title: string,
  choosable: Choosable = ANY,
  most = Number.POSITIVE_INFINITY,
): Promise<readonly InstanceRow[]> {
  const account = session.requireSignedIn();
  const [first, many] = args;
  const isByKey = first === BY_KEY;
  const given = isByKey ? [] : rowsIn(instances, Array.isArray(many) && many.length > 0 ? many : [first]);
  if (given.length > 0 && given.length <= most) return given;
  const nodes = first === undefined || isByKey ? filterOwnRows(account, selections.listFor(views.instances)) : [];
  const selected = rowsIn(instances, nodes);
  const areKnown = nodes.every((node) => rowsIn(instances, [node]).length > 0);
  const isClear = selected.length > 0 && areKnown && selected.length <= most;
  if (isClear && selected.every(choosable.accepts)) return selected;
  if (isByKey)
    throw new AppError("rejected", t("This keyboard shortcut works only on loaded instances. Nothing was changed."));
  if (first !== undefined)
    throw new AppError("not-found", t("That instance is no longer in the list. Nothing was changed."));
  await instances.collection.getKnown();
  const rows = instances.rows.filter(choosable.accepts);
  if (rows.length === 0) {
    void tellInfo(choosable.none());
    return [];
  }
  const row = await pickOne({
    title,
    placeholder: t("Which instance?"),
    choices: rows.map((row) => ({ ...toInstanceChoice(row), value: row })),
  });
  return row === undefined || row === BACK ? [] : [row];
}

/** How an instance is shown in a list to choose from. */
export function toInstanceChoice(row: InstanceRow): { readonly label: string; readonly description: string } {
  return {
    label: formatInstanceName(row.value),
    description: `${formatPhase(row.value)} · ${formatHourlyPrice(getCurrentPrice(row))} · ${row.value.id}`,
  };
}

function rowsIn(instances: InstancesService, nodes: readonly unknown[]): readonly InstanceRow[] {
  const found = nodes.flatMap((node) => {
    // A row above several of them stands for all of them.
    const below = readNodeValue<{ readonly instances: unknown }>(node)?.instances;
    const ids: readonly unknown[] = Array.isArray(below)
      ? below
      : [readNodeValue<InstanceRow>(node)?.value?.id ?? node];
    return ids.flatMap((one) => {
      const id = InstanceId.safeParse(one);
      const row = id.success ? instances.find(id.data) : undefined;
      return row ? [row] : [];
    });
  });
  return [...new Set(found)];
}

/** Asks whether to destroy an instance that a message of this account named. */
export async function destroyById({ session }: InstanceServices, account: SignedIn, id: InstanceId): Promise<void> {
  const [row] = toRowArguments(session, account, [{ id }]);
  await runCommand(commands.instanceDestroy, row);
}

export async function copyId(services: InstanceServices, args: readonly unknown[]): Promise<void> {
  const rows = await findTargets(services, args, t("Copy Instance ID"));
  const ids = rows.map(({ value }) => value.id);
  if (ids.length > 0) await copyText(ids.join("\n"), t("Copied {0}", ids.join(", ")));
}

/** Shows an instance by its ID, for services without a list and for rentals made elsewhere. */
export async function trackInstance({ session, instances }: InstanceServices): Promise<void> {
  session.requireSignedIn();
  const row = await askText({
    title: t("Track Instance by ID"),
    prompt: t("Instance ID, as shown on the service's website"),
    placeholder: "31000001",
    read: (text) => instances.track(parseInstanceId(text)),
  });
  if (row === undefined || row === BACK) return;
  await showView(views.instances, true);
}

/** Only for instances that no list contains: a listed one would come back. */
export async function forgetInstances(services: InstanceServices, args: readonly unknown[]): Promise<void> {
  const account = services.session.requireSignedIn();
  const rows = await findTargets(services, args, t("Stop Tracking Instance"));
  const listed = getLast(services.instances.collection.store.current)?.value.listed !== false;
  if (rows.length === 0) return;
  if (listed)
    throw new AppError("rejected", t("The service lists this instance, so it stays visible as long as it exists."));
  const billed = rows.filter((row) => !row.gone);
  const sure =
    billed.length === 0 ||
    (await confirm({
      message:
        billed.length === 1
          ? t("Stop tracking 1 instance that may still be billed?")
          : t("Stop tracking {0} instances that may still be billed?", billed.length),
      detail: t(
        "The instances aren't destroyed. They'll disappear from this view. To see them again, use Track Instance by ID.",
      ),
      go: t("Stop Tracking"),
      close: t("Keep Showing"),
    }));
  if (!sure) return;
  services.session.assertStill(account);
  for (const row of rows) services.instances.untrack(row.value.id);
}

/** The rows as the service has them now: a question must not show outdated facts. */
export async function rereadRows(
  { instances, session }: InstanceServices,
  account: SignedIn,
  rows: readonly InstanceRow[],
): Promise<readonly InstanceRow[]> {
  session.assertStill(account);
  await instances.collection.refresh();
  session.assertStill(account);
  const failure = getError(instances.collection.store.current);
  if (failure) throw failure;
  const now = rows.flatMap((row) => {
    const found = instances.find(row.value.id);
    return found && !found.gone ? [found] : [];
  });
  if (now.length > 0) return now;
  throw new AppError("not-found", t("That instance is no longer in your account. Nothing was changed."));
}
