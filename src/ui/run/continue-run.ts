// Continue on Another Instance…: a run whose instance was lost goes on with its results so far, on one that is rented for it.
import { AppError } from "../../domain/base/error.ts";
import type { LaunchDraft } from "../../domain/launch/launch-draft.ts";
import type { RunRecord } from "../../domain/run/run-record.ts";
import { t, toPlainText } from "../../lib/text.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { proposeAgain } from "../../services/launch/rent-again.ts";
import { withLateNotification } from "../kit/late-notification.ts";
import { withStatusProgress } from "../kit/messages.ts";
import { chooseRun, findRun, mayContinue, readRunId } from "./find-run.ts";
import { rentAndRun } from "./run-commands.ts";
import { assertTrusted, isOfThisWindow } from "./run-folder.ts";
import type { RunServices } from "./run-services.ts";
import type { RunTerminals } from "./run-terminals.ts";

/** The given run, or one that the person chooses. */
export async function continueRun(
  services: RunServices,
  terminals: RunTerminals,
  [given]: readonly unknown[],
): Promise<void> {
  const account = services.session.requireSignedIn();
  assertTrusted();
  const id = readRunId(given);
  const texts = {
    title: t("Continue on Another Instance"),
    none: t("No run of this folder was interrupted. To run its last command once more, choose Run Again on a GPU."),
  };
  const run = id
    ? await findRun(services, account, id)
    : await chooseRun(services, account, texts, (one) => mayContinue(services, one));
  if (run) await continueOn(services, terminals, account, run);
}

/** After the summary's one confirmation, as any run that rents. */
export async function continueOn(
  services: RunServices,
  terminals: RunTerminals,
  account: SignedIn,
  run: RunRecord,
): Promise<void> {
  const { session, continuations } = services;
  assertTrusted();
  if (!isOfThisWindow(run))
    throw new AppError("rejected", t("Open the folder {0} to continue this run.", toPlainText(run.plan.folder, 200)));
  const title = t("Checking instance {0}, which can take a minute", run.instance);
  const next = await withLateNotification(title, (_, cancelled) => continuations.prepare(account, run, cancelled));
  session.assertStill(account);
  const start = await withStatusProgress(t("Looking for an offer…"), () => findStart(services, account, next.run));
  session.assertStill(account);
  const { template, image, whenDone, stopsItself } = next.run.rented ?? {};
  await rentAndRun(services, terminals, account, next.draft, { template, image, whenDone, stopsItself, next, start });
}

/** What the instance before was rented with, on the cheapest offer of its kind; undefined if that isn't known. */
async function findStart(
  services: RunServices,
  account: SignedIn,
  { instance }: RunRecord,
): Promise<LaunchDraft | undefined> {
  const { instances, pastRentals, log } = services;
  const past = pastRentals.findInstance(account, instance);
  const row = instances.find(instance) ?? (past && { value: past, raw: { ...past } });
  if (!row) return undefined;
  try {
    return (await proposeAgain(services, account, row)).draft;
  } catch (error) {
    log.warn("What an instance was rented with could not be found again.", error);
    return undefined;
  }
}
