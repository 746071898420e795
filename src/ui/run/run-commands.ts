// Running a file on a machine, and once more what was run last.
import { readdir } from "node:fs/promises";
import { basename } from "node:path";
import { AppError } from "../../domain/base/error.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import { findSetup } from "../../domain/run/environment.ts";
import type { RunFacts } from "../../domain/run/run-facts.ts";
import { findFileCommand, type RunDraft } from "../../domain/run/run-plan.ts";
import { type RunRecord, toRunDraft } from "../../domain/run/run-record.ts";
import { t, toLabel } from "../../lib/text.ts";
import { formatJobName, formatTerminalTitle } from "../../present/run/run-text.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { LaunchAgain } from "../../services/launch/launch-steps.ts";
import { rentForAttempts } from "../../services/run/attempts/run-attempts.ts";
import { type PrepareRunPerson, prepareRun, type RunWish } from "../../services/run/prepare-run.ts";
import { ADMITTING, formatShortName } from "../connection/connection-commands.ts";
import { reachUnasked } from "../connection/reach-machine.ts";
import { toInstanceChoice } from "../instance/instance-commands.ts";
import { pickOne } from "../kit/ask/pick.ts";
import { BACK } from "../kit/ask/steps.ts";
import { askCommand } from "./ask-command.ts";
import { reviewRental, type Wish, withWrong } from "./review-rental.ts";
import { assertTrusted, findRunFile, isOfThisWindow } from "./run-folder.ts";
import { createPrepareRunPerson, createRunPerson } from "./run-person.ts";
import type { RunServices } from "./run-services.ts";
import type { RunTarget } from "./run-targets.ts";
import type { RunTerminals } from "./run-terminals.ts";
import { askMissingSecrets, findProjectSecrets } from "./secrets/ask-secrets.ts";

/** A file from the Explorer, from the editor's title, or the one in front. */
export async function runFile(
  services: RunServices,
  terminals: RunTerminals,
  [given]: readonly unknown[],
): Promise<void> {
  const { session } = services;
  const account = session.requireSignedIn();
  assertTrusted();
  const { folder, path } = await findRunFile(given);
  const name = basename(path);
  const title = t("Run {0} on a GPU", toLabel(name, 60));
  const usual = findFileCommand(path);
  const targets = await services.targets.list(account);
  session.assertStill(account);
  const machine = await chooseMachine<RunTarget>(services, account, title, () => true, targets);
  if (machine === undefined) return;
  if (machine !== "new" && "start" in machine) {
    const setup = findSetup(await readdir(folder).catch(() => []));
    session.assertStill(account);
    return await machine.start({ name, path, folder, setup, ...(await findProjectSecrets(services, folder)) });
  }
  // The summary shows the command, and can change it.
  const isOnSummary = machine === "new" && usual !== undefined;
  const command = isOnSummary ? usual : await askCommand(title, usual ?? "");
  if (command === undefined) return;
  const setup = findSetup(await readdir(folder).catch(() => []));
  session.assertStill(account);
  const secrets = await findProjectSecrets(services, folder);
  session.assertStill(account);
  await run(services, terminals, account, machine, { name, command, setup, folder, ...secrets });
}

/** What was run last from a folder of this window, with the files as they are now. */
export async function runAgain(services: RunServices, terminals: RunTerminals): Promise<void> {
  const { session, runs, instances } = services;
  const account = session.requireSignedIn();
  assertTrusted();
  const last = (await runs.readAll(account)).find(isOfThisWindow);
  if (!last)
    throw new AppError("rejected", t("Nothing has been run from this folder yet. Choose Run on a GPU… for a file."));
  if (last.member)
    throw new AppError(
      "rejected",
      t("“{0}” ran on a group last. Choose Run on a GPU… for its file, then the group.", formatJobName(last)),
    );
  session.assertStill(account);
  await instances.collection.getKnown();
  session.assertStill(account);
  const row = instances.find(last.instance);
  const same = row && ADMITTING.accepts(row) ? row.value : undefined;
  const ask = () => chooseMachine<never>(services, account, t("Run {0} on a GPU", toLabel(last.plan.name, 60)));
  const machine = same ?? (last.rented ? "new" : await ask());
  if (machine === undefined) return;
  await run(services, terminals, account, machine, toRunDraft(last), last.rented);
}

/** An instance that is up, or a new one that is rented for the run. */
export type Machine = Instance | "new";

/** Asks only where there is a choice. @returns undefined if the person doesn't want to run anything. */
export async function chooseMachine<T extends RunTarget = never>(
  services: RunServices,
  account: SignedIn,
  title: string,
  accepts: (instance: Instance) => boolean = () => true,
  targets: readonly T[] = [],
): Promise<Machine | T | undefined> {
  const { instances, session } = services;
  await instances.collection.getKnown();
  session.assertStill(account);
  const rows = instances.rows.filter((row) => ADMITTING.accepts(row) && accepts(row.value));
  if (rows.length === 0 && targets.length === 0) return "new";
  const machine = await pickOne<Machine | T>({
    title,
    placeholder: t("Which instance?"),
    choices: [
      ...targets.map((target) => ({ label: target.label, description: target.description, value: target })),
      ...rows.map((row) => ({ ...toInstanceChoice(row), value: row.value })),
      {
        label: `$(add) ${t("Rent a GPU…")}`,
        detail: t("A new instance for this run. Nothing is rented until you confirm."),
        value: "new",
      },
    ],
  });
  session.assertStill(account);
  return machine === BACK ? undefined : machine;
}

async function run(
  services: RunServices,
  terminals: RunTerminals,
  account: SignedIn,
  machine: Machine,
  draft: RunDraft,
  wish?: Wish,
): Promise<void> {
  if (machine === "new") return await rentAndRun(services, terminals, account, draft, wish);
  if (!(await askMissingSecrets(services, draft.secrets))) return;
  services.session.assertStill(account);
  const prepared = await prepareRun(services, createPrepareRunPerson(services), account, {
    instance: machine,
    draft,
  });
  if (prepared) terminals.start(account, formatTerminalTitle(draft.name, machine.id), async () => prepared);
}

/** Rents an instance for a run, after the summary's one confirmation. */
export async function rentAndRun(
  services: RunServices,
  terminals: RunTerminals,
  account: SignedIn,
  draft: RunDraft,
  wish?: Wish,
): Promise<void> {
  const confirmed = await reviewRental(services, account, draft, wish);
  if (!confirmed) return;
  const { whenDone } = confirmed;
  const again = (how: LaunchAgain) =>
    rentAndRun(services, terminals, account, confirmed.draft, withWrong({ ...wish, whenDone }, confirmed.rental, how));
  terminals.start(account, toLabel(draft.name, 40), (watch, signal) =>
    rentForAttempts(services, createRunPerson(services, again), confirmed, { watch, signal }),
  );
}

/**
 * A run that someone else asks for than the person, who is always asked about it, and about nothing else.
 * @returns undefined if they don't want it. @throws AppError, also if they have to connect themselves first.
 */
export async function runAsked(
  services: RunServices,
  terminals: RunTerminals,
  ...[account, wish, confirm, signal]: [
    account: SignedIn,
    wish: RunWish,
    confirm: (folder: string, facts: RunFacts) => Promise<boolean>,
    signal: AbortSignal,
  ]
): Promise<RunRecord | undefined> {
  const person: PrepareRunPerson = {
    ...createPrepareRunPerson(services),
    connect: (of, instance) =>
      reachUnasked(services, of, instance, { title: t("Connecting to {0}", formatShortName(instance)), signal }),
    confirm,
  };
  const prepared = await prepareRun(services, person, account, { ...wish, asksAlways: true });
  if (!prepared) return undefined;
  const { run } = prepared;
  terminals.start(account, formatTerminalTitle(run.plan.name, run.instance), async () => prepared);
  return run;
}
