// Whether the machine of a run stops itself: armed once the run has begun, and asked for later. A restart ends what would do it.
import { asAppError } from "../../domain/base/error.ts";
import type { GuardsThere } from "../../domain/run/keep-script.ts";
import type { RunGuard, RunRecord } from "../../domain/run/run-record.ts";
import type { MachineLogin } from "../connection/run-there.ts";
import { guardRun, readGuards } from "./machine-run.ts";
import { type Reaching, retryOnMachine } from "./retry-on-machine.ts";
import type { RunJournal } from "./run-journal.ts";
import type { Following } from "./run-watch.ts";

/** Seconds after a command ended, within which its results can be downloaded before the machine stops itself. */
const GRACE = 3600;

interface GuardParts extends Reaching {
  readonly journal: RunJournal;
}

/**
 * Has the machine stop itself later, if that was agreed to, and asks whether an earlier run has it do so anyway. Whether it will is
 * written down and said; the run goes on either way. @throws the signal's reason.
 */
export async function armGuard(
  services: GuardParts,
  machine: MachineLogin,
  run: RunRecord,
  following: Following,
): Promise<MachineLogin> {
  const { account, watch, signal } = following;
  const { id, instance, plan, rented } = run;
  const tell = async (guard: RunGuard, isEarlier: boolean): Promise<void> => {
    await services.journal.change(id, { guard });
    watch.stage({ kind: "guarded", guard, ...(isEarlier ? { isEarlier: true } : {}) });
  };
  let guard: RunGuard | undefined;
  let there: GuardsThere | undefined;
  const reached = await retryOnMachine(services, machine, following, async (now) => {
    const terms = { instance, base: account.address.base, remote: plan.remote, grace: GRACE };
    if (rented?.stopsItself === true) guard = await guardRun(now, id, terms, signal);
    if (guard?.kind !== "armed") there = await readGuards(now, id, signal);
  }).catch((error) => {
    signal.throwIfAborted();
    if (rented?.stopsItself === true) guard ??= { kind: "failed", why: asAppError(error).message };
    return machine;
  });
  if (there?.other) await tell({ kind: "armed" }, true);
  else if (guard) await tell(guard, false);
  return reached;
}

/** Writes down and says that the machine no longer stops itself, if that is so. @throws the signal's reason. */
export async function recheckGuard(
  services: GuardParts,
  machine: MachineLogin,
  run: RunRecord,
  following: Following,
): Promise<RunRecord> {
  const { watch, signal } = following;
  if (run.guard?.kind !== "armed") return run;
  let there: GuardsThere | undefined;
  await retryOnMachine(services, machine, following, async (now) => {
    there = await readGuards(now, run.id, signal);
  }).catch(() => signal.throwIfAborted());
  // Where the machine doesn't tell, what was said holds.
  if (!there || there.own || there.other) return run;
  const guard = { kind: "off" } as const;
  await services.journal.change(run.id, { guard });
  watch.stage({ kind: "unguarded" });
  return { ...run, guard };
}
