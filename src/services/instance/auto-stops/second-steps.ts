// The second step of auto-stops: what one of them stopped is destroyed a day later, if it was stopped all of that time. Each window that is
// open looks once a minute whether it still is, and writes that down for all.

import { asAppError } from "../../../domain/base/error.ts";
import type { InstanceId } from "../../../domain/base/id.ts";
import type { Row } from "../../../domain/base/wire.ts";
import { isOverdue } from "../../../domain/instance/auto-stop.ts";
import { getPhase, type Instance } from "../../../domain/instance/instance.ts";
import {
  addLook,
  buildCalledOff,
  buildFirstSpan,
  buildGap,
  buildSecondStep,
  findSecondStart,
  isMeantToRun,
  isSecondStep,
  isSeenStopped,
  LOOK_AGAIN,
  LOOK_GAP,
  type StoppedSpan,
  wasStoppedAllAlong,
} from "../../../domain/instance/second-step.ts";
import { type Clock, isNear } from "../../../lib/clock.ts";
import type { Log } from "../../../lib/log.ts";
import { isOfAccount } from "../../core/account-mark.ts";
import type { SignedIn } from "../../core/session.ts";
import type { InstanceActions, StartFollower } from "../instance-actions.ts";
import type { InstancesService } from "../instances.ts";
import type { ReasonStatus } from "../order-reasons.ts";
import type { Sightings } from "../sightings.ts";
import type { AutoStopAttempts } from "./auto-stop-attempts.ts";
import { recheckAutoStop } from "./auto-stop-due.ts";
import { type AutoStopEntry, findLatestAutoStop, wasTold } from "./auto-stop-entry.ts";
import type { AutoStopJournal } from "./auto-stop-journal.ts";
import { findSpan } from "./instance-auto-stop.ts";

interface Parts {
  readonly journal: AutoStopJournal;
  readonly ends: AutoStopAttempts;
  readonly actions: InstanceActions;
  readonly instances: InstancesService;
  readonly sightings: Pick<Sightings, "wasRestartedSince">;
  readonly clock: Clock;
  readonly log: Log;
  /** Something was written. */
  readonly wake: () => void;
}

export class SecondSteps implements StartFollower {
  readonly #parts: Parts;
  /** By instance, the last look of any window: `to` as it was noted, `elapsed` when this window knew of it first, in monotonic milliseconds. */
  readonly #looks = new Map<InstanceId, { readonly to: number; readonly elapsed: number }>();
  /** Instances that may have run, which the disk couldn't note yet. */
  readonly #unnoted = new Set<InstanceId>();
  /** Instances that were to run at the last look. */
  readonly #started = new Set<InstanceId>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Writes down what follows an end that stopped its instance, before it is noted to be over. Nothing if that was started again.
   * @returns false if what follows can't be known yet: its person is asked while a later end can't be read, and an answer that says
   * nothing may be followed by one that does. @throws AppError if the service can't be asked; the disk's error.
   */
  async begin(account: SignedIn, entry: AutoStopEntry, id: InstanceId): Promise<boolean> {
    const { journal, ends, actions, clock } = this.#parts;
    const orderedAt = await ends.findOrderTime(entry, id);
    const stoppedAt = Math.max(entry.autoStop.until ?? 0, orderedAt ?? 0);
    const next = buildSecondStep(entry.autoStop, id, stoppedAt);
    if (!next || ((await ends.isSettled(entry, id)) && !(await ends.wasCarriedOut(entry, id)))) return true;
    if ((await this.#readAll(account)).some(({ name, doubted }) => name === entry.name && doubted.has(id)))
      return false;
    const at = clock.now();
    const row = await actions.reread(account, id);
    const isStopped = row !== undefined && isSeenStopped(row.value);
    const span = buildFirstSpan(stoppedAt, at);
    if (span && !isStopped && !(row && isMeantToRun(row.value))) return false;
    await journal.writeNext(entry, id, next, isStopped ? span : undefined);
    return true;
  }

  /** Whether nothing is left to do. A second step whose order was called off is asked about, unless another end was written in its place. */
  async isSettled(entry: AutoStopEntry, id: InstanceId): Promise<boolean> {
    const { ends } = this.#parts;
    return await (isSecondStep(entry.autoStop) ? ends.wasCarriedOut(entry, id) : ends.isSettled(entry, id));
  }

  /** An order for the end is done, or was called off. @returns, @throws as `begin` does: it is tried again. */
  async close(account: SignedIn, entry: AutoStopEntry, id: InstanceId): Promise<boolean> {
    if (isSecondStep(entry.autoStop) && !(await this.isSettled(entry, id))) return true;
    if (!(await this.begin(account, entry, id))) return false;
    await this.#parts.journal.noteOver(entry.name, id);
    this.#parts.wake();
    return true;
  }

  /**
   * Looks whether an instance is still stopped, if no one did in the last minute, as long as an order or a question may come of it. What the
   * disk doesn't take keeps no one from being asked. @throws AppError if the service can't be asked.
   */
  async look(
    account: SignedIn,
    entries: readonly AutoStopEntry[],
    entry: AutoStopEntry,
    id: InstanceId,
  ): Promise<void> {
    const { actions, instances, sightings, clock, log } = this.#parts;
    const { autoStop } = entry;
    // Before the request: what is answered was so then, or later.
    const [at, elapsed] = [clock.now(), clock.elapsed()];
    if (!isSecondStep(autoStop) || (isOverdue(autoStop.until, at) && wasTold(entry, "overdue", id))) return;
    const span = findSpan(entries, id);
    // A list may have shown what no look did.
    const hasRun = span?.from != null && sightings.wasRestartedSince(id, findSecondStart(autoStop));
    const hasGap = hasRun || this.#findGap(id, span, elapsed);
    if (span && !hasGap && isNear(at, span.to, LOOK_AGAIN)) return;
    // What is gone needs nothing any longer, and a list says if it is back.
    if (span?.from === null && instances.whereabouts.wasMissedForLong(account, id)) return;
    const row = await actions.reread(account, id);
    // One answer may be behind: it was just stopped, or no one looked for a while. By the second one, someone started it.
    const wasStarted = this.#started.has(id);
    if (row && isMeantToRun(row.value)) this.#started.add(id);
    else this.#started.delete(id);
    const ifLost = instances.whereabouts.wasMissedForLong(account, id) ? buildGap(at) : undefined;
    const next = row ? addLook(hasGap ? undefined : span, row.value, at) : ifLost;
    const isStarted = wasStarted && this.#started.has(id);
    const isAged = row && isSeenStopped(row.value) && next?.from === null && !hasRun && !this.#unnoted.has(id);
    if (isAged && (await this.#wasSeenSince(account, id, span))) return;
    const noted = isStarted ? this.#callOff(entry, id) : next && this.#note(entry, id, { next, elapsed });
    await noted?.catch((error) => log.warn("What was seen of a stopped instance couldn't be written down.", error));
  }

  /** This window may have been held up for long since it read what others saw. */
  async #wasSeenSince(account: SignedIn, id: InstanceId, span: StoppedSpan | undefined): Promise<boolean> {
    const now = findSpan(await this.#readAll(account), id);
    return span !== undefined && now !== undefined && now.to > span.to;
  }

  /** The other clock may have been set back, or have stood still while this window couldn't look. */
  #findGap(id: InstanceId, span: StoppedSpan | undefined, elapsed: number): boolean {
    const last = this.#looks.get(id);
    const isKnown = last !== undefined && last.to === span?.to;
    if (span && !isKnown) this.#looks.set(id, { to: span.to, elapsed });
    return this.#unnoted.has(id) || (isKnown && elapsed - last.elapsed >= LOOK_GAP);
  }

  async #note(
    { name, stopped }: AutoStopEntry,
    id: InstanceId,
    { next, elapsed }: { readonly next: StoppedSpan; readonly elapsed: number },
  ): Promise<void> {
    if (next.from === null) this.#unnoted.add(id);
    await this.#parts.journal.noteStopped(name, id, { count: stopped?.get(id)?.count ?? 0, span: next });
    this.#unnoted.delete(id);
    this.#looks.set(id, { to: next.to, elapsed });
    this.#parts.wake();
  }

  /** Whether a second step may be carried out, as far as was seen. Other ends may. */
  mayAct(entries: readonly AutoStopEntry[], { autoStop }: AutoStopEntry, id: InstanceId): boolean {
    if (!isSecondStep(autoStop)) return true;
    return !this.#unnoted.has(id) && wasStoppedAllAlong(autoStop, findSpan(entries, id), this.#parts.clock.now());
  }

  async #callOff(entry: AutoStopEntry, id: InstanceId): Promise<void> {
    await this.#parts.journal.writeNext(entry, id, buildCalledOff(entry.autoStop, id));
    this.#parts.wake();
  }

  async #readAll(account: SignedIn): Promise<readonly AutoStopEntry[]> {
    return (await this.#parts.journal.readAll()).filter(({ autoStop }) => isOfAccount(autoStop, account));
  }

  async #findLatest(account: SignedIn, id: InstanceId): Promise<AutoStopEntry | undefined> {
    return findLatestAutoStop(await this.#readAll(account), { id });
  }

  /** Someone is about to start it: from now on, its person is asked, even if the service refuses. @throws the disk's error. */
  async interrupt(account: SignedIn, id: InstanceId): Promise<void> {
    const { clock } = this.#parts;
    const last = await this.#findLatest(account, id);
    if (last && isSecondStep(last.autoStop))
      await this.#note(last, id, { next: buildGap(clock.now()), elapsed: clock.elapsed() });
  }

  /** Someone started it, or may have: what was stopped by then isn't destroyed. @throws the disk's error. */
  async callOff(account: SignedIn, id: InstanceId): Promise<void> {
    // What follows an end has one name: where a window was faster to write the second step, that one is taken back.
    for (let times = 0; times < 2; times += 1) {
      const last = await this.#findLatest(account, id);
      const { until, stoppedHours } = last?.autoStop ?? {};
      const hasBegun =
        typeof until === "number" && (until <= this.#parts.clock.now() || (last && isSecondStep(last.autoStop)));
      if (!last || stoppedHours === undefined || !hasBegun) return;
      await this.#callOff(last, id);
    }
  }
}

/**
 * Whether an end may be carried out. A second step only as long as its instance is stopped, by its own answer and by the list, and was all
 * along. @throws the disk's error, or AppError if the service can't be asked.
 */
export async function recheckEitherStep(
  journal: AutoStopJournal,
  instances: Pick<InstancesService, "whereabouts" | "list">,
  account: SignedIn,
  { name, id, clock }: { readonly name: string; readonly id: InstanceId; readonly clock: Clock },
): Promise<ReasonStatus> {
  const recheck = () => recheckAutoStop(journal, account, { name, id }, clock.now());
  const read = async () => (await journal.readAll()).filter(({ autoStop }) => isOfAccount(autoStop, account));
  const status = await recheck();
  const own = status === "holds" ? (await read()).find((entry) => entry.name === name) : undefined;
  if (!own || !isSecondStep(own.autoStop)) return status;
  const isStopped = (row: Row<Instance> | undefined) =>
    row !== undefined && isSeenStopped(row.value) && getPhase(row.value) === "stopped";
  const since = clock.elapsed();
  if (!isStopped(await instances.whereabouts.ask(account, id))) return "late";
  const listed = await instances.list(account, { since }).catch((error) => {
    // A service without a list doesn't speak against it.
    if (asAppError(error).kind === "unsupported") return undefined;
    throw error;
  });
  if (listed && !isStopped(listed.rows.find(({ value }) => value.id === id))) return "late";
  // After the service answered: in the meantime, another window may have seen something, or set another end.
  const span = findSpan(await read(), id);
  const now = await recheck();
  return now === "holds" && !wasStoppedAllAlong(own.autoStop, span, clock.now()) ? "late" : now;
}
