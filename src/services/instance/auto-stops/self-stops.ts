// Instances that end themselves: each shows that it does, once it can be logged in to, and again after it was started again. An end that
// was set and hasn't reached its instance is brought there.

import type { InstanceId } from "../../../domain/base/id.ts";
import type { AutoStop, SelfStopProof } from "../../../domain/instance/auto-stop.ts";
import { getPhase, type Phase } from "../../../domain/instance/instance.ts";
import { toOrder } from "../../../domain/instance/kept-self-stop.ts";
import { isLater, judgeEnd, keepsEnd, type SelfStopState, toSeconds } from "../../../domain/instance/self-stop.ts";
import { isNear } from "../../../lib/clock.ts";
import { Bag, type Disposable } from "../../../lib/disposable.ts";
import type { Log } from "../../../lib/log.ts";
import type { ScheduledJob, Scheduler } from "../../core/scheduler.ts";
import type { SessionService, SignedIn } from "../../core/session.ts";
import { type Asking, calculateAskingPause, findNextAsking } from "../asking.ts";
import type { InstanceOrders } from "../instance-orders.ts";
import type { InstancesService } from "../instances.ts";
import { type AutoStopEntry, findLatestAutoStop } from "./auto-stop-entry.ts";
import type { AutoStopJournal } from "./auto-stop-journal.ts";
import type { AutoStopsService } from "./auto-stops.ts";
import { toWantedAutoStop } from "./instance-auto-stop.ts";
import type { SelfStopAccess } from "./self-stop-access.ts";

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly orders: InstanceOrders;
  readonly autoStops: AutoStopsService;
  readonly journal: AutoStopJournal;
  readonly selfStopAccess: SelfStopAccess;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

/** Milliseconds for which a proof is taken for true. */
const FRESH = 6 * 3_600_000;
/** Milliseconds before an end in which nothing is asked: it may be carried out at any moment. */
const NOT_BEFORE = 60_000;

/** An instance that is asked about its end. */
interface Asked {
  readonly id: InstanceId;
  readonly entry: AutoStopEntry;
  /** What it is to keep. */
  readonly autoStop: AutoStop;
}

interface EndAsking extends Asking {
  /** It began to run since it was asked: what kept its end was started again. */
  isRestarted: boolean;
  /** How many times it began to run: an answer from before the last time says nothing of what keeps its end now. */
  begun: number;
}

export class SelfStops implements Disposable {
  readonly #parts: Parts;
  readonly #bag = new Bag();
  readonly #job: ScheduledJob;
  readonly #askings = new Map<InstanceId, EndAsking>();
  #phases = new Map<InstanceId, Phase>();

  constructor(parts: Parts) {
    this.#parts = parts;
    const { session, instances, autoStops, selfStopAccess, scheduler } = parts;
    autoStops.keepOnMachines(selfStopAccess);
    this.#job = this.#bag.add(scheduler.add({ id: "own-ends", wait: () => this.#wait(), run: () => this.#check() }));
    const plan = () => this.#job.plan();
    this.#bag.add(instances.collection.store.onDidChange(() => this.#compare()));
    this.#bag.add(autoStops.onDidChange(plan));
    this.#bag.add(selfStopAccess.onDidChange(plan));
    this.#bag.add(
      session.onDidChange(() => {
        this.#askings.clear();
        this.#phases.clear();
        plan();
      }),
    );
  }

  #compare(): void {
    const before = this.#phases;
    this.#phases = new Map(this.#parts.instances.rows.map(({ value }) => [value.id, getPhase(value)]));
    for (const [id, now] of this.#phases) {
      const asking = this.#askings.get(id);
      if (asking && now === "running" && before.get(id) !== "running")
        Object.assign(asking, { isRestarted: true, tries: 0, nextAt: 0, begun: asking.begun + 1 });
    }
    this.#job.plan();
  }

  /** What is to be asked, now or later. */
  #targets(): readonly (Asked & { readonly asking: EndAsking })[] {
    const { instances, orders, autoStops, selfStopAccess, scheduler } = this.#parts;
    const now = scheduler.clock.now();
    return instances.rows.flatMap(({ value, gone }) => {
      const { id } = value;
      if (gone || getPhase(value) !== "running" || orders.getStage(id) !== undefined) return [];
      const entry = findLatestAutoStop(autoStops.listSelfStopsOf(id), { id });
      if (!entry || !selfStopAccess.isReady(id)) return [];
      const autoStop = toWantedAutoStop(entry, id, now);
      const { until } = autoStop;
      if (until !== null && until - NOT_BEFORE < now) return [];
      const asking = this.#askingOf(id, entry.name);
      return asking.isRestarted || !isSettled(entry.proofs.get(id), until, now)
        ? [{ id, entry, autoStop, asking }]
        : [];
    });
  }

  #askingOf(id: InstanceId, name: string): EndAsking {
    const known = this.#askings.get(id);
    if (known?.name === name) return known;
    // It may have begun again before this window was opened.
    const asking = { name, tries: 0, nextAt: 0, isRestarted: known?.isRestarted ?? true, begun: 0 };
    this.#askings.set(id, asking);
    return asking;
  }

  #wait(): number | undefined {
    if (this.#parts.session.current.kind !== "signed-in") return undefined;
    const askings = this.#targets().map(({ asking }) => asking);
    return findNextAsking(askings, this.#parts.scheduler.clock.elapsed());
  }

  async #check(): Promise<void> {
    const { session, scheduler, log } = this.#parts;
    const account = session.current;
    if (account.kind !== "signed-in") return;
    for (const { asking, ...asked } of this.#targets()) {
      if (asking.nextAt > scheduler.clock.elapsed()) continue;
      const again = calculateAskingPause(asking.tries);
      asking.tries += 1;
      const { begun } = asking;
      const isProven = await this.#prove(account, asked).catch((error) => {
        log.debug(`The own end of instance ${asked.id} could not be read.`, error);
        return false;
      });
      if (session.current !== account) return;
      if (asking.begun !== begun) continue;
      asking.nextAt = scheduler.clock.elapsed() + again;
      if (isProven) Object.assign(asking, { tries: 0, isRestarted: false });
    }
  }

  /** @returns whether it showed that it ends itself. @throws AppError if it can't be asked. */
  async #prove(account: SignedIn, { id, entry, autoStop }: Asked): Promise<boolean> {
    const { session, journal, autoStops, selfStopAccess, scheduler } = this.#parts;
    let end = await selfStopAccess.ask(account, id);
    if (session.current !== account) return false;
    // Read again: another end may have been set in the meantime, and its instance told of it.
    const last = findLatestAutoStop(autoStops.listSelfStopsOf(id), { id });
    if (last?.name !== entry.name || last.over.has(id) !== entry.over.has(id)) return false;
    if (end !== "missing" && this.#isBehind(end, id, autoStop))
      end = await selfStopAccess.ask(account, id, toOrder(autoStop, scheduler.clock.now()));
    if (session.current !== account) return false;
    const now = scheduler.clock.now();
    const proof = judgeEnd(end, autoStop, now);
    const count = entry.proofCounts.get(id) ?? 0;
    const isNoted = await journal.noteProofAfter(entry.name, id, { count, proof });
    autoStops.wake();
    return isNoted && isSettled(proof, autoStop.until, now);
  }

  /** Whether this end never came there. What someone wrote into the file by hand is left as it is. */
  #isBehind(end: SelfStopState, id: InstanceId, autoStop: AutoStop): boolean {
    if (keepsEnd(end, autoStop) || !isLater(autoStop, end)) return false;
    const entries = this.#parts.autoStops.listSelfStopsOf(id);
    const isOurs = ({ autoStop: { until } }: AutoStopEntry) => until !== null && toSeconds(until) === end.written;
    return end.count > 0 || entries.some(isOurs);
  }

  dispose(): void {
    this.#bag.dispose();
  }
}

/** Whether it showed, not long ago, that it does as it was told. One that is to keep no end may as well keep nothing any longer. */
function isSettled(proof: SelfStopProof | undefined, until: number | null, now: number): boolean {
  if (!proof || !isNear(now, proof.at, FRESH)) return false;
  return proof.doubt === undefined || (until === null && ["missing", "ended", "refused"].includes(proof.doubt));
}
