// Downloads results again and again while a command runs. Whatever fails is tried the next time: the run goes on.
import type { RunRecord } from "../../../domain/run/run-record.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Log } from "../../../lib/log.ts";
import type { MachineLogin } from "../../connection/run-there.ts";
import { isElsewhere } from "../../core/duty.ts";
import type { Liveness } from "../../core/heartbeat.ts";
import type { SessionService, SignedIn } from "../../core/session.ts";
import type { RunJournal } from "../run-journal.ts";
import { fetchEarly } from "./fetch-early.ts";

interface Parts {
  readonly session: SessionService;
  readonly journal: RunJournal;
  readonly liveness: Liveness;
  readonly clock: Clock;
  readonly log: Log;
}

const MINUTE = 60_000;

/** Until the signal. `reach` says how the machine is reached now. Never rejects. */
export async function fetchAgain(
  parts: Parts,
  account: SignedIn,
  run: RunRecord,
  reach: () => MachineLogin,
  signal: AbortSignal,
): Promise<void> {
  const { session, clock, log } = parts;
  const pause = (run.plan.resultsEveryMinutes ?? 0) * MINUTE;
  if (pause === 0) return;
  // A window that goes on with it waits no longer than the one before would have.
  let wait = Math.min(Math.max((run.early?.at ?? run.at) + pause - clock.now(), 0), pause);
  while (session.current === account) {
    try {
      await clock.sleep(wait, signal);
      wait = pause;
      if (session.current === account) await look(parts, run, reach(), signal);
    } catch (error) {
      if (signal.aborted) return;
      log.warn("Results could not be downloaded while a command runs. They are tried again later.", error);
    }
  }
}

async function look(
  { journal, liveness, clock }: Parts,
  { id }: RunRecord,
  machine: MachineLogin,
  signal: AbortSignal,
): Promise<void> {
  const find = async () => {
    const now = await journal.find(id);
    return now && !(await isElsewhere(liveness, now.window)) ? now : undefined;
  };
  const run = await find();
  const isOurs = async () => (await find()) !== undefined;
  const early = run && (await fetchEarly({ machine, run, journal, isOurs }, signal));
  if (early) await journal.change(id, { early: { ...early, at: clock.now() } });
}
