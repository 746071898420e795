// The groups of the signed-in account: how each stands, what is decided about it, and what follows.
import { type AppError, asAppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import type { GroupFacts } from "../../domain/group/group-facts.ts";
import { findDecision, findRank, type GroupRecord, isEnding, isGroupOf } from "../../domain/group/group-record.ts";
import { Bag } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import type { ReadinessService } from "../connection/readiness.ts";
import { toMarkedAccount } from "../core/account-mark.ts";
import { isElsewhere } from "../core/duty.ts";
import type { Liveness } from "../core/heartbeat.ts";
import { getLast } from "../core/loaded.ts";
import type { ScheduledJob, Scheduler } from "../core/scheduler.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstanceOrders } from "../instance/instance-orders.ts";
import type { InstancesService } from "../instance/instances.ts";
import type { LaunchWatch } from "../launch/outcome/launch-watch.ts";
import { GroupDecisions } from "./group-decisions.ts";
import type { GroupJournal } from "./group-journal.ts";
import type { GroupNotice } from "./group-notice.ts";
import { findLaunchToken, readGroups } from "./read-groups.ts";
import { UnwantedMembers } from "./unwanted-members.ts";

/** Milliseconds between looks. */
const LOOK_MS = 15_000;

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly watch: LaunchWatch;
  readonly orders: InstanceOrders;
  readonly readiness: ReadinessService;
  readonly groupJournal: GroupJournal;
  readonly scheduler: Scheduler;
  readonly liveness: Liveness;
  readonly log: Log;
}

export class GroupsService {
  readonly #parts: Parts;
  readonly #bag = new Bag();
  readonly #job: ScheduledJob;
  readonly #changes = new Emitter<void>();
  readonly onDidChange = this.#changes.event;
  readonly #notices = new Emitter<GroupNotice>();
  readonly onNotice = this.#notices.event;
  #records: readonly GroupRecord[] = [];
  #sending: ReadonlySet<string> = new Set();
  /** Groups that this window rents for right now. */
  readonly #own = new Set<string>();
  readonly #said = new Set<string>();
  /** By group, why not all of it was rented here. */
  readonly #reasons = new Map<string, AppError>();
  readonly #ending: UnwantedMembers;
  #seen = new Set<InstanceId>();
  readonly #decisions: GroupDecisions;
  /** Monotonic milliseconds of the last change of the list. */
  #listedAt = -LOOK_MS;
  #isDue = true;
  /** Whether the files of this account could be read. Until then nothing is known that could ask for another look. */
  #isRead = false;
  #unwatch: (() => void) | undefined;
  #rest: (() => void) | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#decisions = new GroupDecisions({ ...parts, clock: parts.scheduler.clock });
    this.#ending = new UnwantedMembers({ ...parts, clock: parts.scheduler.clock });
    const { instances, watch, readiness, groupJournal, session, scheduler } = parts;
    this.#job = this.#bag.add(scheduler.add({ id: "groups", wait: () => this.#wait(), run: () => this.#check() }));
    const wake = () => this.wake();
    this.#bag.add(groupJournal.onDidChange(wake));
    this.#bag.add(watch.onDidChange(wake));
    this.#bag.add(readiness.onDidChange(wake));
    this.#bag.add(instances.collection.store.onDidChange(() => this.#listed()));
    this.#bag.add(session.onDidChange(() => this.#begin()));
  }

  /** Oldest first, as they stand now. */
  get all(): readonly GroupFacts[] {
    const { instances, watch, readiness, scheduler } = this.#parts;
    return readGroups(this.#records, {
      rows: instances.rows,
      isComplete: this.#isComplete,
      launches: watch.records,
      sshOf: (id) => readiness.getState(id),
      sending: new Set([...this.#sending, ...this.#own]),
      seen: this.#seen,
      now: scheduler.clock.now(),
    });
  }

  find(id: string): GroupFacts | undefined {
    return this.all.find((group) => group.id === id);
  }

  /** Another window wrote something. */
  wake(): void {
    this.#isDue = true;
    this.#job.plan();
  }

  /** From now on this window rents for a group. @returns a function that ends that. */
  beginSending(id: string): () => void {
    this.#own.add(id);
    const rest = this.#parts.liveness.begin();
    return () => {
      this.#own.delete(id);
      rest();
      this.wake();
    };
  }

  /** Told with what is decided. */
  noteReason(id: string, why: AppError): void {
    this.#reasons.set(id, why);
  }

  /** The person keeps what came. @throws AppError if that can't be written down. */
  async keep({ id }: GroupFacts): Promise<void> {
    await this.#parts.groupJournal.note(id, "kept");
  }

  /** From now on this window replaces instances of a group that die: they don't decide it. @returns a function that ends that. */
  expectReplacements(id: string, isComing: (dead: InstanceId) => boolean): () => void {
    const end = this.#decisions.expectReplacements(id, isComing);
    return () => {
      end();
      this.wake();
    };
  }

  /** The launch that takes the place of a dead instance takes its rank as well. @throws AppError if that can't be written down. */
  async keepRank(dead: InstanceId, token: string): Promise<void> {
    const { groupJournal, instances, watch } = this.#parts;
    const row = instances.find(dead)?.value ?? { id: dead };
    const found = findRank(await groupJournal.read(), findLaunchToken(watch.records, row));
    if (found) await groupJournal.addLaunch(found.record, found.rank, token);
  }

  /** The machines of the other instances of a group, as they are listed; none for an instance without a group. */
  listMachinesBeside(id: InstanceId): ReadonlySet<number> {
    const group = this.all.find(({ members }) => members.some((one) => one.id === id));
    const others = group?.members.filter((one) => one.id !== id) ?? [];
    return new Set(others.flatMap(({ instance }) => instance?.machine_id ?? []));
  }

  /** The person saw what was decided. */
  async noteTold({ id }: GroupFacts): Promise<void> {
    await this.#parts.groupJournal
      .note(id, "told")
      .catch((error) => this.#parts.log.warn("A group's note failed.", error));
  }

  /** Reads the journal now. @throws the disk's error. */
  async reread(account: SignedIn): Promise<readonly GroupFacts[]> {
    await this.#read(account);
    return this.all;
  }

  get #isComplete(): boolean {
    const { current } = this.#parts.instances.collection.store;
    const last = getLast(current)?.value;
    return current.state === "ready" && last?.complete === true && last.unread !== true;
  }

  #begin(): void {
    this.#records = [];
    this.#isRead = false;
    this.#sending = new Set();
    this.#said.clear();
    this.#ending.forget();
    this.#seen = new Set();
    this.#follow();
    this.#changes.fire();
    this.wake();
  }

  #listed(): void {
    const { instances, scheduler } = this.#parts;
    if (instances.collection.store.current.state === "ready") this.#listedAt = scheduler.clock.elapsed();
    if (this.#records.length === 0) return;
    for (const { value, gone } of instances.rows) if (!gone) this.#seen.add(value.id);
    this.#isDue ||= this.#openGroups().length > 0;
    this.#changes.fire();
    this.#job.plan();
  }

  #wait(): number | undefined {
    if (this.#parts.session.current.kind !== "signed-in") return undefined;
    if (this.#isDue) return 0;
    return !this.#isRead || this.#openGroups().length > 0 ? LOOK_MS : undefined;
  }

  /** Groups about which something may still have to be done. */
  #openGroups(): readonly GroupRecord[] {
    return this.#records.filter(
      (record) => findDecision(record) === undefined || !record.facts.has("told") || this.#mayEnd(record),
    );
  }

  /** Whether something that no one wants may still be there, or come. */
  #mayEnd(record: GroupRecord): boolean {
    if (!isEnding(record)) return false;
    const open = new Set(this.#parts.watch.atRisk.map(({ token }) => token));
    const unwanted = record.decided?.unwanted ?? [];
    return unwanted.some((token) => open.has(token)) || this.#ending.find(record).length > 0;
  }

  async #check(): Promise<void> {
    const { session, log } = this.#parts;
    const account = session.current;
    if (account.kind !== "signed-in") return;
    this.#isDue = false;
    await this.#read(account);
    this.#follow();
    await this.#refresh();
    for (const group of this.all) {
      if (session.current !== account) break;
      await this.#settle(account, group).catch((error) =>
        log.warn(`Group ${group.id} could not be settled.`, asAppError(error)),
      );
    }
    this.#follow();
  }

  /** As long as something is to be decided, the list is never older than a look. */
  async #refresh(): Promise<void> {
    const { instances, scheduler } = this.#parts;
    if (this.#unwatch && scheduler.clock.elapsed() - this.#listedAt >= LOOK_MS) await instances.collection.refresh();
  }

  async #read(account: SignedIn): Promise<void> {
    const { session, groupJournal, liveness } = this.#parts;
    const of = toMarkedAccount(account);
    const records = (await groupJournal.read()).filter((record) => isGroupOf(record, of));
    const sending = new Set<string>();
    for (const { id, facts, prepared } of records)
      if (!facts.has("sent") && (await isElsewhere(liveness, prepared.owner))) sending.add(id);
    if (session.current !== account) return;
    this.#records = records;
    this.#isRead = true;
    this.#sending = sending;
    for (const record of records) if (findDecision(record) === undefined) this.#decisions.follow(record);
    this.#changes.fire();
  }

  /** Reads the list fast as long as something is to be decided, and stays alive for others while that is up to this window. */
  #follow(): void {
    const { instances, liveness } = this.#parts;
    const isUndecided = this.#records.some((record) => findDecision(record) === undefined);
    if (isUndecided) this.#unwatch ??= instances.watch();
    else this.#unwatch = void this.#unwatch?.();
    const isOwn = ({ prepared, decided }: GroupRecord) => (decided?.by ?? prepared.owner) === liveness.id;
    if (this.#openGroups().some(isOwn)) this.#rest ??= liveness.begin();
    else this.#rest = void this.#rest?.();
  }

  async #settle(account: SignedIn, group: GroupFacts): Promise<void> {
    const { session } = this.#parts;
    const { record } = group;
    if (findDecision(record) === undefined) {
      if (!(await this.#isMine(record.prepared.owner))) return;
      if (
        !(await this.#decisions.decide(account, group.id, () => (this.#isComplete ? this.find(group.id) : undefined)))
      )
        return;
      await this.#read(account);
      const after = session.current === account ? this.find(group.id) : undefined;
      return after && (await this.#settle(account, after));
    }
    const isMine = await this.#isMine(record.decided?.by);
    if (!isMine) return;
    if (!record.facts.has("told")) this.#tell(account, group, record.facts.has("kept"));
    if (!isEnding(record)) return;
    const ends = await this.#ending.carryOut(account, record);
    if (ends.length > 0) this.#notices.fire({ kind: "ended", account, group, ends });
  }

  /** Whether what is left to do is this window's: it began it, or the window that did is gone. */
  async #isMine(window: string | undefined): Promise<boolean> {
    return !(await isElsewhere(this.#parts.liveness, window));
  }

  #tell(account: SignedIn, group: GroupFacts, isOverdue: boolean): void {
    if (this.#said.has(group.id)) return;
    this.#said.add(group.id);
    this.#notices.fire({ kind: "decided", account, group, isOverdue, why: this.#reasons.get(group.id) });
  }

  dispose(): void {
    this.#unwatch?.();
    this.#rest?.();
    this.#bag.dispose();
    this.#changes.dispose();
    this.#notices.dispose();
  }
}
