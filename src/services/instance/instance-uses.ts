// Which instances are in use right now, by this window or another one: a terminal that somebody sits at, a forwarded port, a transfer,
// a run. Windows tell each other by files, of which only the names count.
import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import type { InstanceId } from "../../domain/base/id.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import { createQueue } from "../../lib/task.ts";
import { type Disk, realDisk } from "../core/disk.ts";
import type { ScheduledJob, Scheduler } from "../core/scheduler.ts";
import type { SessionService, SignedIn } from "../core/session.ts";

/** Whoever knows of instances in use. It is asked often, and answers at once. */
export interface UseSource {
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

const NAME = /^([0-9a-f]{20})\.used-(\d{1,12})-[0-9a-f]{8}$/;
const MINUTE = 60_000;
/** Minutes after which a file is removed. */
const KEPT = 60;

/**
 * Names the files of an instance: the same in all windows, and for all keys of an account. The numbers of a sandbox's instances are
 * given again by the next one.
 */
export function hashInstance({ address, sandbox, tag }: SignedIn, id: InstanceId): string {
  return createHash("sha256")
    .update(`${sandbox ? tag : address.base} ${id}`)
    .digest("hex")
    .slice(0, 20);
}

export class InstanceUses implements Disposable {
  readonly #parts: Parts;
  readonly #disk: Disk;
  readonly #job: ScheduledJob;
  readonly #sources = new Set<UseSource>();
  readonly #begun = new Set<{ readonly id: InstanceId }>();
  readonly #listening: Disposable[] = [];
  readonly #used = new Emitter<InstanceId>();
  /** Fires for an instance of the signed-in account that is in use, here or in another window. */
  readonly onDidUse = this.#used.event;
  /** When each was last noted for the other windows, in monotonic milliseconds, and in which file. */
  readonly #noted = new Map<string, { readonly at: number; readonly file: string }>();
  /** The files of all windows that this one knows of. */
  #seen: ReadonlySet<string> = new Set();
  readonly #inTurn = createQueue();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#disk = parts.disk ?? realDisk;
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
    const file = `${digest}.used-${minute}-${randomBytes(4).toString("hex")}`;
    this.#noted.set(digest, { at, file });
    this.#inTurn(() => this.#write(file, before?.file)).catch((error) =>
      log.warn("Other windows couldn't be told that an instance is in use.", error),
    );
  }

  async #write(file: string, before: string | undefined): Promise<void> {
    await this.#disk.names(this.#parts.folder);
    await this.#disk.create(this.#path(file), "");
    if (before !== undefined) await this.#disk.remove(this.#path(before));
  }

  /** Fires for those of the instances that another window noted since the last time. @throws the disk's error. */
  readOthers(account: SignedIn, ids: () => Iterable<InstanceId>): Promise<void> {
    return this.#inTurn(async () => {
      const names = (await this.#disk.names(this.#parts.folder)).filter((name) => NAME.test(name));
      const seen = this.#seen;
      this.#seen = new Set(names);
      if (this.#parts.session.current !== account) return;
      const own = new Set([...this.#noted.values()].map(({ file }) => file));
      const used = new Set(names.filter((name) => !seen.has(name) && !own.has(name)).map((name) => name.slice(0, 20)));
      if (used.size > 0) for (const id of [...ids()]) if (used.has(hashInstance(account, id))) this.#used.fire(id);
    });
  }

  /** Removes old files. `now` in epoch milliseconds. */
  async tidy(now: number): Promise<void> {
    for (const name of await this.#disk.names(this.#parts.folder)) {
      const [, , minute] = NAME.exec(name) ?? [];
      if (minute !== undefined && Math.abs(now / MINUTE - Number(minute)) > KEPT)
        await this.#disk.remove(this.#path(name));
    }
  }

  #path(name: string): string {
    return join(this.#parts.folder, name);
  }

  dispose(): void {
    this.#job.dispose();
    for (const one of this.#listening) one.dispose();
    this.#used.dispose();
  }
}
