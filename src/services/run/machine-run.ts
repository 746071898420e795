// A run on its machine: started at most once, followed as often as needed, stopped.
import { AppError } from "../../domain/base/error.ts";
import type { RunId } from "../../domain/base/id.ts";
import { findAnswer } from "../../domain/connection/machine-answer.ts";
import {
  buildGuardCommand,
  buildKeepScript,
  buildReadGuardsCommand,
  GUARDED,
  type GuardPlan,
  type GuardsThere,
  NO_KEY,
  readGuardsThere,
  UNGUARD,
  UNGUARDED,
} from "../../domain/run/keep-script.ts";
import { countAttempts, type RunGuard, type RunRecord } from "../../domain/run/run-record.ts";
import {
  buildFollowCommand,
  buildMarkCommand,
  buildRunScript,
  buildStartCommand,
  buildStateCommand,
  buildStopCommand,
  FOLLOWING,
  MARKED,
  readThereState,
  STARTED,
  THERE,
  type ThereState,
} from "../../domain/run/run-script.ts";
import { buildSecretLine, NO_SECRETS, type SecretValues } from "../../domain/run/run-secrets.ts";
import { t } from "../../lib/text.ts";
import { Turns } from "../../lib/turns.ts";
import { askMachine } from "../connection/ask-machine.ts";
import { type MachineLogin, withCommand } from "../connection/run-there.ts";
import { toMachineError } from "../connection/ssh/ssh-failure.ts";
import type { RunningSsh } from "../connection/ssh/ssh-program.ts";

const strange = ({ id }: MachineLogin) =>
  new AppError("unexpected-reply", t("Instance {0} printed unexpected output. Check its shell profile.", id));

interface RunToStart extends Pick<RunRecord, "id" | "plan" | "rented" | "until" | "earlier"> {
  /** All that the plan names. */
  readonly secrets?: SecretValues;
}

/**
 * Starts a run, which its time limit stops also without a connection. An order whose answer was lost can be given again: the run begins
 * once. `now` is in epoch milliseconds.
 * @throws AppError as `toMachineError` says; the signal's reason.
 */
export async function startRun(
  machine: MachineLogin,
  { id, plan, rented, until, earlier, secrets = new Map() }: RunToStart,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const seconds = until === undefined ? undefined : (until - now) / 1000;
  const isKept = seconds !== undefined || rented?.stopsItself === true;
  const keeper = isKept ? buildKeepScript(id, seconds) : "";
  const script = buildRunScript(id, plan, { keeper, attempt: countAttempts({ earlier }) });
  const line = secrets.size === 0 ? "" : `${buildSecretLine(secrets)}\n`;
  const command = buildStartCommand(id, Buffer.byteLength(script), line !== "");
  const answer = await askMachine(machine, command, signal, line + script);
  if (answer === NO_SECRETS)
    throw new AppError(
      "rejected",
      t(
        "The shell on instance {0} can't pass secrets on safely, so nothing was run. Install dash or bash there.",
        machine.id,
      ),
    );
  if (answer !== STARTED && answer !== THERE) throw strange(machine);
}

/** What is uploaded from now on is among the run's results. @throws AppError as `toMachineError` says; the signal's reason. */
export async function markEarlier(machine: MachineLogin, id: RunId, signal: AbortSignal): Promise<void> {
  if ((await askMachine(machine, buildMarkCommand(id), signal)) !== MARKED) throw strange(machine);
}

/** Has the machine stop itself later, if it can. @throws AppError as `toMachineError` says; the signal's reason. */
export async function guardRun(
  machine: MachineLogin,
  id: RunId,
  plan: GuardPlan,
  signal: AbortSignal,
): Promise<RunGuard> {
  const answer = await askMachine(machine, buildGuardCommand(id, plan), signal);
  if (answer === GUARDED) return { kind: "armed" };
  const why = answer === NO_KEY ? t("it has no key of its own") : t("the service didn't accept its request");
  return { kind: "failed", why };
}

/**
 * What would stop the machine: because of a run, or of another one. @returns undefined if the machine doesn't tell.
 * @throws AppError as `toMachineError` says; the signal's reason.
 */
export async function readGuards(
  machine: MachineLogin,
  id: RunId,
  signal: AbortSignal,
): Promise<GuardsThere | undefined> {
  const answer = await askMachine(machine, buildReadGuardsCommand(id), signal);
  return readGuardsThere(answer);
}

/** Lets the machine run on, whoever is connected. @throws AppError as `toMachineError` says; the signal's reason. */
export async function unguardMachine(machine: MachineLogin, signal: AbortSignal): Promise<void> {
  const answer = await askMachine(machine, UNGUARD, signal);
  if (answer !== UNGUARDED) throw strange(machine);
}

/** @throws AppError as `toMachineError` says; the signal's reason. */
export async function readRunState(machine: MachineLogin, id: RunId, signal: AbortSignal): Promise<ThereState> {
  const answer = await askMachine(machine, buildStateCommand(id), signal);
  const state = readThereState(answer);
  if (!state) throw strange(machine);
  return state;
}

/** Ends what runs there: asked to by `TERM`, at once by `KILL`. @throws AppError as `toMachineError` says; the signal's reason. */
export async function stopRun(
  machine: MachineLogin,
  id: RunId,
  how: "TERM" | "KILL",
  signal: AbortSignal,
): Promise<void> {
  await askMachine(machine, buildStopCommand(id, how), signal);
}

/**
 * Passes on the log from a byte on until the run ends. @throws AppError as `toMachineError` says, with everything passed on that came
 * until then; the signal's reason.
 */
export async function followRun(
  machine: MachineLogin,
  id: RunId,
  from: number,
  signal: AbortSignal,
  write: (bytes: Uint8Array) => void,
): Promise<void> {
  await withCommand(machine, buildFollowCommand(id, from), signal, async (running: RunningSsh) => {
    running.stdin.end();
    let head = Buffer.alloc(0);
    let isFollowing = false;
    const turns = new Turns(signal);
    for await (const chunk of running.stdout as AsyncIterable<Buffer>) {
      signal.throwIfAborted();
      await turns.take();
      if (isFollowing) {
        write(chunk);
        continue;
      }
      head = Buffer.concat([head, chunk]);
      const found = findAnswer(head);
      if (!found) continue;
      if (found.answer !== FOLLOWING) throw strange(machine);
      isFollowing = true;
      if (found.end < head.length) write(head.subarray(found.end));
    }
    const end = await running.ended;
    signal.throwIfAborted();
    if (!isFollowing || end.code !== 0) throw toMachineError(machine, end);
  });
}
