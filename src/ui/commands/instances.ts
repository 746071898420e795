// What can be done with instances from their rows and from the palette.
import * as vscode from "vscode";
import { AppError, asAppError } from "../../domain/error.ts";
import { InstanceId } from "../../domain/id.ts";
import { perHour } from "../../domain/money.ts";
import { views } from "../../ids.ts";
import { plain, t } from "../../lib/text.ts";
import { destroyDetail, instanceFacts, instanceName, phaseText, priceNow, totalBurn } from "../../present/instances.ts";
import { clock } from "../../present/state.ts";
import type { InstanceRow } from "../../services/instances.ts";
import { errorOf, lastOf } from "../../services/loaded.ts";
import { BACK, pick } from "../prompts/steps.ts";
import type { Services } from "../services.ts";

/**
 * The rows a command was given, as tree nodes or ids; given nothing, the person picks. What was given and is not there
 * is said, because a picker in its place would offer the wrong machine.
 */
export async function targets(
  { instances, session }: Services,
  args: readonly unknown[],
  title: string,
): Promise<readonly InstanceRow[]> {
  session.signedIn();
  const [first, many] = args;
  const given = (Array.isArray(many) && many.length > 0 ? many : [first]).flatMap((arg) => {
    const id = InstanceId.safeParse(
      typeof arg === "object" && arg !== null && "of" in arg ? (arg.of as InstanceRow | undefined)?.value.id : arg,
    );
    const row = id.success ? instances.find(id.data) : undefined;
    return row ? [row] : [];
  });
  if (given.length > 0) return given;
  if (first !== undefined)
    throw new AppError("not-found", t("That instance is not in the list (any more). Nothing was done."));
  if (!lastOf(instances.collection.store.current)) await instances.collection.refresh();
  if (instances.rows.length === 0) {
    void vscode.window.showInformationMessage(t("There are no instances."));
    return [];
  }
  const row = await pick({
    title,
    placeholder: t("Which instance?"),
    choices: instances.rows.map((row) => ({
      label: instanceName(row.value),
      description: `${phaseText(row.value)} · ${perHour(priceNow(row))} · ${row.value.id}`,
      value: row,
    })),
  });
  return row === undefined || row === BACK ? [] : [row];
}

export async function show(services: Services, args: readonly unknown[]): Promise<void> {
  const [row] = await targets(services, args, t("Show Instance"));
  if (!row) return;
  const now = services.instances.collection.store.current;
  const staleSince = errorOf(now) ? lastOf(now)?.at : undefined;
  const read = lastOf(now)?.at;
  const lines = instanceFacts({ ...row, tag: "", staleSince }).map(([name, value]) => `${name}: ${value}`);
  await services.documents.show(
    `${t("Instance {0}", row.value.id)}.txt`,
    [instanceName(row.value), read === undefined ? "" : t("As of {0}", clock(read)), "", ...lines, ""].join("\n"),
  );
}

export async function copyId(services: Services, args: readonly unknown[]): Promise<void> {
  const rows = await targets(services, args, t("Copy Instance ID"));
  if (rows.length > 0) await vscode.env.clipboard.writeText(rows.map((row) => row.value.id).join("\n"));
}

/** One modal for the whole set; success is what the service says afterwards. */
export async function destroy(services: Services, args: readonly unknown[]): Promise<void> {
  const rows = await targets(services, args, t("Destroy Instance"));
  if (rows.length === 0 || !(await confirmDestroy(rows))) return;
  const session = services.session.signedIn();
  const failures: string[] = [];
  await vscode.window.withProgress({ location: { viewId: views.instances } }, async () => {
    for (const { value } of rows) {
      if (services.session.current !== session) return;
      const failure = await destroyOne(services, value.id);
      if (failure !== undefined) failures.push(t("Instance {0}: {1}", value.id, failure));
    }
  });
  if (failures.length > 0) void vscode.window.showErrorMessage(failures.join(" "));
}

/** Why it is not known to be gone, or undefined when it is. A refusal is told in the service's words. */
async function destroyOne({ instances, log }: Services, id: InstanceId): Promise<string | undefined> {
  try {
    if (await instances.destroy(id)) return undefined;
    return t("the service does not confirm that it is gone; it may still be billed. Refresh, and try again.");
  } catch (thrown) {
    const error = asAppError(thrown);
    log.warn(`Destroying ${id} failed.`, error);
    return t("{0} It is still billed.", error.message);
  }
}

async function confirmDestroy(rows: readonly InstanceRow[]): Promise<boolean> {
  const [first] = rows;
  const message =
    rows.length === 1 && first
      ? t("Destroy instance {0} “{1}”?", first.value.id, plain(instanceName(first.value), 60))
      : t("Destroy {0} instances ({1} together)?", rows.length, totalBurn(rows));
  const go = t("Destroy");
  return (
    (await vscode.window.showWarningMessage(
      message,
      { modal: true, detail: rows.map(destroyDetail).join("\n\n") },
      go,
    )) === go
  );
}
