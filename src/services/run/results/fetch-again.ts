// Downloads results again and again while a command runs. Whatever fails is tried the next time: the run goes on.
import { asAppError } from "../../../domain/base/error.ts";
import type { RunRecord } from "../../../domain/run/run-record.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Log } from "../../../lib/log.ts";
import type { MachineLogin } from "../../connection/run-there.ts";
import { isElsewhere } from "../../core/duty.ts";
import type { Liveness } from "../../core/heartbeat.ts";
import type { SessionService, SignedIn } from "../../core/session.ts";
import type { RunJournal } from "../run-journal.ts";
import { EarlyRetries, LOOK } from "./early-retries.ts";
import { fetchEarly } from "./fetch-early.ts";

interface Parts {
  readonly session: SessionService;
  readonly journal: RunJournal;
  readonly liveness: Liveness;
  readonly clock: Clock;
  readonly log: Log;
}

/** How the machine is reached now, and who hears which results are late. */
interface Way {
  readonly reach: () => MachineLogin;
  readonly tellLate: (names: readonly string[]) => void;
}

const MINUTE = 60_000;
/** Until the signal. Never rejects. */
export async function fetchAgain(
  parts: Parts,
  account: SignedIn,
  run: RunRecord,
  way: Way,
  signal: AbortSignal,
): Promise<void> {
  const { session, clock, log } = parts;
  const minutes = run.plan.resultsEveryMinutes ?? 0;
  if (minutes === 0) return;
  const pause = minutes * MINUTE;
  const retries = new EarlyRetries(minutes);
  // A window that goes on with it waits no longer than the one before would have.
  let wait = Math.min(Math.max((run.early?.at ?? run.at) + pause - clock.now(), 0), pause);
  while (session.current === account) {
    try {
      await clock.sleep(wait, signal);
      wait = pause;
      retries.countLook();
      if (session.current === account && retries.isDue(LOOK)) await look(parts, run, { ...way, retries }, signal);
    } catch (error) {
      if (signal.aborted) return;
      // A connection that was lost is cheaply tried again.
      if (asAppError(error).kind !== "offline") retries.noteFailed(LOOK);
      log.warn("Results could not be downloaded while a command runs. They are tried again later.", error);
    }
  }
}

async function look(
  { journal, liveness, clock }: Parts,
  { id }: RunRecord,
  { reach, tellLate, retries }: Way & { readonly retries: EarlyRetries },
  signal: AbortSignal,
): Promise<void> {
  const find = async () => {
    const now = await journal.find(id);
    return now && !(await isElsewhere(liveness, now.window)) ? now : undefined;
  };
  const run = await find();
  const isOurs = async () => (await find()) !== undefined;
  const early = run && (await fetchEarly({ machine: reach(), run, journal, clock, isOurs, retries, tellLate }, signal));
  if (early) await journal.change(id, { early: { ...early, at: clock.now() } });
}
