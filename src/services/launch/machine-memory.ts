// Remembers how each rented machine served the person, in write-once files that all windows share: whether it started and how long that
// took, how long it was seen running, and whether the service lost contact with it.
import * as z from "zod";
import { EpochTime } from "../../domain/base/epoch-time.ts";
import { findRentedAt, getPhase, type Instance, isDead, type Phase } from "../../domain/instance/instance.ts";
import { judgeStartFailure } from "../../domain/instance/start-failure.ts";
import type { MachineUse } from "../../domain/offer/machine-history.ts";
import { type Clock, isNear } from "../../lib/clock.ts";
import type { Disposable } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";
import { createQueue } from "../../lib/task.ts";
import { hashInstance, isOfAccount, toAccountMark } from "../core/account-mark.ts";
import { Book, type BookTable } from "../core/book/book.ts";
import type { Disk } from "../core/book/disk.ts";
import { getLast } from "../core/loaded.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { Instances, InstancesService } from "../instance/instances.ts";

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  /** A folder for nothing else, which all windows share. */
  readonly folder: string;
  readonly disk?: Disk | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Characters. */
const LONGEST_IMAGE = 300;

/** What is written down of a rental when it is first seen. Holds no key, and of texts only the image's name. */
const Rental = z.object({
  version: z.literal(1),
  origin: z.string(),
  /** Digest of origin and key. */
  account: z.string(),
  user: z.int().optional(),
  sandbox: z.literal(true).optional(),
  machine: z.int(),
  host: z.int().optional(),
  image: z.string().max(LONGEST_IMAGE).optional(),
  /** Epoch milliseconds. */
  since: EpochTime,
});
type Rental = z.infer<typeof Rental>;

/**
 * What became of it, each a file without content:
 * - `up-N`: it ran N seconds after it was rented
 * - `ran-N`: it was seen running N hours after it was rented
 * - `failed`: it was given up before it ran
 * - `lost`: it ran, and the service lost contact with it
 * - `rested`: it was stopped, or waited for its GPU, so that the hours since it was rented say no more
 */
type Kind = "rental" | "up" | "ran" | "failed" | "lost" | "rested";

type RentalFile = readonly [kind: Kind, ...numbers: readonly number[]];

const RENTALS: BookTable<Kind> = {
  entry: /[0-9a-f]{20}/,
  kinds: { rental: [], up: [7], ran: [7], failed: [], lost: [], rested: [] },
  unread: "passes",
};

/** Milliseconds. */
const [HOUR, DAY] = [3_600_000, 86_400_000];
const KEPT = 400 * DAY;
/** No one asks later how a sandbox's machines served. */
const KEPT_OF_SANDBOX = 7 * DAY;
/** Milliseconds between two lists: when something happened between them is known that well. */
const WATCHED_WITHIN = 120_000;
/** Then it doesn't run, and isn't on its way to. */
const AT_REST: readonly Phase[] = ["stopping", "stopped", "scheduling"];

/** What is written down of one rental. */
interface Noted {
  rental?: Rental;
  hours?: number;
  startSeconds?: number;
  didNotStart?: boolean;
  wasLost?: boolean;
  hasRested?: boolean;
}

/** What this window knows of an instance in the list. */
interface Watched {
  readonly name: string;
  /** When it was rented, in epoch milliseconds, if this window has watched it on its way up ever since. */
  readonly watchedSince: number | undefined;
  /** Seconds that it took to start, until they are written down. */
  readonly startSeconds: number | undefined;
}

export class MachineMemory implements Disposable {
  readonly #parts: Parts;
  readonly #book: Book<Kind>;
  readonly #listening: readonly Disposable[];
  #list: Instances | undefined;
  #watched = new Map<number, Watched>();
  /** When the list was read last, in epoch milliseconds; undefined before. */
  #lookedAt: number | undefined;
  /** What this and other windows wrote down, by the name of its files. */
  readonly #noted = new Map<string, Noted>();
  /** Files that were written or read. */
  readonly #files = new Set<string>();
  /** Whether that was read for the present list. */
  #isLoaded = false;
  /** One list after the other. */
  readonly #inTurn = createQueue();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#book = new Book(RENTALS, parts.folder, parts.disk);
    this.#listening = [
      parts.session.onDidChange(() => this.#restart()),
      parts.instances.collection.store.onDidChange(() => this.#check()),
    ];
  }

  #restart(): void {
    this.#list = undefined;
    this.#watched = new Map();
    this.#lookedAt = undefined;
  }

  #check(): void {
    const { session, instances, clock, log } = this.#parts;
    const account = session.current;
    const list = getLast(instances.collection.store.current)?.value;
    if (account.kind !== "signed-in" || list === undefined || list === this.#list || list.unread) return;
    this.#list = list;
    const rows = list.rows.filter(({ gone }) => !gone).map(({ value }) => value);
    const [now, before] = [clock.now(), this.#lookedAt];
    this.#lookedAt = now;
    this.#inTurn(async () => {
      if (session.current !== account) return;
      this.#isLoaded = false;
      for (const instance of rows) await this.#see(account, instance, now, before);
    }).catch((error) => log.debug("How machines serve could not be written down.", error));
  }

  async #see(account: SignedIn, instance: Instance, now: number, before: number | undefined): Promise<void> {
    const isClose = before !== undefined && isNear(now, before, WATCHED_WITHIN);
    const last = this.#watched.get(instance.id);
    const met = last ?? (await this.#meet(account, instance, now, isClose));
    if (!met) return;
    const [isResting, isRunning] = [AT_REST.includes(getPhase(instance)), getPhase(instance) === "running"];
    const { name } = met;
    const watchedSince = isResting || (last && !isClose) ? undefined : met.watchedSince;
    const sawStart = isRunning && isClose && watchedSince !== undefined && now > watchedSince;
    const startSeconds = sawStart ? Math.round((now - watchedSince) / 1000) : met.startSeconds;
    const next = { name, watchedSince: isRunning ? undefined : watchedSince };
    this.#watched.set(instance.id, { ...next, startSeconds });
    // Another window may have seen it run before, but not watched it on its way up.
    if (startSeconds !== undefined) await this.#note(name, ["up", startSeconds]);
    this.#watched.set(instance.id, { ...next, startSeconds: undefined });
    if (isResting) await this.#note(name, ["rested"]);
    else if (isRunning) await this.#seeRunning(name, now);
    else if (isDead(instance) && judgeStartFailure(instance.status_msg) !== "image")
      await this.#seeLost(name, instance, watchedSince !== undefined);
  }

  async #seeRunning(name: string, now: number): Promise<void> {
    const mark = () => {
      const { rental, hours, hasRested } = this.#noted.get(name) ?? {};
      const next = hasRested ? 0 : lastMark((now - (rental?.since ?? now)) / HOUR);
      return hours === undefined || next > hours ? next : undefined;
    };
    if (mark() === undefined) return;
    // Another window may have seen it rest.
    await this.#loadOnce();
    const next = mark();
    if (next !== undefined) await this.#note(name, ["ran", next]);
  }

  /** One that was there before this window, or that no one looked at for a while, may have run in the meantime. */
  async #seeLost(name: string, instance: Instance, isWatched: boolean): Promise<void> {
    const { hours, didNotStart, wasLost } = this.#noted.get(name) ?? {};
    if (didNotStart || wasLost || (hours === undefined && !isWatched)) return;
    // Another window may have seen it run.
    await this.#loadOnce();
    if (this.#noted.get(name)?.hours === undefined) await this.#note(name, ["failed"]);
    else if (getPhase(instance) === "lost") await this.#note(name, ["lost"]);
  }

  /** Writes down a rental that this window sees for the first time. @returns undefined for one whose machine isn't known. */
  async #meet(account: SignedIn, instance: Instance, now: number, isClose: boolean): Promise<Watched | undefined> {
    if (instance.machine_id === undefined) return undefined;
    await this.#loadOnce();
    const name = hashInstance(account, instance.id);
    const rental = toRental(account, instance, instance.machine_id, now);
    const isNew = await this.#note(name, ["rental"], rental);
    const noted = this.#noted.get(name) ?? {};
    this.#noted.set(name, { ...noted, rental: noted.rental ?? rental });
    const met = { name, watchedSince: undefined, startSeconds: undefined };
    if (!isNew || getPhase(instance) === "running") return met;
    if (isClose) return { ...met, watchedSince: now };
    return { ...met, watchedSince: isNear(now, rental.since, WATCHED_WITHIN) ? rental.since : undefined };
  }

  /** @returns whether this window wrote it. */
  async #note(name: string, file: RentalFile, content?: Rental): Promise<boolean> {
    if (this.#files.has(`${name} ${file}`)) return false;
    const isOurs = await this.#book.create(name, file, content);
    this.#take(name, file);
    return isOurs;
  }

  /** Every rental of an account as far as it was watched, in no order. @throws the disk's error. */
  async read(account: SignedIn): Promise<readonly MachineUse[]> {
    // What the list that is shown says is in it.
    await this.#inTurn(async () => undefined);
    await this.#load();
    return [...this.#noted.values()].flatMap(({ rental, hours, startSeconds, didNotStart, wasLost }) => {
      if (!rental || !isOfAccount(rental, account)) return [];
      const { machine, host, image, since } = rental;
      return [{ machine, host, image, since, hours, startSeconds, didNotStart: !!didNotStart, wasLost: !!wasLost }];
    });
  }

  /** Once for each list of instances, however many are in it. */
  async #loadOnce(): Promise<void> {
    if (!this.#isLoaded) await this.#load();
    this.#isLoaded = true;
  }

  /** Reads what other windows wrote down. */
  async #load(): Promise<void> {
    for (const [name, files] of await this.#book.list())
      for (const [kind, all] of files)
        for (const numbers of all) {
          const file: RentalFile = [kind, ...numbers];
          if (this.#files.has(`${name} ${file}`)) continue;
          const noted = this.#take(name, file);
          const rental = kind === "rental" ? await this.#book.read(name, kind, Rental) : undefined;
          if (rental) noted.rental ??= rental;
        }
  }

  /** What the name of a file says. */
  #take(name: string, file: RentalFile): Noted {
    const [kind, count = 0] = file;
    this.#files.add(`${name} ${file}`);
    const noted = this.#noted.get(name) ?? {};
    this.#noted.set(name, noted);
    if (kind === "ran") noted.hours = Math.max(noted.hours ?? 0, count);
    if (kind === "up") noted.startSeconds = Math.max(noted.startSeconds ?? 0, count);
    if (kind === "failed") noted.didNotStart = true;
    if (kind === "lost") noted.wasLost = true;
    if (kind === "rested") noted.hasRested = true;
    return noted;
  }

  /** Removes what is too old to be asked for. `now` in epoch milliseconds. */
  async tidy(now: number): Promise<void> {
    await this.#load();
    for (const [name, { rental }] of this.#noted) {
      if (!rental || now - rental.since < (rental.sandbox ? KEPT_OF_SANDBOX : KEPT)) continue;
      await this.#book.removeEntry(name);
      for (const file of this.#files) if (file.startsWith(`${name} `)) this.#files.delete(file);
      this.#noted.delete(name);
    }
  }

  dispose(): void {
    for (const one of this.#listening) one.dispose();
  }
}

function toRental(account: SignedIn, instance: Instance, machine: number, now: number): Rental {
  const { host_id: host, image_uuid: image } = instance;
  return {
    version: 1,
    ...toAccountMark(account),
    ...{ machine, ...(host === undefined ? {} : { host }) },
    ...(image === undefined ? {} : { image: image.slice(0, LONGEST_IMAGE).toWellFormed() }),
    since: findRentedAt(instance) ?? now,
  };
}

/** 0, 1, 2, 4, 8, …: the last mark that has passed. */
const lastMark = (hours: number): number => (hours < 1 ? 0 : 2 ** Math.floor(Math.log2(hours)));
