// Answers the tools that spend, run, or end something: each asks the person in a modal of our own, which no setting for agents skips.
import { readdir, realpath } from "node:fs/promises";
import { basename, isAbsolute, relative, resolve, sep } from "node:path";
import * as vscode from "vscode";
import { MOST_AGENT_COMMAND, type ToolInput } from "../../domain/agent/tools.ts";
import { AppError, asAppError } from "../../domain/base/error.ts";
import { InstanceId } from "../../domain/base/id.ts";
import type { AutoStopWish, InstanceAutoStop } from "../../domain/instance/auto-stop.ts";
import { findSetup } from "../../domain/run/environment.ts";
import type { RunFacts } from "../../domain/run/run-facts.ts";
import { findFileCommand, type RunDraft } from "../../domain/run/run-plan.ts";
import { t, toPlainText } from "../../lib/text.ts";
import {
  type AgentEnd,
  buildEndAnswer,
  buildLaunchAnswer,
  buildRunBegunAnswer,
  buildRunFailedAnswer,
  toAgentEnd,
} from "../../present/agent/act-answers.ts";
import { buildSoonerQuestion, toAgentQuestion } from "../../present/agent/agent-questions.ts";
import { buildOrderQuestion } from "../../present/instance/instance-questions.ts";
import { buildLaunchQuestion } from "../../present/launch/launch-messages.ts";
import { buildRunQuestion } from "../../present/run/run-question.ts";
import type { AgentAsking } from "../../services/agent/agent-asking.ts";
import type { AgentLaunches, AgentLaunchPerson } from "../../services/agent/agent-launches.ts";
import { destroyPaid } from "../../services/agent/destroy-paid.ts";
import type { Grants } from "../../services/agent/grants.ts";
import { waitBriefly } from "../../services/agent/wait-briefly.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { InstanceRow } from "../../services/instance/instances.ts";
import { statHere } from "../../services/run/results/hash-here.ts";
import { ADMITTING } from "../connection/connection-commands.ts";
import { carryOutOrders } from "../instance/instance-actions.ts";
import { rereadRows } from "../instance/instance-commands.ts";
import { changeEnd } from "../instance/set-auto-stop.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { showError } from "../kit/errors.ts";
import { createLaunchPerson, takeNextStep } from "../launch/launch-person.ts";
import type { LaunchServices } from "../launch/launch-services.ts";
import type { RunAsked } from "../run/module.ts";
import { agreeToUpload } from "../transfer/upload-consent.ts";

export interface ActServices extends LaunchServices {
  readonly grants: Grants;
  readonly asking: AgentAsking;
  readonly agentLaunches: AgentLaunches;
  readonly runAsked: RunAsked;
}

const HOUR = 3_600_000;
/** Characters that are shown of a command: each line break becomes three. */
const MOST_SHOWN = MOST_AGENT_COMMAND * 3;

export async function answerLaunch(
  services: ActServices,
  account: SignedIn,
  { quote }: ToolInput<"launch">,
  signal: AbortSignal,
): Promise<object> {
  const person: AgentLaunchPerson = {
    confirm: (question, why) => {
      const asked = question.kind === "rent" ? { ...question, isForAgent: true } : question;
      return confirm(toAgentQuestion(buildLaunchQuestion(asked), undefined, why));
    },
    launching: createLaunchPerson(services),
    takeNextStep: (of, next) => takeNextStep(services, of, next, async () => undefined),
    tellError: (error) => void showError(error, services.log),
  };
  return buildLaunchAnswer(await services.agentLaunches.launch(account, quote, person, signal));
}

export async function answerRunThere(
  services: ActServices,
  account: SignedIn,
  input: ToolInput<"run">,
  signal: AbortSignal,
): Promise<object> {
  const { asking, runAsked } = services;
  asking.assertMayAsk();
  const draft = await readDraft(input);
  const row = await findRow(services, account, input.instance);
  if (!ADMITTING.accepts(row))
    throw new AppError("rejected", t("Instance {0} isn't running or doesn't accept SSH logins.", input.instance));
  let isAgreed = false;
  const askPerson = async (folder: string, facts: RunFacts) => {
    const question = toAgentQuestion(buildRunQuestion(facts, MOST_SHOWN), findAbout(services, account, row));
    isAgreed = await asking.ask((waiting) => agreeToUpload(services, question, folder, { ...facts, waiting }), signal);
    return isAgreed;
  };
  try {
    return buildRunBegunAnswer(await runAsked(account, { instance: row.value, draft }, askPerson, signal));
  } catch (error) {
    if (!isAgreed) throw error;
    // Whoever agreed expects it to run.
    void showError(error, services.log);
    return buildRunFailedAnswer(asAppError(error));
  }
}

/** The person's secrets aren't given to what an agent runs. @throws AppError `rejected`. */
async function readDraft({ command: given, file, maxHours }: ToolInput<"run">): Promise<RunDraft> {
  const [first, ...more] = vscode.workspace.workspaceFolders ?? [];
  if (first?.uri.scheme !== "file" || more.length > 0)
    throw new AppError("rejected", t("Agents can run something only where one folder of this computer is open."));
  const folder = first.uri.fsPath;
  const command = given ?? (await readFileCommand(folder, file ?? ""));
  const setup = findSetup(await readdir(folder).catch(() => []));
  const name = toPlainText(file === undefined ? command : basename(file), 60);
  return { name, command, setup, folder, limits: { maxHours } };
}

async function readFileCommand(folder: string, file: string): Promise<string> {
  const path = relative(folder, resolve(folder, file));
  const isInside = !isAbsolute(path) && path.split(sep)[0] !== "..";
  // A link in the folder isn't uploaded, and may lead anywhere: nothing behind one is looked at. The folder itself may be one.
  const found = isInside ? await statHere(await realpath(folder), path.split(sep)) : undefined;
  if (typeof found !== "object")
    throw new AppError("rejected", t("The open folder has no file {0}.", toPlainText(file, 200)));
  const command = findFileCommand(path.replaceAll("\\", "/"));
  if (command === undefined)
    throw new AppError("rejected", t("{0} isn't a Python file, shell script, or notebook.", toPlainText(file, 200)));
  if (command.length > MOST_SHOWN)
    throw new AppError("rejected", t("The path of this file is too long to be shown whole. Use a shorter one."));
  return command;
}

export async function answerEnd(
  services: ActServices,
  account: SignedIn,
  { instance: given, action, hours }: ToolInput<"endInstance">,
  signal: AbortSignal,
): Promise<object> {
  const { asking, autoStops, grants, orders, clock } = services;
  const id = InstanceId.parse(given);
  // What a budget paid for may be destroyed now. An auto-stop of an agent's choice wouldn't be.
  const isFree = async () =>
    action === "destroy" && hours === undefined && (await grants.mayEnd(account, id).catch(() => false));
  if (!(await isFree())) asking.assertMayAsk();
  const known = await findRow(services, account, given);
  const [row = known] = await rereadRows(services, account, [known]);
  const now = clock.now();
  const present = autoStops.findAutoStop(row.value);
  const wish =
    hours === undefined ? undefined : { until: now + hours * HOUR, ending: action, ...keepNext(action, present) };
  if (wish) assertSooner(wish, present);
  // An instance that has shown that it ends itself is told of the new time.
  const byItself = present?.guard?.kind === "armed" ? { byItself: account.address.base } : {};
  const question = toAgentQuestion(
    wish
      ? buildSoonerQuestion(row, { wish: { ...wish, ...byItself }, present }, now)
      : buildOrderQuestion(action, [row]),
    findAbout(services, account, row),
  );
  const isPaid = await isFree();
  const isAgreed = isPaid || (await asking.ask(() => confirm(question), signal));
  if (!isAgreed) return buildEndAnswer("declined", id);
  const destroy = async () => [await destroyPaid(orders, account, id, isFree)].filter((one) => one !== undefined);
  // Another auto-stop may have been set while the question was open.
  const work = wish
    ? changeEnd(services, account, row.value, wish, "later").then(toAgentEnd)
    : carryOutOrders(services, account, action, [row], isPaid ? destroy : undefined).then(
        ([one]): AgentEnd =>
          // Unless it is being ended already, it is the person's by now.
          isPaid && !one && orders.getStage(id) === undefined ? "declined" : toAgentEnd(one?.outcome),
      );
  const end = await waitBriefly<AgentEnd>(clock, work, {
    late: "under-way",
    failed: wish ? "not-set" : "failed",
    tellError: (error) => void showError(error, services.log),
  });
  return buildEndAnswer(end, id, wish?.until);
}

/** What is stopped sooner is destroyed after as many hours as before. */
const keepNext = (
  action: "stop" | "destroy",
  present: InstanceAutoStop | undefined,
): Pick<AutoStopWish, "stoppedHours"> =>
  action === "stop" && present?.ending === "stop" ? { stoppedHours: present.stoppedHours } : {};

/** A later end, or one that keeps what was to be deleted, costs more: only the person sets that. @throws AppError `rejected`. */
function assertSooner(
  wish: { readonly until: number; readonly ending: "stop" | "destroy" },
  present: InstanceAutoStop | undefined,
): void {
  if (!present || present.ending === "remind") return;
  if (wish.until >= present.until)
    throw new AppError("rejected", t("Its auto-stop comes before that. Only the person can set a later one."));
  if (present.ending === "destroy" && wish.ending === "stop")
    throw new AppError(
      "rejected",
      t("Its auto-stop destroys it. Only the person can have it stopped instead, which keeps its disk billed."),
    );
}

const findAbout = ({ session }: ActServices, account: SignedIn, row: InstanceRow) => ({
  row,
  sandbox: account.sandbox,
  payer: session.profiles.findPayer(account),
});

/** As it is known now. @throws AppError `not-found`. */
async function findRow({ instances, session }: ActServices, account: SignedIn, id: number): Promise<InstanceRow> {
  await instances.collection.getKnown();
  session.assertStill(account);
  const row = instances.find(InstanceId.parse(id));
  if (row && !row.gone) return row;
  throw new AppError("not-found", t("This account has no instance {0}.", id));
}
