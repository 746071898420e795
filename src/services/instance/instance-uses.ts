// Which instances are in use right now, by this window or another one: a terminal that someone sits at, a forwarded port, a transfer,
// a run. Windows tell each other by files, of which only the names count.

import { randomInt } from "node:crypto";
import type { InstanceId } from "../../domain/base/id.ts";
import { isNear } from "../../lib/clock.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import { createQueue } from "../../lib/task.ts";
import { hashInstance } from "../core/account-mark.ts";
import { Book, type BookTable } from "../core/book/book.ts";
import type { Disk } from "../core/book/disk.ts";
import type { ScheduledJob, Scheduler } from "../core/scheduler.ts";
import type { SessionService, SignedIn } from "../core/session.ts";

/** Whoever knows of instances in use. It is asked often, and answers at once. */
interface UseSource {
  readonly inUse: () => Iterable<InstanceId>;
  /** Fires when that may have changed, so that what lasts a moment isn't missed. */
  readonly onDidChange?: (listener: () => void) => Disposable;
}

interface Parts {
  readonly session: SessionService;
  readonly scheduler: Scheduler;
  /** A folder for nothing else, which all windows share. */
  readonly folder: string;
  readonly disk?: Disk | undefined;
  readonly log: Log;
}

/** By the digest of an instance, minutes since the epoch and a number that no other use of that minute has. */
const USES: BookTable<"used"> = { entry: /[0-9a-f]{20}/, kinds: { used: [12, 8] }, unread: "passes" };
type Use = readonly [minute: number, distinct: number];
const MINUTE = 60_000;
/** Milliseconds after which a file is removed. */
const KEPT = 60 * MINUTE;

export class InstanceUses implements Disposable {
  readonly #parts: Parts;
  readonly #book: Book<"used">;
  readonly #job: ScheduledJob;
  readonly #sources = new Set<UseSource>();
  readonly #begun = new Set<{ readonly id: InstanceId }>();
  readonly #listening: Disposable[] = [];
  readonly #used = new Emitter<InstanceId>();
  /** Fires for an instance of the signed-in account that is in use, here or in another window. */
  readonly onDidUse = this.#used.event;
  /** By digest, when each was last noted for the other windows, in monotonic milliseconds, and in which file. */
  readonly #noted = new Map<string, { readonly at: number; readonly use: Use }>();
  /** What all windows noted, as far as this one knows. */
  #seen: ReadonlySet<string> = new Set();
  readonly #inTurn = createQueue();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#book = new Book(USES, parts.folder, parts.disk);
    this.#job = parts.scheduler.add({
      id: "uses",
      wait: () => (this.#ownUses().length > 0 ? MINUTE : undefined),
      run: () => this.look(),
    });
  }

  add(source: UseSource): void {
    this.#sources.add(source);
    const listening = source.onDidChange?.(() => this.look());
    if (listening) this.#listening.push(listening);
  }

  /** Something is under way on it from now on. @returns a function that ends that. */
  begin(id: InstanceId): () => void {
    const work = { id };
    this.#begun.add(work);
    this.look();
    return () => {
      // Until now it was in use.
      this.look();
      this.#begun.delete(work);
    };
  }

  #ownUses(): readonly InstanceId[] {
    if (this.#parts.session.current.kind !== "signed-in") return [];
    const begun = [...this.#begun].map(({ id }) => id);
    return [...new Set([...this.#sources].flatMap(({ inUse }) => [...inUse()]).concat(begun))];
  }

  /** Asks the sources of this window. */
  look(): void {
    for (const id of this.#ownUses()) this.note(id);
    this.#job.plan();
  }

  /** It is in use now, or is known to work. The other windows are told at most once a minute. */
  note(id: InstanceId): void {
    const { session, scheduler, log } = this.#parts;
    const account = session.current;
    if (account.kind !== "signed-in") return;
    this.#used.fire(id);
    const digest = hashInstance(account, id);
    const at = scheduler.clock.elapsed();
    const before = this.#noted.get(digest);
    if (before && at - before.at < MINUTE / 2) return;
    const minute = Math.floor(scheduler.clock.now() / MINUTE);
    const use: Use = [minute, randomInt(10_000_000, 99_999_999)];
    this.#noted.set(digest, { at, use });
    this.#inTurn(() => this.#write(digest, use, before?.use)).catch((error) =>
      log.warn("Other windows couldn't be told that an instance is in use.", error),
    );
  }

  async #write(digest: string, use: Use, before: Use | undefined): Promise<void> {
    await this.#book.create(digest, ["used", ...use]);
    if (before) await this.#book.remove(digest, ["used", ...before]);
  }

  /** Fires for those of the instances that another window noted since the last time. @throws the disk's error. */
  readOthers(account: SignedIn, ids: () => Iterable<InstanceId>): Promise<void> {
    return this.#inTurn(async () => {
      const all = await this.#book.list();
      const seen = this.#seen;
      const keysOf = (digest: string) => (all.get(digest)?.get("used") ?? []).map((use) => toKey(digest, use));
      this.#seen = new Set([...all.keys()].flatMap(keysOf));
      if (this.#parts.session.current !== account) return;
      const own = new Set([...this.#noted].map(([digest, { use }]) => toKey(digest, use)));
      const isUsed = (id: InstanceId) =>
        keysOf(hashInstance(account, id)).some((key) => !seen.has(key) && !own.has(key));
      for (const id of [...ids()]) if (isUsed(id)) this.#used.fire(id);
    });
  }

  /** Removes old files. `now` in epoch milliseconds. */
  async tidy(now: number): Promise<void> {
    for (const [digest, files] of await this.#book.list())
      for (const use of files.get("used") ?? [])
        if (!isNear(now, (use[0] ?? 0) * MINUTE, KEPT)) await this.#book.remove(digest, ["used", ...use]);
  }

  dispose(): void {
    this.#job.dispose();
    for (const one of this.#listening) one.dispose();
    this.#used.dispose();
  }
}

const toKey = (digest: string, use: readonly number[]): string => `${digest} ${use.join(" ")}`;
