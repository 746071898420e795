// A window's life in the model: its clock runs fast, its disk is real, and it may die between any two of its steps.
import { writeFileSync } from "node:fs";
import { type Client, type ClientOptions, createClient } from "../../src/api/client.ts";
import type { ReplacementPolicy } from "../../src/domain/launch/limits.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { sleep } from "../../src/lib/clock.ts";
import { type Disk, realDisk } from "../../src/services/core/book/disk.ts";
import type { LaunchNotice } from "../../src/services/launch/outcome/launch-notices.ts";

/** Model seconds in a real one. */
export const RATE = 250;

/** Of the service: the time of the windows, in seconds. */
export const worldClock = { now: () => 1_700_000_000 + (performance.now() * RATE) / 1000, ahead: () => 0 };

const never = <T>(): Promise<T> => new Promise<T>(() => {});

/** What a broken variant of the protocol puts in the place of a sound part. */
export interface Breakage {
  readonly client?: (client: Client) => Client;
  readonly disk?: (disk: Disk) => Disk;
  readonly policy?: ReplacementPolicy;
  /** Notices that its person never gets to see. */
  readonly mutes?: (notice: LaunchNotice) => boolean;
}

/** Dying over a file leaves nothing, or where the file system has no links, all but the text or half of it. */
function leavePart(path: string, text: string): void {
  const part = [undefined, "", text.slice(0, text.length / 2)][path.charCodeAt(path.lastIndexOf(".") - 1) % 3];
  try {
    if (part !== undefined) writeFileSync(path, part, { flag: "wx" });
  } catch {
    // It was there already.
  }
}

/** A full disk, where it can't even remove what it has begun. */
async function failHalfway(path: string, text: string): Promise<never> {
  leavePart(path, text);
  throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
}

export class Life {
  #left = Number.POSITIVE_INFINITY;
  #dead = false;
  #fatal: RegExp | undefined;
  #toFull = Number.POSITIVE_INFINITY;
  #clients: Client[] = [];
  readonly #breakage: Breakage;
  readonly #died = Promise.withResolvers<void>();
  /** Resolves when this window has died. */
  readonly died = this.#died.promise;

  constructor(breakage: Breakage) {
    this.#breakage = breakage;
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** How many steps it has left from now on. */
  dieAfter(steps: number): void {
    this.#left = steps;
  }

  /** The disk is full for one file, that many files from now on. */
  fillAt(files: number): void {
    this.#toFull = files;
  }

  /** Dies over the first file that is named like this. */
  dieOver(name: RegExp): void {
    this.#fatal = name;
  }

  kill(): void {
    this.#dead = true;
    for (const client of this.#clients) client.close();
    this.#died.resolve();
  }

  /** One step done; after the last one nothing this window asked for ever comes back. */
  async #step<T>(work: () => Promise<T>): Promise<T> {
    if (this.#dead) return never();
    this.spend();
    if (this.#dead) return never();
    try {
      const value = await work();
      return this.#dead ? await never() : value;
    } catch (error) {
      if (this.#dead) return never();
      throw error;
    }
  }

  /** Counts one step that the model takes for this window; after the last one it is dead. */
  spend(): void {
    this.#left -= 1;
    if (this.#left <= 0) this.kill();
  }

  readonly clock: Clock = {
    now: () => worldClock.now() * 1000,
    elapsed: () => performance.now() * RATE,
    sleep: (ms, signal) => this.#step(() => sleep(ms / RATE, signal)),
  };

  get disk(): Disk {
    const sound: Disk = {
      create: (path, text) => {
        if (this.#fatal?.test(path)) this.#left = 1;
        this.#toFull -= 1;
        if (this.#toFull === 0 && !this.#dead) return this.#step(() => failHalfway(path, text));
        if (this.#left === 1 && !this.#dead) leavePart(path, text);
        return this.#step(() => realDisk.create(path, text));
      },
      names: (folder) => this.#step(() => realDisk.names(folder)),
      read: (path) => this.#step(() => realDisk.read(path)),
      remove: (path) => this.#step(() => realDisk.remove(path)),
    };
    return this.#breakage.disk?.(sound) ?? sound;
  }

  readonly connect = (options: ClientOptions): Client => {
    // Only the create has the model's deadline: a read that is slow on a busy machine is no fault of the protocol.
    const reading = createClient({ ...options, pace: 0, patience: 1 / RATE });
    const creating = createClient({ ...options, pace: 0, patience: 1 / RATE, within: 1 / RATE });
    this.#clients.push(reading, creating);
    const mortal = new Proxy(reading, {
      get: (target, name) => {
        const value: unknown = Reflect.get(name === "createInstance" ? creating : target, name);
        const plain = typeof value !== "function" || ["close", "forgetMissingEndpoints"].includes(String(name));
        return plain
          ? value
          : (...args: never[]) => this.#step(() => (value as (...args: never[]) => Promise<unknown>)(...args));
      },
    });
    return this.#breakage.client?.(mortal) ?? mortal;
  };
}
