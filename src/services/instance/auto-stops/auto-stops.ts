// Ends of instances: a window that is open reminds of them and carries out the orders that the person gave for then. What was set in
// one window holds in all, and each end is carried out by one of them.
import type { InstanceId } from "../../../domain/base/id.ts";
import { calculateReminderTime, type InstanceAutoStop } from "../../../domain/instance/auto-stop.ts";
import { getPhase, type Instance } from "../../../domain/instance/instance.ts";
import { isMeantToRun } from "../../../domain/instance/second-step.ts";
import { Bag, type Disposable } from "../../../lib/disposable.ts";
import { Emitter } from "../../../lib/event.ts";
import type { Log } from "../../../lib/log.ts";
import { isOfAccount } from "../../core/account-mark.ts";
import { DueReading } from "../../core/book/due-reading.ts";
import type { Liveness } from "../../core/heartbeat.ts";
import type { ScheduledJob, Scheduler } from "../../core/scheduler.ts";
import type { SessionService, SignedIn } from "../../core/session.ts";
import type { InstanceActions } from "../instance-actions.ts";
import type { InstanceOrders } from "../instance-orders.ts";
import type { InstancesService } from "../instances.ts";
import type { OrderJournal, OrderKind } from "../order-journal.ts";
import { Sightings } from "../sightings.ts";
import { AutoStopAttempts, type AutoStopOrder } from "./auto-stop-attempts.ts";
import { type AutoStopChange, AutoStopChanges } from "./auto-stop-changes.ts";
import { decideNotice, isLeftToItself, mayBeItsOwn, mayHaveEnded, type OpenAutoStop } from "./auto-stop-due.ts";
import {
  type AutoStopEntry,
  type AutoStopTarget,
  type AutoStopTold,
  endsItself,
  findLatestAutoStop,
  isAutoStopFor,
  listEarlyOver,
} from "./auto-stop-entry.ts";
import type { AutoStopJournal } from "./auto-stop-journal.ts";
import { findLaunched, listNewlyLaunched } from "./auto-stop-launches.ts";
import { type AutoStopNotice, AutoStopTelling } from "./auto-stop-telling.ts";
import { describeEnd, findEnd } from "./instance-auto-stop.ts";
import { recheckEitherStep, SecondSteps } from "./second-steps.ts";
import type { SelfStopAccess } from "./self-stop-access.ts";

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly actions: InstanceActions;
  readonly orders: InstanceOrders;
  readonly orderJournal: OrderJournal;
  readonly journal: AutoStopJournal;
  readonly scheduler: Scheduler;
  readonly liveness: Liveness;
  readonly log: Log;
}

/** Milliseconds between looks at the clock: a computer that slept must not wait for the rest of a long timer. */
const LOOK_EVERY = 30_000;

export class AutoStopsService implements Disposable {
  readonly #parts: Parts;
  readonly #bag = new Bag();
  readonly #job: ScheduledJob;
  readonly #ends: AutoStopAttempts;
  readonly #seconds: SecondSteps;
  readonly #leaseChanges: AutoStopChanges;
  readonly #telling: AutoStopTelling;
  /** Called before another one is set for an instance, whatever comes of that. */
  readonly onWillSet: ((target: AutoStopTarget & { readonly id: InstanceId }) => Promise<void>)[] = [];
  readonly #changes = this.#bag.add(new Emitter<void>());
  readonly onDidChange = this.#changes.event;
  readonly #notices = this.#bag.add(new Emitter<AutoStopNotice>());
  readonly onNotice = this.#notices.event;
  /** Of the signed-in account. */
  #entries: readonly AutoStopEntry[] = [];
  /** Names of ends of launches that the service shows no instance for. */
  readonly #unfound = new Set<string>();
  /** One that ended itself is told of by its name. */
  readonly #sightings: Sightings;
  readonly #due: DueReading;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { clock } = parts.scheduler;
    this.#due = this.#bag.add(new DueReading(LOOK_EVERY, clock));
    this.#sightings = new Sightings(parts.session, clock);
    this.#ends = new AutoStopAttempts({ ...parts, clock });
    const own = { ...parts, clock, ends: this.#ends };
    this.#seconds = new SecondSteps({ ...own, sightings: this.#sightings, wake: () => this.wake() });
    this.#leaseChanges = new AutoStopChanges(own);
    this.#telling = new AutoStopTelling(parts);
    const job = { id: "ends", wait: () => this.#wait(), run: () => this.#check() };
    this.#job = this.#bag.add(parts.scheduler.add(job));
    this.#bag.add(parts.session.onDidChange(() => this.#restart()));
    this.#bag.add(parts.instances.onDidList((listing) => this.#sightings.take(listing)));
    this.#bag.add(parts.instances.collection.store.onDidChange(() => this.#recognize()));
    parts.actions.starts = this.#seconds;
    this.wake();
  }

  /** When it ends, if the person set that, and no one has carried it out. */
  findAutoStop({ id }: Pick<Instance, "id">): InstanceAutoStop | undefined {
    const { instances, scheduler } = this.#parts;
    return findEnd(this.#entries, { id, instance: instances.find(id)?.value, now: scheduler.clock.now() });
  }

  /** All that were set for an instance whose start script has it end itself; none for others. */
  listSelfStopsOf(id: InstanceId): readonly AutoStopEntry[] {
    return endsItself(this.#entries, { id }) ? this.#entries.filter((entry) => isAutoStopFor(entry, { id })) : [];
  }

  /** Moves the ends that instances keep themselves. */
  keepOnMachines(ends: SelfStopAccess): void {
    this.#leaseChanges.keepOnMachines(ends);
  }

  /** The ends couldn't be read twice in a row: this window doesn't keep them. */
  get onDidGetStuck(): DueReading["onDidGetStuck"] {
    return this.#due.onDidGetStuck;
  }

  /** This or another window wrote something. */
  wake(): void {
    this.#due.mark();
    this.#job.plan();
  }

  /** As `LeaseChanges.set` does it. */
  async set(...change: Parameters<AutoStopChanges["set"]>): Promise<AutoStopChange> {
    const [, { id, ...launch }] = change;
    if (id !== undefined) for (const note of this.onWillSet) await note({ id, ...launch });
    try {
      return await this.#leaseChanges.set(...change);
    } finally {
      await this.#job.runNow();
      this.wake();
    }
  }

  #restart(): void {
    this.#entries = [];
    this.#unfound.clear();
    this.#sightings.clear();
    this.#changes.fire();
    this.wake();
  }

  /** The instance of a launch is listed now, or the clock was set back: an end that is over has no timer. */
  #recognize(): void {
    const { instances, scheduler } = this.#parts;
    const isEarly = (entry: AutoStopEntry) => listEarlyOver(entry, scheduler.clock.now()).length > 0;
    const isNews = (entry: AutoStopEntry) => isEarly(entry) || listNewlyLaunched(entry, instances.rows).length > 0;
    if (this.#entries.some(isNews)) this.wake();
  }

  #wait(): number | undefined {
    if (this.#parts.session.current.kind !== "signed-in") return undefined;
    if (this.#due.wait !== undefined) return this.#due.wait;
    const now = this.#parts.scheduler.clock.now();
    const waits = this.#open().map(({ autoStop }) => {
      const moments = [calculateReminderTime(autoStop.until, autoStop.at), autoStop.until].filter((at) => at > now);
      return Math.min(LOOK_EVERY, ...moments.map((at) => at - now));
    });
    return waits.length === 0 ? undefined : Math.min(...waits);
  }

  /** Ends that hold and have a time, with each instance they are for; without one while that isn't known. */
  #open(): readonly OpenAutoStop[] {
    return this.#entries.flatMap((entry) => {
      const { autoStop, ids, over } = entry;
      const { until, token } = autoStop;
      if (until === null || (ids.size === 0 && this.#unfound.has(entry.name))) return [];
      const targets = ids.size === 0 ? [undefined] : [...ids].filter((id) => !over.has(id));
      return targets
        .filter((id) => findLatestAutoStop(this.#entries, { id, token }) === entry)
        .map((id) => ({ entry, id, autoStop: { ...autoStop, until } }));
    });
  }

  async #check(): Promise<void> {
    const account = this.#parts.session.current;
    if (account.kind !== "signed-in") return;
    await this.#due.run(() => this.#readAll(account));
    for (const open of this.#open())
      await this.#handle(account, open).catch((error) => this.#parts.log.warn("An end could not be kept.", error));
  }

  /** Notes which instances launches have come to be, too. */
  async #readAll(account: SignedIn): Promise<void> {
    const { session, journal, scheduler } = this.#parts;
    const read = async () => {
      const all = await journal.readAllAt(scheduler.clock, this.#ends);
      if (session.current === account) this.#entries = all.filter((entry) => isOfAccount(entry.autoStop, account));
    };
    await read();
    const unnoted = this.#entries.flatMap((entry) =>
      listNewlyLaunched(entry, this.#parts.instances.rows).map((id) => ({ entry, id })),
    );
    for (const { entry, id } of unnoted) await journal.noteInstance(entry.name, id);
    if (unnoted.length > 0) await read();
    this.#changes.fire();
  }

  /** What is due for one instance now. @throws AppError if the service can't be asked: it is asked again soon. */
  async #handle(account: SignedIn, { entry, id, autoStop }: OpenAutoStop): Promise<void> {
    const { actions, session, scheduler } = this.#parts;
    const { until, ending } = autoStop;
    if (id !== undefined) await this.#seconds.look(account, this.#entries, entry, id);
    const now = scheduler.clock.now();
    if (now < calculateReminderTime(until, autoStop.at)) return;
    if (id === undefined) return await this.#find(account, entry, now >= until);
    const instance = this.#parts.instances.find(id)?.value;
    const end = describeEnd(this.#entries, { entry, until }, { id, instance, now });
    const told = decideNotice(end, now);
    if (told === "soon" && (end.isDoubted || end.second === "unsure")) return;
    const isSettled = told !== undefined && ending !== "remind" && (await this.#seconds.isSettled(entry, id));
    if (isSettled && (await this.#seconds.close(account, entry, id))) return;
    if (told !== undefined && !(await this.#telling.may(entry, told, id))) return;
    const row = await actions.reread(account, id);
    if (session.current !== account) return;
    if (!row) return await this.#noteGone(account, entry, id, end);
    if (end.second && isMeantToRun(row.value)) return;
    const isStopped = ending === "stop" && ["stopping", "stopped"].includes(getPhase(row.value));
    if (isStopped && (now < until || (await this.#noteEnded(account, entry, id, end)) || told === undefined)) return;
    if (told !== undefined) await this.#tell(account, entry, row.value, { kind: told, end });
    else if (ending === "stop" && this.#sightings.wasStartedAgain(id, until)) await this.#noteOver(entry, id);
    else if (ending !== "remind" && !isLeftToItself(end, now) && this.#seconds.mayAct(this.#entries, entry, id))
      await this.#carryOut(account, entry, row.value, { ...end, ending });
  }

  async #noteGone(account: SignedIn, entry: AutoStopEntry, id: InstanceId, end: InstanceAutoStop): Promise<void> {
    const { instances, scheduler, session } = this.#parts;
    // Neither an answer nor a list says anything as long as the end is still to come.
    if (!mayHaveEnded(end, scheduler.clock.now()) || !(await instances.whereabouts.isGone(account, id))) return;
    if (session.current !== account) return;
    // One that stops itself isn't gone by that.
    await (end.ending === "stop" ? this.#noteOver(entry, id) : this.#noteEnded(account, entry, id, end));
  }

  /** Tells of an instance that was to end itself, unless a window gave the order; much later, at once. @returns as `begin` of a second step. */
  async #noteEnded(account: SignedIn, entry: AutoStopEntry, id: InstanceId, end: InstanceAutoStop): Promise<boolean> {
    const { at } = entry.autoStop;
    if (!(await this.#seconds.begin(account, entry, id))) return false;
    const wasRunning = this.#sightings.mayHaveEndedItself(id, entry.proofs.get(id), { at, until: end.until });
    const isOwn = wasRunning && mayBeItsOwn(end, this.#parts.scheduler.clock.now());
    if (isOwn && !(await this.#ends.wasOrdered(account, entry, id)) && (await this.#telling.may(entry, "itself", id)))
      await this.#tell(account, entry, this.#sightings.find(id) ?? { id }, { kind: "itself", end });
    else await this.#noteOver(entry, id);
    return true;
  }

  /** No one may have looked at the list since the launch. Without an instance in it at its end, the launch rented none. */
  async #find(account: SignedIn, entry: AutoStopEntry, isDue: boolean): Promise<void> {
    const found = await findLaunched(this.#parts, account, entry);
    if (found === "found") this.wake();
    else if (found === "unlisted" || (found === "none" && isDue)) this.#unfound.add(entry.name);
  }

  async #tell(
    account: SignedIn,
    entry: AutoStopEntry,
    instance: Instance,
    { kind, end }: { readonly kind: AutoStopTold; readonly end: InstanceAutoStop },
  ): Promise<void> {
    const { id } = instance;
    const logUnclosed = (error: unknown) => this.#parts.log.warn("A reminder could not be closed.", error);
    const answered = await this.#telling.claim(entry, kind, id);
    if (!answered) return;
    // Nothing is left to do once someone has seen a reminder, nor after an end that the instance carried out.
    const seen = async () => {
      if (kind === "over") await this.#noteOver(entry, id).catch(logUnclosed);
      if (kind === "overdue") await this.#parts.journal.noteSeen(entry.name, id).catch(logUnclosed);
      answered();
    };
    this.#notices.fire({ kind, account, instance, end, answered: () => void seen() });
    if (kind === "itself") await this.#noteOver(entry, id);
    else this.wake();
  }

  async #noteOver(entry: AutoStopEntry, id: InstanceId): Promise<void> {
    await this.#parts.journal.noteOver(entry.name, id);
    this.wake();
  }

  async #carryOut(
    account: SignedIn,
    entry: AutoStopEntry,
    instance: Instance,
    end: InstanceAutoStop & { readonly ending: OrderKind },
  ): Promise<void> {
    const { journal, scheduler, instances } = this.#parts;
    // Compared with the clock as well: the computer may have slept since, or its clock been set right.
    const recheck = () =>
      recheckEitherStep(journal, instances, account, { name: entry.name, id: instance.id, clock: scheduler.clock });
    const tell: AutoStopOrder["tell"] = (result) =>
      this.#notices.fire({ kind: "ended", account, instance, end, result, answered: () => undefined });
    const wanted = { entry, id: instance.id, kind: end.ending, version: entry.autoStop.version, recheck, tell };
    if (await this.#ends.carryOut(account, wanted)) await this.#seconds.close(account, entry, instance.id);
  }

  dispose(): void {
    this.#bag.dispose();
  }
}
