// What costs, stops or loses something: one question that names it, for one row or a whole selection.
import * as vscode from "vscode";
import { asAppError } from "../../domain/error.ts";
import type { InstanceId } from "../../domain/id.ts";
import { ownLabel } from "../../domain/instance.ts";
import { parseBid, parseLabel } from "../../domain/launch-plan.ts";
import { knownPrice, perHour } from "../../domain/money.ts";
import { views } from "../../ids.ts";
import { plain, t } from "../../lib/text.ts";
import { destroyQuestion, startQuestion, stateQuestion } from "../../present/instance-questions.ts";
import { instanceName } from "../../present/instances.ts";
import type { InstanceRow } from "../../services/instances.ts";
import { confirm } from "../prompts/confirm.ts";
import { ask } from "../prompts/steps.ts";
import type { Services } from "../services.ts";
import { reread, targets } from "./instances.ts";

/** What is still to be said of one row when all are done; undefined where nothing is. */
type Ending = string | undefined;

/**
 * Does one thing to each row, one after the other, and says at the end what did not come about. A failure of one row
 * does not keep the others from their turn; another account signed in meanwhile does.
 */
async function each(
  { session, log }: Services,
  rows: readonly InstanceRow[],
  act: (id: InstanceId) => Promise<Ending>,
): Promise<void> {
  const account = session.signedIn();
  const said: string[] = [];
  await vscode.window.withProgress({ location: { viewId: views.instances } }, async () => {
    for (const { value } of rows) {
      if (session.current !== account) return;
      const ending = await act(value.id).catch((thrown) => {
        const error = asAppError(thrown);
        log.warn(`An action on instance ${value.id} failed.`, error);
        return error.message;
      });
      if (ending !== undefined) said.push(t("Instance {0}: {1}", value.id, ending));
    }
  });
  if (said.length > 0) void vscode.window.showErrorMessage(said.join(" "));
}

/** Success is what the service says afterwards. */
export async function destroy(services: Services, args: readonly unknown[]): Promise<void> {
  const chosen = await targets(services, args, t("Destroy Instance"));
  if (chosen.length === 0) return;
  const rows = await reread(services, chosen);
  if (!(await confirm({ ...destroyQuestion(rows), go: t("Destroy"), keep: t("Keep") }))) return;
  await each(services, rows, async (id) => {
    try {
      if (await services.actions.destroy(id)) return undefined;
      return t("the service does not confirm that it is gone; it may still be billed. Refresh, and try again.");
    } catch (thrown) {
      services.log.warn(`Destroying ${id} failed.`, thrown);
      return t("{0} It may still be billed.", asAppError(thrown).message);
    }
  });
}

export async function start(services: Services, args: readonly unknown[]): Promise<void> {
  const chosen = await targets(services, args, t("Start Instance"));
  if (chosen.length === 0) return;
  const rows = await reread(services, chosen);
  if (!(await confirm({ ...startQuestion(rows), go: t("Start") }))) return;
  await each(services, rows, async (id) => {
    const change = await services.actions.start(id);
    if (change === "queued") {
      const said = t(
        "queued. Its GPU is rented by somebody else; it starts, and is billed, when that ends. Stop it to take that back.",
      );
      // What was asked for will come about, later: that is news and no failure.
      void vscode.window.showInformationMessage(t("Instance {0}: {1}", id, said));
      return undefined;
    }
    return change === "done" ? undefined : t("the service does not show it starting. Refresh, and look again.");
  });
}

export async function stop(services: Services, args: readonly unknown[]): Promise<void> {
  const chosen = await targets(services, args, t("Stop Instance"));
  if (chosen.length === 0) return;
  const rows = await reread(services, chosen);
  if (!(await confirm({ ...stateQuestion("stop", rows), go: t("Stop") }))) return;
  await each(services, rows, async (id) =>
    (await services.actions.stop(id))
      ? undefined
      : t("the service does not show it stopping; it may still be billed in full."),
  );
}

export async function reboot(services: Services, args: readonly unknown[]): Promise<void> {
  const chosen = await targets(services, args, t("Reboot Instance"));
  if (chosen.length === 0) return;
  const rows = await reread(services, chosen);
  if (!(await confirm({ ...stateQuestion("reboot", rows), go: t("Reboot") }))) return;
  await each(services, rows, async (id) => void (await services.actions.reboot(id)));
}

export async function rename(services: Services, args: readonly unknown[]): Promise<void> {
  const [row] = await targets(services, args, t("Rename Instance"));
  if (!row) return;
  const account = services.session.signedIn();
  await ask({
    title: t("Rename Instance"),
    prompt: t("Its new name"),
    value: ownLabel(row.value.label),
    read: async (text) => {
      const name = parseLabel(text);
      if (services.session.current !== account) return false;
      return services.actions.rename(row.value.id, name);
    },
  });
}

export async function changeBid(services: Services, args: readonly unknown[]): Promise<void> {
  const [chosen] = await targets(services, args, t("Change Bid"));
  if (!chosen) return;
  const [row] = await reread(services, [chosen]);
  if (!row) return;
  const { value } = row;
  const least = knownPrice(value.min_bid);
  const price = await ask({
    title: t("Change Bid"),
    prompt:
      least === undefined
        ? t("Dollars an hour for the whole machine, without its disk")
        : t(
            "Dollars an hour for the whole machine, without its disk; the lowest that runs it now is {0}",
            perHour(least),
          ),
    read: (text) => parseBid(text, { min_bid: value.min_bid }),
  });
  if (typeof price !== "number") return;
  const name = plain(instanceName(value), 60);
  const sure = await confirm({
    message: t("Bid {0} for instance {1} “{2}”?", perHour(price), value.id, name),
    detail: t(
      "It is billed at this price from now on, and runs for as long as nobody bids more. Its disk comes on top.",
    ),
    go: t("Change Bid"),
  });
  if (sure) await services.actions.changeBid(value.id, price);
}
