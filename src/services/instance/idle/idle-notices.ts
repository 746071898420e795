// Tells of an instance that does nothing: once a spell, in one window, unless the person put that off or wants to hear nothing of it.
// What one window told or was told holds in all.

import type { InstanceId } from "../../../domain/base/id.ts";
import type { IdleState } from "../../../domain/instance/idle.ts";
import type { Instance } from "../../../domain/instance/instance.ts";
import { isNear } from "../../../lib/clock.ts";
import type { Disposable } from "../../../lib/disposable.ts";
import { Emitter } from "../../../lib/event.ts";
import type { Log } from "../../../lib/log.ts";
import { createQueue } from "../../../lib/task.ts";
import { hashInstance } from "../../core/account-mark.ts";
import { Book, type BookEntry, type BookTable } from "../../core/book/book.ts";
import type { Disk } from "../../core/book/disk.ts";
import { tellOnce } from "../../core/book/tell-once.ts";
import type { Scheduler } from "../../core/scheduler.ts";
import type { SessionService, SignedIn } from "../../core/session.ts";
import type { IdleWatch } from "./idle-watch.ts";

interface IdleInstance {
  readonly instance: Instance;
  readonly state: IdleState;
}

/** Several at once are one message. */
export interface IdleNotice {
  readonly account: SignedIn;
  readonly idle: readonly IdleInstance[];
}

interface Parts {
  readonly session: SessionService;
  readonly watch: IdleWatch;
  /** Those that an order ends are warned of by the order. */
  readonly isOrdered: (id: InstanceId) => boolean;
  readonly scheduler: Scheduler;
  /** A folder for nothing else, which all windows share. */
  readonly folder: string;
  readonly disk?: Disk | undefined;
  readonly log: Log;
}

/** By the digest of an instance. One is snoozed until a time, in epoch milliseconds. */
const IDLE_CLAIMS: BookTable<Kind> = {
  entry: /[0-9a-f]{20}/,
  kinds: { told: [], never: [], snoozed: [16] },
  unread: "passes",
};
type Kind = "told" | "never" | "snoozed";
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Milliseconds without a message after *Snooze 1 h*. */
const SNOOZE = HOUR;
/** Milliseconds after which a file is forgotten. */
const KEPT = { told: 30 * DAY, never: 365 * DAY };

export class IdleNotices implements Disposable {
  readonly #parts: Parts;
  readonly #book: Book<Kind>;
  readonly #listening: readonly Disposable[];
  readonly #notices = new Emitter<IdleNotice>();
  readonly onNotice = this.#notices.event;
  /** What was told of, here or in another window, and how often it had worked by then. */
  readonly #heard = new Map<InstanceId, number>();
  /** Whether there may be something to end among the files. */
  #isFollowing = true;
  readonly #inTurn = createQueue();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#book = new Book(IDLE_CLAIMS, parts.folder, parts.disk);
    this.#listening = [
      parts.session.onDidChange(() => this.#heard.clear()),
      parts.watch.onDidRead(() => {
        this.#inTurn(() => this.#check()).catch((error) => parts.log.warn("Idle instances couldn't be told.", error));
      }),
    ];
  }

  async #check(): Promise<void> {
    const { session, watch } = this.#parts;
    const account = session.current;
    if (account.kind !== "signed-in") return;
    const isAnyIdle = watch.watched.some(({ id }) => watch.getState(id));
    if (!this.#isFollowing && !isAnyIdle) return;
    if (isAnyIdle) await watch.readOthers(account);
    const claims = await this.#book.list();
    this.#isFollowing = [...claims.values()].some((files) => files.has("told") || files.has("snoozed"));
    const untold: IdleInstance[] = [];
    for (const instance of [...watch.watched]) {
      const state = watch.getState(instance.id);
      const digest = hashInstance(account, instance.id);
      const mayTell = await this.#mayTell(instance.id, digest, claims.get(digest));
      if (mayTell && state) untold.push({ instance, state });
    }
    const idle: IdleInstance[] = [];
    for (const one of untold) await this.#claim(account, one.instance.id, () => idle.push(one));
    if (session.current !== account)
      for (const { instance } of idle) await this.#end(hashInstance(account, instance.id), instance.id);
    else if (idle.length > 0) this.#notices.fire({ account, idle });
  }

  /** Ends what is over on the way. */
  async #mayTell(id: InstanceId, digest: string, files: BookEntry<Kind> | undefined): Promise<boolean> {
    const { watch, isOrdered } = this.#parts;
    const [heard, work] = [this.#heard.get(id), watch.getWork(id)];
    if (files?.has("told")) {
      if (heard === undefined || (work > heard && (await this.#isLater(digest, id)))) this.#heard.set(id, work);
      else if (work > heard) await this.#end(digest, id);
      return false;
    }
    const isSnoozed = this.#isSnoozed(files);
    // Another window has seen it work and ended that.
    if (isSnoozed || (heard !== undefined && work > heard)) this.#heard.delete(id);
    return !isSnoozed && heard !== work && !files?.has("never") && !isOrdered(id);
  }

  /** This window tells of it, unless another one is faster. */
  async #claim(account: SignedIn, id: InstanceId, tell: () => void): Promise<void> {
    const { session, scheduler, watch } = this.#parts;
    const claim = { entry: hashInstance(account, id), file: "told", content: String(scheduler.clock.now()) } as const;
    const telling = await tellOnce({ book: this.#book, session }, account, claim, tell);
    if (telling === "left") return;
    this.#isFollowing = true;
    this.#heard.set(id, watch.getWork(id));
  }

  /** Whether another window told of it only after this one had seen it work: then that isn't over. */
  async #isLater(digest: string, id: InstanceId): Promise<boolean> {
    const toldAt = Number(await this.#book.readText(digest, "told"));
    return toldAt > (this.#parts.watch.getWorkedAt(id) ?? Number.POSITIVE_INFINITY);
  }

  async #end(digest: string, id: InstanceId): Promise<void> {
    await this.#book.remove(digest, "told");
    this.#heard.delete(id);
  }

  /** One that would last longer than it can was made before the clock was set back. */
  #isSnoozed(files: BookEntry<Kind> | undefined): boolean {
    const now = this.#parts.scheduler.clock.now();
    return (files?.get("snoozed") ?? []).some(([until = 0]) => until > now && until <= now + SNOOZE);
  }

  /** Tells again in an hour, in whichever window, if it is still idle then. @throws the disk's error. */
  async snooze(account: SignedIn, id: InstanceId): Promise<void> {
    const digest = hashInstance(account, id);
    const until = Math.floor(this.#parts.scheduler.clock.now() + SNOOZE);
    await this.#inTurn(async () => {
      await this.#book.create(digest, ["snoozed", until]);
      await this.#end(digest, id);
      this.#isFollowing = true;
    });
  }

  /** Says nothing of this instance any longer. @throws the disk's error. */
  async silence(account: SignedIn, id: InstanceId): Promise<void> {
    await this.#book.create(hashInstance(account, id), "never");
  }

  /** @throws the disk's error. */
  async isSilenced(account: SignedIn, id: InstanceId): Promise<boolean> {
    return (await this.#book.list()).get(hashInstance(account, id))?.has("never") === true;
  }

  /** Says it again. @throws the disk's error. */
  async unsilence(account: SignedIn, id: InstanceId): Promise<void> {
    await this.#book.remove(hashInstance(account, id), "never");
  }

  /** Forgets what is long over. `now` in epoch milliseconds. */
  async tidy(now: number): Promise<void> {
    await this.#book.removeOlder(now, KEPT);
    for (const [digest, files] of await this.#book.list())
      for (const [until = 0] of files.get("snoozed") ?? [])
        if (!isNear(now, until, DAY)) await this.#book.remove(digest, ["snoozed", until]);
  }

  dispose(): void {
    for (const one of this.#listening) one.dispose();
    this.#notices.dispose();
  }
}
