// What can be done with instances from their rows and from the palette.
import * as vscode from "vscode";
import { InstanceId } from "../../domain/id.ts";
import { perHour } from "../../domain/money.ts";
import { plain, t } from "../../lib/text.ts";
import { destroyDetail, instanceFacts, instanceName, phaseText, priceNow, totalBurn } from "../../present/instances.ts";
import type { InstanceRow } from "../../services/instances.ts";
import { errorOf, lastOf } from "../../services/loaded.ts";
import type { Documents } from "../documents.ts";
import { BACK, pick } from "../prompts/steps.ts";
import type { Services } from "../services.ts";

/** The rows a command was given: tree nodes, an id, or nothing, then the person picks. Anything else means nothing. */
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
  if (!lastOf(instances.collection.store.current)) await instances.collection.refresh();
  const row = await pick({
    title,
    placeholder: instances.rows.length === 0 ? t("There are no instances") : t("Which instance?"),
    choices: instances.rows.map((row) => ({
      label: instanceName(row.value),
      description: `${phaseText(row.value)} · ${perHour(priceNow(row))} · ${row.value.id}`,
      value: row,
    })),
  });
  return row === undefined || row === BACK ? [] : [row];
}

export async function show(documents: Documents, services: Services, args: readonly unknown[]): Promise<void> {
  const [row] = await targets(services, args, t("Show Instance"));
  if (!row) return;
  const now = services.instances.collection.store.current;
  const staleSince = errorOf(now) ? lastOf(now)?.at : undefined;
  const lines = instanceFacts({ ...row, tag: "", staleSince }).map(([name, value]) => `${name}: ${value}`);
  await documents.show(
    `${t("Instance {0}", row.value.id)}.txt`,
    [instanceName(row.value), "", ...lines, ""].join("\n"),
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
  const left: string[] = [];
  await vscode.window.withProgress({ location: { viewId: "cloudGpu.instances" } }, async () => {
    for (const row of rows) {
      const gone = await services.instances.destroy(row.value.id).catch((error) => {
        services.log.warn(`Destroying ${row.value.id} failed.`, error);
        return false;
      });
      if (!gone) left.push(String(row.value.id));
    }
  });
  if (left.length > 0) {
    void vscode.window.showErrorMessage(
      t(
        "The service does not confirm that {0} is gone. It may still be billed: refresh, and try again.",
        left.join(", "),
      ),
    );
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
