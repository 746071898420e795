// The second step of auto-stops: what one of them stopped is destroyed a day later, if it was stopped all of that time. Each window that is
// open looks once a minute whether it still is, and writes that down for all.
import type { InstanceId } from "../../../domain/base/id.ts";
import { getPhase } from "../../../domain/instance/instance.ts";
import {
  addLook,
  buildCalledOff,
  buildSecondStep,
  isMeantToRun,
  isSecondStep,
  LOOK_AGAIN,
  wasStoppedAllAlong,
} from "../../../domain/instance/second-step.ts";
import { type Clock, isNear } from "../../../lib/clock.ts";
import { isOfAccount } from "../../core/account-mark.ts";
import type { SignedIn } from "../../core/session.ts";
import type { InstanceActions } from "../instance-actions.ts";
import type { InstancesService } from "../instances.ts";
import type { ReasonStatus } from "../order-reasons.ts";
import type { AutoStopAttempts } from "./auto-stop-attempts.ts";
import { recheckAutoStop } from "./auto-stop-due.ts";
import { type AutoStopEntry, findLatestAutoStop } from "./auto-stop-entry.ts";
import type { AutoStopJournal } from "./auto-stop-journal.ts";
import { findSpan } from "./instance-auto-stop.ts";

interface Parts {
  readonly journal: AutoStopJournal;
  readonly ends: AutoStopAttempts;
  readonly actions: InstanceActions;
  readonly instances: InstancesService;
  readonly clock: Clock;
  /** Something was written. */
  readonly wake: () => void;
}

export class SecondSteps {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Writes down what follows an end that stopped its instance, before it is noted to be over. Nothing if that was started again. */
  async begin(entry: AutoStopEntry, id: InstanceId): Promise<void> {
    const { journal, ends } = this.#parts;
    const next = buildSecondStep(entry.autoStop, id);
    if (!next) return;
    const wasRevoked = (await ends.isSettled(entry, id)) && !(await ends.wasCarriedOut(entry, id));
    if (!wasRevoked) await journal.writeNext(entry, id, next);
  }

  /** An order for the end is done, or was called off. */
  async close(entry: AutoStopEntry, id: InstanceId): Promise<void> {
    await this.begin(entry, id);
    await this.#parts.journal.noteOver(entry.name, id);
    this.#parts.wake();
  }

  /** Looks whether an instance is still stopped, if no one did in the last minute. @throws AppError if the service can't be asked. */
  async look(
    account: SignedIn,
    entries: readonly AutoStopEntry[],
    entry: AutoStopEntry,
    id: InstanceId,
  ): Promise<void> {
    const { journal, actions, instances, clock } = this.#parts;
    const span = findSpan(entries, id);
    // Before the request: what is answered was so then, or later.
    const at = clock.now();
    const { autoStop } = entry;
    if (!isSecondStep(autoStop) || (span && isNear(at, span.to, LOOK_AGAIN))) return;
    const row = await actions.reread(account, id);
    const isGone = !row && (await instances.whereabouts.isGone(account, id));
    const next = row && addLook(autoStop, span, row.value, at);
    // One answer may be behind: it was just stopped. By the second one, someone started it.
    const isStarted = row !== undefined && isMeantToRun(row.value) && span?.from === null;
    if (isGone || isStarted) await this.#callOff(entry, id);
    else if (next) await journal.noteStopped(entry.name, id, { count: entry.stopped?.get(id)?.count ?? 0, span: next });
    if (isGone || next) this.#parts.wake();
  }

  /** Whether a second step may be carried out, as far as was seen. Other ends may. */
  mayAct(entries: readonly AutoStopEntry[], { autoStop }: AutoStopEntry, id: InstanceId): boolean {
    return !isSecondStep(autoStop) || wasStoppedAllAlong(autoStop, findSpan(entries, id), this.#parts.clock.now());
  }

  async #callOff(entry: AutoStopEntry, id: InstanceId): Promise<void> {
    await this.#parts.journal.writeNext(entry, id, buildCalledOff(entry.autoStop, id));
    this.#parts.wake();
  }

  /** Someone is about to start it, or did: what was stopped by then isn't destroyed. @throws the disk's error. */
  async callOff(account: SignedIn, id: InstanceId): Promise<void> {
    const { journal, clock } = this.#parts;
    // What follows an end has one name: where a window was faster to write the second step, that one is taken back.
    for (let times = 0; times < 2; times += 1) {
      const all = (await journal.readAll()).filter(({ autoStop }) => isOfAccount(autoStop, account));
      const last = findLatestAutoStop(all, { id });
      const { until, stoppedHours } = last?.autoStop ?? {};
      const hasBegun = typeof until === "number" && (until <= clock.now() || (last && isSecondStep(last.autoStop)));
      if (!last || stoppedHours === undefined || !hasBegun) return;
      await this.#callOff(last, id);
    }
  }
}

/**
 * Whether an end may be carried out. A second step only as long as its instance is stopped, and was all along.
 * @throws the disk's error, or AppError if the service can't be asked.
 */
export async function recheckEitherStep(
  journal: AutoStopJournal,
  actions: InstanceActions,
  account: SignedIn,
  { name, id, clock }: { readonly name: string; readonly id: InstanceId; readonly clock: Pick<Clock, "now"> },
): Promise<ReasonStatus> {
  const status = await recheckAutoStop(journal, account, { name, id }, clock.now());
  if (status !== "holds") return status;
  const entries = (await journal.readAll()).filter(({ autoStop }) => isOfAccount(autoStop, account));
  const own = entries.find((entry) => entry.name === name);
  if (!own || !isSecondStep(own.autoStop)) return status;
  const row = await actions.reread(account, id);
  if (row && isMeantToRun(row.value)) return "replaced";
  const isStopped = row && getPhase(row.value) === "stopped";
  return isStopped && wasStoppedAllAlong(own.autoStop, findSpan(entries, id), clock.now()) ? "holds" : "late";
}
