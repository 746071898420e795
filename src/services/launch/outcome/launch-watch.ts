// Finds out the outcome of launches of every window and session, from complete lists only.
import type { MarkedAccount } from "../../../domain/base/account-mark.ts";
import type { InstanceId } from "../../../domain/base/id.ts";
import { readLaunchToken } from "../../../domain/instance/instance.ts";
import {
  belongsTo,
  getLaunchState,
  isLabelCopied,
  isLate,
  isUnresolved,
  type LaunchRecord,
} from "../../../domain/launch/launch-record.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Disposable } from "../../../lib/disposable.ts";
import { Emitter, type Event } from "../../../lib/event.ts";
import type { Log } from "../../../lib/log.ts";
import { createQueue } from "../../../lib/task.ts";
import type { Liveness } from "../../core/heartbeat.ts";
import type { ScheduledJob, Scheduler } from "../../core/scheduler.ts";
import type { SessionService, SignedIn } from "../../core/session.ts";
import type { InstancesService, Listing } from "../../instance/instances.ts";
import type { LaunchJournal } from "../launch-journal.ts";
import { type LaunchNotice, LaunchNotices } from "./launch-notices.ts";
import { calculateNextLook, SECOND_LOOKS_MS } from "./look-times.ts";
import { Orphans } from "./orphans.ts";

/** How long a create call and then the service's list may take. Until then, an empty list means nothing. */
const SETTLE_MS = (150 + 120) * 1000;
/** The same after a refusal: the response has arrived, and only a repeated copy of the request could still rent. */
const SETTLE_REFUSED_MS = 30_000;
/** How much longer than the window that sent it another one looks: who says that nothing was rented notes it. */
const SETTLE_ELSEWHERE_MS = 120_000;
const EMPTY_LISTINGS = 3;
/** Days after sending for which a launch is watched. Unresolved launches are watched longer. */
const WATCHED_DAYS = 7;
const DAY = 86_400_000;

export class LaunchWatch implements Disposable {
  readonly #session: SessionService;
  readonly #instances: InstancesService;
  readonly #journal: LaunchJournal;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #looking: ScheduledJob;
  readonly #notices: LaunchNotices;
  readonly onNotice: Event<LaunchNotice>;
  readonly #changes = new Emitter<void>();
  readonly onDidChange = this.#changes.event;
  #records: readonly LaunchRecord[] = [];
  readonly #inTurn = createQueue();
  #looks = 0;
  /** Monotonic milliseconds of the last list that was compared, or that a look tried to read. */
  #lookedAt = 0;
  readonly #compared = new WeakMap<Listing, Promise<void>>();
  #orphans: Orphans;
  readonly #listening: Disposable[];

  constructor(parts: {
    readonly session: SessionService;
    readonly instances: InstancesService;
    readonly journal: LaunchJournal;
    readonly scheduler: Scheduler;
    readonly log: Log;
    readonly liveness: Liveness;
  }) {
    this.#session = parts.session;
    this.#instances = parts.instances;
    this.#journal = parts.journal;
    this.#clock = parts.scheduler.clock;
    this.#log = parts.log;
    this.#orphans = new Orphans(parts.instances, this.#clock);
    this.#notices = new LaunchNotices(parts.liveness, () => parts.session.requireSignedIn());
    this.onNotice = this.#notices.onNotice;
    this.#listening = [
      parts.instances.onDidList((listing) => void this.#compare(listing).catch(() => undefined)),
      parts.session.onDidChange(() => this.#begin()),
      this.#notices.onNotice(({ kind, record }) => void (kind !== "absent" && this.#noteTold(record))),
    ];
    this.#looking = parts.scheduler.add({
      id: "launch-watch",
      wait: () => this.#waitForLook(),
      run: () => this.#lookAgain(),
    });
  }

  /** Launches of the signed-in account, oldest first, as last read. */
  get records(): readonly LaunchRecord[] {
    return this.#records;
  }

  /** Launches with an unproven outcome, which may cost money. Refused ones probably rented nothing. */
  get atRisk(): readonly LaunchRecord[] {
    return this.#records.filter(isUnresolved);
  }

  /** Those of them that no one in this window waits for: whoever waits sees how far it is. */
  get doubted(): readonly LaunchRecord[] {
    return this.atRisk.filter(({ token }) => !this.#notices.isAwaited(token));
  }

  /** Launches that rented more than one instance, with more than one still present, that the person hasn't resolved. */
  get doubled(): readonly LaunchRecord[] {
    const there = (id: InstanceId) => this.#instances.find(id) !== undefined;
    return this.#records.filter(
      (record) => getLaunchState(record) === "doubled" && record.ids.filter(there).length > 1,
    );
  }

  /** Resolves once the search for rentals made with another key that is in progress, if any, has ended. */
  get orphans(): Promise<void> {
    return this.#orphans.asking ?? Promise.resolve();
  }

  /** Someone in this window is waiting for this launch, so its outcome isn't reported with a notice. */
  await(token: string): void {
    this.#notices.await(token);
  }

  /** No one is waiting for it any longer. If its outcome is open, a notice reports it once it is known. */
  leave(token: string, open: boolean): void {
    this.#notices.leave(token, open);
    this.#looks = 0;
    this.#changes.fire();
    this.wake();
  }

  /** Reads the files again. @throws AppError if they can't be read. */
  reread(): Promise<readonly LaunchRecord[]> {
    return this.#followInTurn(() => this.#reread());
  }

  /** Asks the service now. @returns whether a complete list arrived. @throws AppError. */
  async look(): Promise<boolean> {
    const session = this.#session.current;
    return session.kind === "signed-in" && (await this.list(session)).complete;
  }

  /**
   * The account's instances as the service lists them from now on, compared with every watched launch.
   * @throws AppError, also if the account was switched in the meantime.
   */
  async list(account: SignedIn): Promise<Listing> {
    const listing = await this.#instances.list(account, { since: this.#clock.elapsed() });
    await this.#compare(listing);
    this.#session.assertStill(account);
    return listing;
  }

  /** Checks sooner: something was sent, or the person came back. */
  wake(): void {
    const plan = () => this.#looking.plan();
    this.reread().then(plan, plan);
  }

  #followInTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#inTurn(work);
    mine.catch((error) => this.#log.warn("The launch journal could not be followed.", error));
    return mine;
  }

  /** Once for each list, however many asked for it. */
  #compare(listing: Listing): Promise<void> {
    const running = this.#compared.get(listing) ?? this.#followInTurn(() => this.#take(listing));
    this.#compared.set(listing, running);
    return running;
  }

  #begin(): void {
    this.#records = [];
    this.#notices.clear();
    this.#looks = 0;
    this.#orphans = new Orphans(this.#instances, this.#clock);
    this.#changes.fire();
    this.wake();
  }

  async #reread(): Promise<readonly LaunchRecord[]> {
    const session = this.#session.current;
    if (session.kind !== "signed-in") return [];
    const all = await this.#journal.read();
    const account = await this.#account(session, all);
    const mine = all.filter((record) => belongsTo(record, account));
    const elsewhere = await Promise.all(mine.map((record) => this.#notices.isElsewhere(record)));
    if (this.#session.current !== session) return [];
    this.#orphans.follow(session, all);
    const before = JSON.stringify(this.#records, plainSets);
    this.#records = mine;
    for (const [at, record] of mine.entries())
      this.#notices.follow(record, this.#clock.elapsed(), elsewhere[at] === true);
    if (JSON.stringify(this.#records, plainSets) !== before) this.#changes.fire();
    return this.#records;
  }

  /** Requests the account's ID only if it matters: for launches sent with another key of this address. */
  async #account(session: SignedIn, all: readonly LaunchRecord[]): Promise<MarkedAccount> {
    const { base } = session.address;
    const decides = all.some(({ prepared }) => prepared?.origin === base && prepared.account !== session.tag);
    const user = decides ? (session.user() ?? (await session.account().catch(() => undefined))?.id) : undefined;
    return { base, tag: session.tag, user };
  }

  /** Compares a list with every watched launch. An instance counts once the service shows our label on it. */
  async #take({ session, rows, complete, askedAt }: Listing): Promise<void> {
    this.#lookedAt = Math.max(this.#lookedAt, askedAt);
    const records = await this.#reread();
    if (this.#session.current !== session) return;
    const watched = records.filter((record) => this.#isWatched(record));
    if (watched.length === 0) return;
    for (const record of watched) {
      const labeled = rows.filter((row) => readLaunchToken(row.value.label) === record.token);
      const shown = labeled.filter((row) => !isLabelCopied(row.value, record)).map((row) => row.value.id);
      const news = shown.filter((id) => !record.ids.includes(id));
      let isAnswered = true;
      for (const id of news) if (!(await this.#confirm(session, record, id))) isAnswered = false;
      if (getLaunchState(record) === "doubled") this.#notices.noteDoubled(record, shown.length, complete);
      if (shown.length > 0 || record.ids.length > 0) await this.#lookedAgain(record, complete && isAnswered, askedAt);
      // Whose label may be a copy is no proof of either.
      else if (isUnresolved(record) && labeled.length === 0) await this.#notFound(record, complete, askedAt);
    }
    await this.#reread();
  }

  async #noteTold({ token }: LaunchRecord): Promise<void> {
    await this.#journal.note(token, "told").catch((error) => this.#log.warn("The launch journal failed.", error));
  }

  /** @returns whether the service said what it is. It has just listed it: where it knows nothing of it, its answer is behind. */
  async #confirm(session: SignedIn, record: LaunchRecord, id: InstanceId): Promise<boolean> {
    const row = await session.client.getInstance(id).catch(() => undefined);
    if (!row) return false;
    if (readLaunchToken(row.value.label) !== record.token || isLabelCopied(row.value, record)) return true;
    this.#notices.noteFoundAgain(record);
    await this.#journal.note(record.token, [isLate(row.value, record) ? "late" : "rented", id]);
    if (record.ids.length === 0) this.#instances.expect(session, row.value, record.prepared?.price);
    return true;
  }

  async #notFound(record: LaunchRecord, complete: boolean, askedAt: number): Promise<void> {
    const watching = this.#notices.getWatching(record.token);
    if (!watching || record.prepared?.tracked === false) return;
    const { refusedAt, since } = watching;
    const longest =
      (refusedAt === undefined ? SETTLE_MS : SETTLE_REFUSED_MS) +
      ((await this.#notices.isElsewhere(record)) ? SETTLE_ELSEWHERE_MS : 0);
    if (!complete) watching.empty = 0;
    else if (askedAt - (refusedAt ?? since) >= longest) watching.empty += 1;
    if (watching.empty >= EMPTY_LISTINGS && this.#notices.tellAbsent(record))
      await this.#journal.note(record.token, "absent");
  }

  async #lookedAgain(record: LaunchRecord, complete: boolean, askedAt: number): Promise<void> {
    const watching = this.#notices.getWatching(record.token);
    if (!watching || watching.rentedAt === undefined || !complete) return;
    const passed = SECOND_LOOKS_MS.filter((ms) => askedAt - (watching.rentedAt ?? askedAt) >= ms).length;
    watching.secondLooks = Math.max(watching.secondLooks, passed);
    if (passed === SECOND_LOOKS_MS.length && !record.facts.has("looked"))
      await this.#journal.note(record.token, "looked");
  }

  #isWatched(record: LaunchRecord): boolean {
    const state = getLaunchState(record);
    if (state === "prepared" || state === "not-sent") return false;
    const at = record.prepared?.at ?? this.#clock.now();
    return state === "unresolved" || this.#clock.now() - at < WATCHED_DAYS * DAY;
  }

  #waitForLook(): number | undefined {
    return calculateNextLook({
      records: this.#records.filter((record) => this.#isWatched(record)),
      notices: this.#notices,
      looks: this.#looks,
      lookedAt: this.#lookedAt,
      now: this.#clock.elapsed(),
    });
  }

  /** The list is compared as it arrives, like any other. A look that fails counts, so that the next has its pause. */
  async #lookAgain(): Promise<void> {
    this.#looks += 1;
    this.#lookedAt = this.#clock.elapsed();
    const session = this.#session.current;
    if (session.kind === "signed-in")
      await this.#instances.list(session).catch((error) => this.#log.debug("A look for launches failed.", error));
    await this.reread().catch(() => undefined);
  }

  dispose(): void {
    this.#looking.dispose();
    for (const listening of this.#listening) listening.dispose();
    this.#notices.dispose();
    this.#changes.dispose();
  }
}

function plainSets(_: string, value: unknown): unknown {
  return value instanceof Set ? [...value] : value;
}
