// Which run a command is about: that of a row, one that a message named, or one that the person chooses.
import { AppError } from "../../domain/base/error.ts";
import { RunId } from "../../domain/base/id.ts";
import { mayRun } from "../../domain/instance/instance.ts";
import { canContinue, type RunRecord } from "../../domain/run/run-record.ts";
import { t } from "../../lib/text.ts";
import { buildRunLine } from "../../present/run/run-rows.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { pickOne } from "../kit/ask/pick.ts";
import { BACK } from "../kit/ask/steps.ts";
import { tellInfo } from "../kit/messages.ts";
import { readNodeValue } from "../list/targets.ts";
import { isOfThisWindow } from "./run-folder.ts";
import type { RunOnMachine } from "./run-rows.ts";
import type { RunServices } from "./run-services.ts";

export const readRunId = (given: unknown): RunId | undefined =>
  RunId.safeParse(readNodeValue<RunOnMachine>(given)?.run ?? given).data;

/** Once it is no longer in the list, the latest attempt that goes on with it. @throws AppError `not-found` if it was removed from the list, or is another account's. */
export async function findRun({ runs, session }: RunServices, account: SignedIn, id: RunId): Promise<RunRecord> {
  const all = await runs.readAll(account);
  const run =
    all.find((one) => one.id === id) ?? all.find(({ earlier }) => earlier?.some((before) => before.run === id));
  session.assertStill(account);
  if (!run) throw new AppError("not-found", t("This run is no longer in the list."));
  return run;
}

/** `none` is told if there is nothing to choose from. @returns undefined if the person chose none. */
export async function chooseRun(
  { runs, clock, session }: RunServices,
  account: SignedIn,
  { title, none }: { readonly title: string; readonly none: string },
  accepts: (run: RunRecord) => boolean,
): Promise<RunRecord | undefined> {
  const all = (await runs.readAll(account)).filter(accepts);
  if (all.length === 0) {
    void tellInfo(none);
    return undefined;
  }
  const chosen = await pickOne<RunRecord>({
    title,
    placeholder: t("Which run?"),
    choices: all.map((run) => ({ ...buildRunLine(run, clock.now()), value: run })),
  });
  session.assertStill(account);
  return chosen === BACK ? undefined : chosen;
}

export const describeNoRuns = (): string => t("There are no runs yet. To start one, choose Run on a GPU… for a file.");

/** As far as is known here, nothing works on it any longer. */
export function mayContinue({ instances }: RunServices, run: RunRecord): boolean {
  const row = instances.find(run.instance);
  return canContinue(run) && isOfThisWindow(run) && (row === undefined || !mayRun(row.value));
}
