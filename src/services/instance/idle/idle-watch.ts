// Watches how busy the GPUs of running instances are: a reading with each list, and one of the machine itself where a connection to it
// is open. Each window counts for itself, in memory: one that was just opened, or slept, begins again.
import type { InstanceId } from "../../../domain/base/id.ts";
import type { GpuLoad } from "../../../domain/instance/gpu-load.ts";
import {
  calculateQuietTime,
  canBeIdle,
  continueSpell,
  getLoadSource,
  type IdleRule,
  type IdleState,
  isIdle,
  isOutdated,
  type LoadSource,
  type Moment,
  type QuietSpell,
  readLoad,
} from "../../../domain/instance/idle.ts";
import { getPhase, type Instance, type Phase } from "../../../domain/instance/instance.ts";
import type { Disposable } from "../../../lib/disposable.ts";
import { Emitter } from "../../../lib/event.ts";
import type { Log } from "../../../lib/log.ts";
import { getLast } from "../../core/loaded.ts";
import type { Scheduler } from "../../core/scheduler.ts";
import type { SessionService, SignedIn } from "../../core/session.ts";
import type { InstanceActions } from "../instance-actions.ts";
import type { InstanceUses } from "../instance-uses.ts";
import type { InstancesService } from "../instances.ts";

/** Reads a machine by a connection that is open to it. Undefined if there is none, or if it can't be told. Never rejects. */
type ReadMachine = (account: SignedIn, id: InstanceId) => Promise<GpuLoad | undefined>;

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly actions: Pick<InstanceActions, "reread">;
  readonly uses: InstanceUses;
  readonly scheduler: Scheduler;
  /** Read again at each reading: the person may change it. */
  readonly rule: () => IdleRule;
  readonly log: Log;
}

interface Watched {
  instance: Instance;
  spell: QuietSpell | undefined;
  gpus: GpuLoad | undefined;
  /** Has a higher number each time that it worked, was in use, or started. What isn't known changes nothing. */
  work: number;
  /** When that was, in epoch milliseconds. */
  workedAt: number;
}

/** Then it has nothing to do, and starts again: what it was told of before is over. */
const AT_REST: readonly Phase[] = ["starting", "stopping", "stopped", "scheduling"];

export class IdleWatch implements Disposable {
  readonly #parts: Parts;
  readonly #listening: readonly Disposable[];
  readonly #watched = new Map<InstanceId, Watched>();
  /** When those worked last that a list left out: they may be there all the same. */
  readonly #leftOut = new Map<InstanceId, Pick<Watched, "work" | "workedAt">>();
  readonly #readings = new Emitter<void>();
  /** Fires after each reading of the list. */
  readonly onDidRead = this.#readings.event;
  readonly #changes = new Emitter<void>();
  /** Fires when an instance is no longer idle, or was read by another way than the list. */
  readonly onDidChange = this.#changes.event;
  #readMachine: ReadMachine = async () => undefined;
  #works = 0;
  /** As it was at the last reading: it is asked for with each row. */
  #rule: IdleRule;
  /** Instances whose work this window tells the others of. */
  #isGuarded: (id: InstanceId) => boolean = () => false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#rule = parts.rule();
    this.#listening = [
      parts.session.onDidChange(() => this.#restart()),
      parts.instances.collection.store.onDidChange(() => this.#read()),
      parts.uses.onDidUse((id) => this.#breakOff(id)),
    ];
  }

  /** How a machine is read by those who know of connections. */
  readMachinesBy(read: ReadMachine): void {
    this.#readMachine = read;
  }

  /** Of these, other windows hear that they work as well: an order of theirs may be about to end them. */
  guard(isGuarded: (id: InstanceId) => boolean): void {
    this.#isGuarded = isGuarded;
  }

  /** How long it is known to be idle by the person's own rule. Undefined if it isn't, or if that isn't known. */
  getState(id: InstanceId): IdleState | undefined {
    return this.#stateFor(id, this.#rule.minutes);
  }

  /**
   * How long it is known to be idle, for whoever asks for other times than the rule. `from`: what was before doesn't count, in monotonic
   * milliseconds.
   */
  getIdleTime(id: InstanceId, minutes: number, from: number): number | undefined {
    return this.#stateFor(id, minutes, from)?.time;
  }

  /** Those that run, as far as is known. */
  get watched(): readonly Instance[] {
    return [...this.#watched.values()].map(({ instance }) => instance);
  }

  find(id: InstanceId): Instance | undefined {
    return this.#watched.get(id)?.instance;
  }

  /** When the present stretch without work began, in monotonic milliseconds. */
  getQuietSince(id: InstanceId): number | undefined {
    const spell = this.#watched.get(id)?.spell;
    return spell && !isOutdated(spell, this.#moment()) ? spell.since.elapsed : undefined;
  }

  /** A number that is higher once it worked again, or was in use. */
  getWork(id: InstanceId): number {
    return this.#watched.get(id)?.work ?? 0;
  }

  /** When that was, in epoch milliseconds; for one that was never seen to work, since when it is watched. */
  getWorkedAt(id: InstanceId): number | undefined {
    return this.#watched.get(id)?.workedAt;
  }

  #stateFor(id: InstanceId, minutes: number, from?: number): IdleState | undefined {
    const watched = this.#watched.get(id);
    const at = this.#moment();
    if (!watched?.spell || !isIdle(watched.spell, { minutes, at, from })) return undefined;
    const { spell, instance } = watched;
    if (!canBeIdle(instance, spell, at)) return undefined;
    const source = getLoadSource(spell, at);
    const gpus = source === "machine" ? watched.gpus : undefined;
    return { time: calculateQuietTime(spell, from), percent: spell.percent, source, gpus };
  }

  #moment(): Moment {
    const { clock } = this.#parts.scheduler;
    return { elapsed: clock.elapsed(), now: clock.now() };
  }

  #restart(): void {
    this.#watched.clear();
    this.#leftOut.clear();
    this.#changes.fire();
  }

  /** Rows that a list with gaps left out are as they were, and no reading. */
  #read(): void {
    const { session, instances, uses } = this.#parts;
    if (session.current.kind !== "signed-in") return;
    const list = getLast(instances.collection.store.current)?.value;
    if (!list) return;
    this.#rule = this.#parts.rule();
    let isNew = false;
    const there = new Set<InstanceId>();
    for (const { value, gone } of list.rows) {
      const now = getPhase(value);
      if (gone) continue;
      if (AT_REST.includes(now)) {
        this.#watched.delete(value.id);
        this.#leftOut.delete(value.id);
        continue;
      }
      there.add(value.id);
      const watched = this.#watched.get(value.id);
      if (watched?.instance === value) continue;
      isNew = true;
      if (now === "running") this.#note(value, { load: readLoad(value, this.#rule.percent), source: "service" });
      else if (watched) watched.instance = value;
    }
    for (const [id, watched] of [...this.#watched]) {
      if (there.has(id)) continue;
      this.#leftOut.set(id, watched);
      this.#watched.delete(id);
    }
    if (!isNew) return;
    uses.look();
    this.#readings.fire();
  }

  #note(instance: Instance, reading: { readonly load: number | undefined; readonly source: LoadSource }): void {
    const { percent } = this.#rule;
    const before = this.#watched.get(instance.id);
    const at = this.#moment();
    const spell = continueSpell(before?.spell, { ...reading, at }, percent);
    const isWorking = reading.load !== undefined && reading.load >= percent;
    const last = before ?? this.#leftOut.get(instance.id);
    const { work, workedAt } = last && !isWorking ? last : { work: ++this.#works, workedAt: at.now };
    this.#watched.set(instance.id, { instance, spell, work, workedAt, gpus: before?.gpus });
    if (isWorking && (reading.source === "machine" || this.#isGuarded(instance.id))) this.#parts.uses.note(instance.id);
  }

  /** What the machine itself said, by the list or not. */
  noteMachine(account: SignedIn, id: InstanceId, gpus: GpuLoad): void {
    const watched = this.#watched.get(id);
    if (this.#parts.session.current !== account || !watched) return;
    this.#note(watched.instance, { load: gpus.load, source: "machine" });
    const now = this.#watched.get(id);
    if (now) now.gpus = gpus;
    this.#changes.fire();
  }

  #breakOff(id: InstanceId): void {
    const watched = this.#watched.get(id);
    if (!watched) return;
    const wasQuiet = watched.spell !== undefined;
    watched.spell = undefined;
    watched.work = ++this.#works;
    watched.workedAt = this.#moment().now;
    if (wasQuiet) this.#changes.fire();
  }

  /** Knows from then on what the other windows said until now. @throws the disk's error. */
  readOthers(account: SignedIn): Promise<void> {
    return this.#parts.uses.readOthers(account, () => this.#watched.keys());
  }

  /**
   * Reads an instance again, by every way there is, just before something is done to it.
   * @returns whether the service says right now that it runs and does nothing. What isn't known is no yes.
   * @throws AppError if the service can't be asked; the disk's error.
   */
  async recheck(account: SignedIn, id: InstanceId): Promise<Instance | undefined> {
    const { actions, session, uses } = this.#parts;
    const [row, gpus] = await Promise.all([actions.reread(account, id), this.#readMachine(account, id)]);
    if (session.current !== account || !row || getPhase(row.value) !== "running" || !this.#watched.has(id))
      return undefined;
    const load = readLoad(row.value, this.#rule.percent);
    this.#note(row.value, { load, source: "service" });
    if (gpus) this.noteMachine(account, id, gpus);
    uses.look();
    await this.readOthers(account);
    const known = [load, gpus?.load].filter((one) => one !== undefined);
    const isQuiet = known.length > 0 && Math.max(...known) < this.#rule.percent;
    return isQuiet && this.#watched.get(id)?.spell ? row.value : undefined;
  }

  dispose(): void {
    for (const one of this.#listening) one.dispose();
    this.#readings.dispose();
    this.#changes.dispose();
  }
}
