// What this window sees of the account's instances is written down, and read together with what the other windows saw.
import { isSameSeen, type Reading, type SeenInstance, toSeenInstance, writeLine } from "../../domain/account/ledger.ts";
import { type Spent, startOfDay, sumSpent, traceSpending } from "../../domain/account/spending.ts";
import { readLaunchToken } from "../../domain/instance/instance.ts";
import { type Clock, isNear } from "../../lib/clock.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import { isOfAccount, toAccountMark } from "../core/account-mark.ts";
import { getLast } from "../core/loaded.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstanceRow, Instances, InstancesService } from "../instance/instances.ts";
import type { LaunchWatch } from "../launch/outcome/launch-watch.ts";
import { LedgerFiles, type LedgerRead } from "./ledger-files.ts";

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly watch: LaunchWatch;
  /** A folder for nothing else, which all windows share. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Bytes that a window writes at most in a day, and at once. A list that changes each time, as no honest one does, is then written down
 * less often, as if the computer slept in the meantime.
 */
const MOST_A_DAY = 4_000_000;
const MOST_AT_ONCE = 500_000;
const DAY = 86_400_000;

/** Milliseconds after which a list that says the same as before is written down again. */
const WRITE_EVERY = 50_000;

/** The file that this window writes for one account and month. */
interface OwnFile {
  readonly account: SignedIn;
  readonly user: number | undefined;
  readonly month: string;
  readonly name: string;
}

export class Ledger implements Disposable {
  readonly #parts: Parts;
  readonly #files: LedgerFiles;
  readonly #listening: readonly Disposable[];
  readonly #changes = new Emitter<void>();
  /** Fires after something was written down. */
  readonly onDidChange = this.#changes.event;
  #file: OwnFile | undefined;
  /** The list that was looked at last. */
  #list: Instances | undefined;
  #written: Reading | undefined;
  /** Newer than what is written, and says the same, or there is no room for it yet. */
  #unwritten: Reading | undefined;
  readonly #room = { bytes: MOST_AT_ONCE, at: 0 };
  #today: { readonly account: SignedIn; readonly day: number; readonly spent: Spent } | undefined;
  /** Whether the disk's failure was told. */
  #hasFailed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#files = new LedgerFiles(parts.folder);
    this.#listening = [
      parts.session.onDidChange(() => this.#restart()),
      parts.instances.collection.store.onDidChange(() => this.#see()),
    ];
  }

  /** What instances of the signed-in account cost since midnight, up to the last reading; undefined while that isn't known. */
  get today(): Spent | undefined {
    const { session, clock } = this.#parts;
    const today = this.#today;
    return today?.account === session.current && today.day === startOfDay(clock.now()) ? today.spent : undefined;
  }

  /** When this window read the list of the signed-in account last, in epoch milliseconds; undefined before it did. */
  get readAt(): number | undefined {
    return this.#written?.at;
  }

  /**
   * What all windows saw of an account from the month before `since` on, in epoch milliseconds; everything, if they saw nothing between then
   * and `since`: what ran before may have run all the time. @throws the disk's error if the folder can't be read.
   */
  async read(account: SignedIn, since: number): Promise<LedgerRead> {
    this.#flush();
    const month = new Date(since);
    const { readings, unread } = await this.#files.read({
      since: Date.UTC(month.getUTCFullYear(), month.getUTCMonth() - 1, 1),
      from: since,
      isWanted: (header) => isOfAccount(header, account),
      isEnough: (all) => all.some(({ at, hasGaps }) => at < since && !hasGaps),
    });
    const held = this.#file?.account === account && this.#unwritten ? [this.#unwritten] : [];
    return { readings: [...readings, ...held], unread };
  }

  /** The same. @throws Error if a file can't be read: what it holds would be missing. */
  async readWhole(account: SignedIn, since: number): Promise<readonly Reading[]> {
    const { readings, unread } = await this.read(account, since);
    if (unread.length > 0) throw new Error(`${unread.length} files of the ledger can't be read.`);
    return readings;
  }

  tidy(): Promise<void> {
    return this.#files.tidy(this.#parts.clock.now());
  }

  #restart(): void {
    this.#flush();
    this.#unwritten = undefined;
    this.#file = undefined;
    this.#list = undefined;
    this.#written = undefined;
    this.#changes.fire();
  }

  #see(): void {
    const { session, instances, clock } = this.#parts;
    const account = session.current;
    const list = getLast(instances.collection.store.current)?.value;
    if (account.kind !== "signed-in" || list === undefined || list === this.#list) return;
    this.#list = list;
    // Without a list, there may be instances that no one tracks.
    const hasGaps = !list.complete || !list.listed || list.unread === true || list.unreadable > 0;
    const seen = new Map(list.rows.filter(({ gone }) => !gone).map((row) => [row.value.id, this.#seen(row)] as const));
    const ended = list.rows.filter(({ gone }) => gone).map(({ value }) => value.id);
    this.#note(account, { at: clock.now(), hasGaps, seen, ...(ended.length > 0 ? { ended } : {}) });
  }

  #seen(row: InstanceRow): SeenInstance {
    const token = readLaunchToken(row.value.label);
    const record = token === undefined ? undefined : this.#parts.watch.records.find((one) => one.token === token);
    return toSeenInstance(row, record?.prepared?.project);
  }

  /** What says the same as before is written once in a while, and before something that says otherwise. */
  #note(account: SignedIn, now: Reading): void {
    const before = this.#startFile(account, now.at) ? this.#written : undefined;
    const isNews = before === undefined || before.hasGaps !== now.hasGaps || !isSameSeen(before, now);
    const isSoon = before !== undefined && isNear(now.at, before.at, WRITE_EVERY);
    if (isNews && this.#unwritten && before && isSameSeen(before, this.#unwritten)) this.#flush();
    if ((!isNews && isSoon) || !this.#write(now)) this.#unwritten = now;
    if (isNews || !isSoon) void this.#sumUp(account, now.at);
  }

  /** @returns whether there was room for it. */
  #write(now: Reading): boolean {
    const line = writeLine(this.#written, now);
    const room = this.#room;
    const grown = room.bytes + (Math.max(0, now.at - room.at) / DAY) * MOST_A_DAY;
    room.bytes = Math.min(grown, MOST_AT_ONCE);
    room.at = now.at;
    const size = Buffer.byteLength(JSON.stringify(line));
    // What is longer than that is written all the same once there is all the room: nothing would be known from then on.
    if (size > room.bytes && room.bytes < MOST_AT_ONCE) return false;
    room.bytes -= size;
    this.#unwritten = undefined;
    this.#written = now;
    this.#append([line]);
    return true;
  }

  /** @returns whether this window goes on in the file it has. */
  #startFile(account: SignedIn, at: number): boolean {
    const month = new Date(at).toISOString().slice(0, 7);
    const user = account.user();
    const file = this.#file;
    if (file?.account === account && file.user === user && file.month === month) return true;
    this.#flush();
    this.#unwritten = undefined;
    this.#written = undefined;
    this.#file = { account, user, month, name: LedgerFiles.nameFor(at) };
    this.#append([{ version: 1, ...toAccountMark(account) }]);
    return false;
  }

  #flush(): void {
    if (this.#unwritten && this.#written) this.#write(this.#unwritten);
  }

  #append(records: readonly unknown[]): void {
    if (!this.#file) return;
    this.#files.append(this.#file.name, records).catch((error) => {
      // What follows only means something after what is missing now.
      this.#file = undefined;
      if (!this.#hasFailed) this.#parts.log.warn("What instances cost could not be written down.", error);
      this.#hasFailed = true;
    });
  }

  async #sumUp(account: SignedIn, at: number): Promise<void> {
    const day = startOfDay(at);
    try {
      const readings = await this.readWhole(account, day);
      this.#today = { account, day, spent: sumSpent(traceSpending(readings, day, at)) };
      this.#changes.fire();
    } catch (error) {
      this.#parts.log.warn("What instances cost today could not be read.", error);
    }
  }

  dispose(): void {
    for (const one of this.#listening) one.dispose();
    this.#changes.dispose();
    const [file, last] = [this.#file, this.#unwritten];
    if (!file || !last) return;
    try {
      // All of it: what comes before may still wait to be written.
      this.#files.appendNow(file.name, [writeLine(undefined, last)]);
    } catch (error) {
      this.#parts.log.debug("The last reading could not be written down.", error);
    }
  }
}
