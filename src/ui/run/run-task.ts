// A task of the type `cloudGpu`: what `tasks.json` says, run on an instance. It rents one only if the person confirms the summary.
import { readdir, realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import * as vscode from "vscode";
import { withVariables } from "../../domain/base/command.ts";
import { AppError } from "../../domain/base/error.ts";
import { findSetup } from "../../domain/run/environment.ts";
import { pickLimits } from "../../domain/run/run-limits.ts";
import { type RunTask, readRunTask } from "../../domain/run/run-task.ts";
import { t, toLabel, toPlainText } from "../../lib/text.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { LaunchAgain } from "../../services/launch/launch-steps.ts";
import { rentForAttempts } from "../../services/run/attempts/run-attempts.ts";
import { prepareRun } from "../../services/run/prepare-run.ts";
import type { PreparedRun } from "../../services/run/prepared-run.ts";
import type { RentWatch } from "../../services/run/rent-for-run.ts";
import { ADMITTING } from "../connection/connection-commands.ts";
import { findNamedTemplate } from "./ask-what-to-rent.ts";
import type { TaskFolder } from "./late-tasks.ts";
import { reviewRental, withWrong } from "./review-rental.ts";
import { chooseMachine, type Machine, rentAndRun } from "./run-commands.ts";
import { assertTrusted } from "./run-folder.ts";
import { createPrepareRunPerson, createRunPerson } from "./run-person.ts";
import type { RunServices } from "./run-services.ts";
import type { TaskToRun } from "./run-targets.ts";
import type { RunTerminals } from "./run-terminals.ts";
import { askMissingSecrets } from "./secrets/ask-secrets.ts";

export function createTaskTerminal(
  services: RunServices,
  terminals: RunTerminals,
  definition: Readonly<Record<string, unknown>>,
  scope: TaskFolder,
  name: string,
): vscode.Pseudoterminal {
  const { current } = services.session;
  if (current.kind !== "signed-in")
    throw new AppError("signed-out", t("You're signed out. Sign in first, then run the task."));
  const given = { definition, scope, name };
  if (definition.instances !== undefined) return services.targets.createTask(current, () => readGiven(given));
  return terminals.createTask(current, (watch, signal) =>
    prepareTask(services, terminals, current, given, { watch, signal }),
  );
}

interface GivenTask {
  readonly definition: Readonly<Record<string, unknown>>;
  readonly scope: TaskFolder;
  readonly name: string;
}

/** What a task says, and what is run for it. @throws AppError if there is a mistake in it. */
async function readGiven({ definition, scope, name }: GivenTask): Promise<TaskToRun> {
  assertTrusted();
  const task = readRunTask(definition);
  const { folder, project } = await findFolder(task, scope);
  const suggested = task.setup ?? findSetup(await readdir(folder).catch(() => []));
  const setup = withVariables(suggested, task.env);
  const { command, resultsEveryMinutes, results = [], dataFolders: data = [] } = task;
  const { secrets: names = [] } = task;
  const secrets = names.length === 0 ? {} : { secrets: { project, names } };
  const titled = {
    name: toLabel(name, 100) || command.slice(0, 60),
    command,
    setup,
    folder,
    results,
    data,
    ...(resultsEveryMinutes === undefined ? {} : { resultsEveryMinutes }),
    ...secrets,
  };
  return { task, project, draft: { ...titled, ...pickLimits(task) } };
}

/** @throws AppError if there is a mistake in it, or if the person doesn't want it. */
async function prepareTask(
  services: RunServices,
  terminals: RunTerminals,
  account: SignedIn,
  given: GivenTask,
  watching: RentWatch,
): Promise<PreparedRun> {
  const { task, project, draft } = await readGiven(given);
  const machine = await findMachine(services, account, task, given.name);
  const { whenDone, template, image } = task;
  if (machine === "new") {
    const given = template === undefined ? undefined : await findNamedTemplate(services, account, template);
    const wish = { whenDone, given, image, project };
    const confirmed = await reviewRental(services, account, draft, wish);
    if (confirmed) {
      const again = (how: LaunchAgain) =>
        rentAndRun(
          services,
          terminals,
          account,
          confirmed.draft,
          withWrong({ ...wish, whenDone: confirmed.whenDone }, confirmed.rental, how),
        );
      return await rentForAttempts(services, createRunPerson(services, again), confirmed, watching);
    }
  }
  const prepared =
    machine &&
    machine !== "new" &&
    (await askMissingSecrets(services, draft.secrets)) &&
    (await prepareRun(services, createPrepareRunPerson(services), account, { instance: machine, draft }));
  if (!prepared) throw new AppError("cancelled", t("Nothing was run."));
  return prepared;
}

/** The folder to upload, and the workspace folder that it is in. */
async function findFolder(
  { folder = "" }: RunTask,
  scope: TaskFolder,
): Promise<{ readonly folder: string; readonly project: string }> {
  const [first, ...more] = vscode.workspace.workspaceFolders ?? [];
  const only = more.length === 0 ? first : undefined;
  const given = typeof scope === "object" ? scope : only;
  if (given?.uri.scheme !== "file")
    throw new AppError(
      "rejected",
      t("This task isn't in a folder on this computer. Move it to a folder's tasks.json."),
    );
  const path = resolve(given.uri.fsPath, folder);
  const real = await realpath(path).catch(() => undefined);
  const isFolder = real !== undefined && (await stat(real)).isDirectory();
  if (!isFolder) throw new AppError("rejected", t("The folder {0} doesn't exist.", toPlainText(path, 200)));
  // A link in a workspace can lead anywhere, and what it leads to would be uploaded.
  const way = relative(await realpath(given.uri.fsPath), real);
  if (way.split(sep)[0] === ".." || isAbsolute(way))
    throw new AppError(
      "rejected",
      t("{0} points outside the workspace folder, so it isn't uploaded.", toPlainText(path, 200)),
    );
  return { folder: path, project: given.uri.fsPath };
}

async function findMachine(
  services: RunServices,
  account: SignedIn,
  { instance = "pick" }: RunTask,
  name: string,
): Promise<Machine | undefined> {
  if (instance === "new") return instance;
  if (instance === "pick")
    return await chooseMachine<never>(services, account, t("Run {0} on a GPU", toLabel(name, 60)));
  await services.instances.collection.getKnown();
  services.session.assertStill(account);
  const row = services.instances.find(instance);
  if (row && ADMITTING.accepts(row)) return row.value;
  throw new AppError(
    "rejected",
    t("Instance {0} isn't running or doesn't accept SSH logins. Change the task's “instance”.", instance),
  );
}
