// Idle timeouts that instances keep themselves: each is told once it can be logged in to, shows that it looks, and is asked again every few
// minutes. What was taken back or changed and hasn't reached its instance is brought there.
import { asAppError } from "../../../domain/base/error.ts";
import type { InstanceId } from "../../../domain/base/id.ts";
import type { IdleRule } from "../../../domain/instance/idle.ts";
import {
  createUnreadProof,
  type IdleKeeperGuard,
  type IdleKeeperOrder,
  type IdleKeeperProof,
  type IdleKeeperState,
  judgeIdleKeeper,
  mayKeepOrder,
  toIdleKeeperGuard,
} from "../../../domain/instance/idle-keeper.ts";
import { getPhase, type Phase } from "../../../domain/instance/instance.ts";
import { isNear } from "../../../lib/clock.ts";
import { Bag, type Disposable } from "../../../lib/disposable.ts";
import type { Log } from "../../../lib/log.ts";
import type { ScheduledJob, Scheduler } from "../../core/scheduler.ts";
import type { SessionService, SignedIn } from "../../core/session.ts";
import { type Asking, calculateAskingPause, findNextAsking } from "../asking.ts";
import type { InstanceOrders } from "../instance-orders.ts";
import type { InstanceUses } from "../instance-uses.ts";
import type { InstancesService } from "../instances.ts";
import { findLatestOrder, type IdleEntry, type IdleJournal } from "./idle-journal.ts";
import type { IdleKeeperAccess } from "./idle-keeper-access.ts";
import type { IdleOrders } from "./idle-orders.ts";

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly orders: InstanceOrders;
  readonly instanceUses: InstanceUses;
  readonly idleOrders: IdleOrders;
  readonly idleJournal: IdleJournal;
  readonly access: IdleKeeperAccess;
  /** What counts as idle, for what is told from now on. */
  readonly idleRule: () => IdleRule;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

const MINUTE = 60_000;
/** Milliseconds between two questions to one that answers, at most. */
const EVERY = 5 * MINUTE;

/** Then nothing runs on it. */
const AT_REST: readonly Phase[] = ["stopped", "starting", "scheduling"];

/** Milliseconds until one that was just begun is asked again. */
const LOOKS_SOON = 10_000;

interface KeeperAsking extends Asking {
  /** Since when this window has seen it run, in epoch milliseconds: what it showed before, it showed before a restart perhaps. */
  readonly from: number;
}

/**
 * `reached`: the instance knows. `acted`: it was just carrying out the order before. `unreached`: it may keep that one. `other`: it keeps
 * one that another computer gave later.
 */
type KeeperUpdate = "reached" | "acted" | "unreached" | "other";

export class IdleKeepers implements Disposable {
  readonly #parts: Parts;
  readonly #bag = new Bag();
  readonly #job: ScheduledJob;
  readonly #askings = new Map<InstanceId, KeeperAsking>();
  /** When a window was last seen to use it, in monotonic milliseconds. */
  readonly #usedAt = new Map<InstanceId, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
    const { session, instances, idleOrders, instanceUses, access, scheduler } = parts;
    this.#job = this.#bag.add(
      scheduler.add({ id: "idle-keepers", wait: () => this.#wait(), run: () => this.#check() }),
    );
    const plan = () => this.#job.plan();
    this.#bag.add(instances.collection.store.onDidChange(() => this.#compare()));
    this.#bag.add(idleOrders.onDidChange(plan));
    this.#bag.add(access.onDidChange(plan));
    this.#bag.add(instanceUses.onDidUse((id) => this.#usedAt.set(id, scheduler.clock.elapsed())));
    this.#bag.add(
      session.onDidChange(() => {
        this.#askings.clear();
        this.#usedAt.clear();
        plan();
      }),
    );
    idleOrders.held.guardBy((entry) => this.#getGuard(entry));
  }

  /** What is known of an order's keeper on its instance. Nothing runs on one that doesn't. */
  #getGuard({ order: { id }, proof }: IdleEntry): IdleKeeperGuard {
    const from = this.#askings.get(id)?.from;
    const isOfNow = proof !== undefined && from !== undefined && proof.at >= from;
    return toIdleKeeperGuard(isOfNow ? proof : undefined, this.#parts.scheduler.clock.now());
  }

  #compare(): void {
    const running = new Set(this.#listRunning());
    for (const id of [...this.#askings.keys()]) if (!running.has(id)) this.#askings.delete(id);
    this.#job.plan();
  }

  #listRunning(): readonly InstanceId[] {
    const { instances } = this.#parts;
    return instances.rows.flatMap(({ value, gone }) => (!gone && getPhase(value) === "running" ? [value.id] : []));
  }

  #targets(): readonly { readonly entry: IdleEntry; readonly asking: KeeperAsking }[] {
    const { orders, idleOrders, access } = this.#parts;
    return this.#listRunning().flatMap((id) => {
      const entry = idleOrders.held.findEntry(id);
      if (!entry || !needsInstance(entry) || orders.getStage(id) !== undefined || !access.isReady(id)) return [];
      return [{ entry, asking: this.#askingOf(id, entry.name) }];
    });
  }

  #askingOf(id: InstanceId, name: string): KeeperAsking {
    const known = this.#askings.get(id);
    if (known?.name === name) return known;
    const asking = { name, tries: 0, nextAt: 0, from: known?.from ?? this.#parts.scheduler.clock.now() };
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
    for (const { entry, asking } of this.#targets()) {
      if (asking.nextAt > scheduler.clock.elapsed()) continue;
      const again = calculateAskingPause(asking.tries);
      asking.tries += 1;
      const proof = await this.#ask(account, entry, asking).catch((error) => {
        log.debug(`The idle timeout of instance ${entry.order.id} couldn't be brought there.`, error);
        return undefined;
      });
      if (session.current !== account) return;
      const isSound = proof !== undefined && isLooking(proof);
      if (isSound) asking.tries = 0;
      const pause = proof?.doubt === "starting" ? LOOKS_SOON : calculatePause(entry);
      asking.nextAt = scheduler.clock.elapsed() + (isSound ? pause : again);
    }
  }

  /** Another window may have just asked: what it noted counts for this one as well. */
  async #ask(account: SignedIn, entry: IdleEntry, asking: KeeperAsking): Promise<IdleKeeperProof | undefined> {
    const { scheduler, access } = this.#parts;
    const { order, proof } = entry;
    const now = scheduler.clock.now();
    const isKept = proof !== undefined && isLooking(proof) && proof.at >= asking.from;
    const isUsed = this.#isUsed(entry);
    if (isKept && proof.doubt === undefined && !isUsed && isNear(now, proof.at, calculatePause(entry) / 2))
      return proof;
    if (isKept) {
      const state = await access.read(account, order.id, isUsed);
      const shown = judgeIdleKeeper(state, versionOf(entry), scheduler.clock.now());
      if (isLooking(shown)) return await this.#note(account, entry, shown);
    }
    return (await this.#place(account, entry))?.proof;
  }

  /** @returns undefined if another order was given in the meantime. */
  async #place(account: SignedIn, entry: IdleEntry) {
    const { access, idleJournal, scheduler } = this.#parts;
    const { order } = entry;
    // Whatever becomes of the answer, it may have it from now on.
    if (!mayKeepOrder(entry.proof)) await this.#note(account, entry, createUnreadProof(scheduler.clock.now()));
    // Others may have been asked before it for minutes. Whoever gives another order from now on finds the note.
    const latest = findLatestOrder(await idleJournal.readAll(account), order.id);
    if (latest?.name !== entry.name) return undefined;
    const state: IdleKeeperState | "missing" = await access.tell(account, order.id, this.#toKeeperOrder(entry));
    const proof = judgeIdleKeeper(state, versionOf(entry), scheduler.clock.now());
    return { state, proof: await this.#note(account, entry, proof) };
  }

  #toKeeperOrder(entry: IdleEntry): IdleKeeperOrder {
    return { ...versionOf(entry), wish: entry.order.wish, percent: this.#parts.idleRule().percent };
  }

  async #note(account: SignedIn, entry: IdleEntry, proof: IdleKeeperProof): Promise<IdleKeeperProof> {
    const { session, idleJournal, idleOrders } = this.#parts;
    if (session.current === account) await idleJournal.noteProof(entry.name, proof);
    idleOrders.wake();
    return proof;
  }

  #isUsed({ order: { id } }: IdleEntry): boolean {
    const at = this.#usedAt.get(id);
    return at !== undefined && this.#parts.scheduler.clock.elapsed() - at <= EVERY;
  }

  /**
   * Tells an instance the order that was just given, or takes it away, if it may keep one from before: until it knows, that one holds there.
   * @returns undefined if it keeps none.
   */
  async update(account: SignedIn, id: InstanceId): Promise<KeeperUpdate | undefined> {
    const { session, idleOrders, log } = this.#parts;
    const entry = idleOrders.held.findEntry(id);
    const row = this.#parts.instances.find(id);
    // What has stopped runs nothing any longer.
    const isAtRest = row !== undefined && !row.gone && AT_REST.includes(getPhase(row.value));
    if (!entry || !idleOrders.held.mayKeepOther(id) || isAtRest) return undefined;
    session.assertStill(account);
    try {
      const placed = await this.#place(account, entry);
      if (!placed) return "unreached";
      const { state, proof } = placed;
      if (state !== "missing" && state.hasActed) return "acted";
      if (proof.doubt === "other") return "other";
      return entry.order.wish || proof.doubt === "missing" ? "reached" : "unreached";
    } catch (error) {
      if (asAppError(error).kind === "rejected" && session.current !== account) throw error;
      log.debug(`The idle timeout of instance ${id} couldn't be changed there.`, error);
      return "unreached";
    } finally {
      this.#job.plan();
    }
  }

  dispose(): void {
    this.#bag.dispose();
  }
}

const versionOf = ({ name, order: { at } }: IdleEntry) => ({ name, at });

/** Whether something on it keeps the order and goes on, whatever it can see. */
const isLooking = ({ doubt }: IdleKeeperProof): boolean =>
  doubt === undefined || doubt === "blind" || doubt === "starting";

/** Whether its instance is to be told or asked: also of an order that was taken back, until it shows that it keeps none. */
function needsInstance({ order, proof, isOver, isDoubted }: IdleEntry): boolean {
  if (isDoubted) return false;
  return order.wish ? !isOver : mayKeepOrder(proof);
}

/** Half the time that it must be idle: a window that uses it says so with each question. */
const calculatePause = ({ order: { wish } }: IdleEntry): number =>
  Math.min(EVERY, ((wish?.minutes ?? 0) * MINUTE) / 2 || EVERY);
