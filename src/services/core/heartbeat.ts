// Which windows with unfinished work are still alive. A window touches a file as long as it has work that others must
// not repeat.
import { rmSync } from "node:fs";
import { mkdir, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, isNear } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import type { ScheduledJob, Scheduler } from "./scheduler.ts";

/** Identifies windows and says whether one is still working. A process ID won't do: another program may reuse it. */
export interface Liveness {
  readonly id: string;
  isAlive(id: string): Promise<boolean>;
  /** From now on, other windows see this one as working. @returns a function that ends that. */
  begin(): () => void;
  /** Resolves once other windows can see that, or the disk has refused it. */
  show(): Promise<void>;
}

const BEAT_MS = 10_000;
/** A window that was silent for this long is gone. */
export const SILENT_MS = 40_000;
/**
 * A silence counts only if this window was awake through it: all windows sleep with the computer, and the one that wakes
 * first must not take the others for dead. Timers don't run in a sleep, so this many turns prove that it was awake.
 */
const TURNS = SILENT_MS / BEAT_MS;
const NAME = /^[0-9a-f-]{8,64}$/;

/** What this window saw of another. */
interface Watched {
  readonly mtimeMs: number;
  /** Turns since this beat was first seen, `TURNS` at most. */
  turns: number;
}

export class Heartbeat implements Liveness {
  readonly id = crypto.randomUUID();
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #beating: ScheduledJob;
  /** By ID, the windows that were asked about. */
  readonly #watched = new Map<string, Watched>();
  readonly #watching: ScheduledJob;
  #works = 0;
  #shown: Promise<void> = Promise.resolve();
  /** Whether there are files that may have to be removed later. */
  #isTidying = false;

  constructor(folder: string, scheduler: Scheduler, log: Log) {
    this.#folder = folder;
    this.#clock = scheduler.clock;
    this.#log = log;
    this.#beating = scheduler.add({
      id: "heartbeat",
      wait: () => (this.#works > 0 ? BEAT_MS : undefined),
      run: () => this.#beat(),
    });
    this.#watching = scheduler.add({
      id: "other-windows",
      wait: () => (this.#isWatching ? BEAT_MS : undefined),
      run: () => this.#turn(),
    });
  }

  async isAlive(id: string): Promise<boolean> {
    if (id === this.id) return true;
    if (!NAME.test(id)) return false;
    const file = await stat(join(this.#folder, id)).catch(({ code }: NodeJS.ErrnoException) => code);
    if (file === "ENOENT") {
      // It closed, or never worked.
      this.#watched.delete(id);
      return false;
    }
    // What can't be read is no proof.
    if (typeof file !== "object") return true;
    const { mtimeMs } = file;
    const turns = this.#watch(id, mtimeMs);
    return isNear(this.#clock.now(), mtimeMs, SILENT_MS) || turns < TURNS;
  }

  /** @returns the turns since this beat was first seen. */
  #watch(id: string, mtimeMs: number): number {
    const known = this.#watched.get(id);
    if (known?.mtimeMs === mtimeMs) return known.turns;
    const wasWatching = this.#isWatching;
    this.#watched.set(id, { mtimeMs, turns: 0 });
    // Planned once: planning again would put the turn off.
    if (!wasWatching) this.#watching.plan();
    return 0;
  }

  get #isWatching(): boolean {
    return [...this.#watched.values()].some(({ turns }) => turns < TURNS);
  }

  async #turn(): Promise<void> {
    for (const watched of this.#watched.values()) watched.turns = Math.min(watched.turns + 1, TURNS);
    if (this.#isTidying && !this.#isWatching) await this.tidy();
  }

  begin(): () => void {
    this.#works += 1;
    if (this.#works === 1) this.#shown = this.#beating.runNow();
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#works -= 1;
      // The file stays until it is old, because others may not have read this window's last record yet.
      if (this.#works === 0) this.#beating.plan();
    };
  }

  async show(): Promise<void> {
    await this.#shown;
  }

  async #beat(): Promise<void> {
    const path = join(this.#folder, this.id);
    const now = new Date(this.#clock.now());
    try {
      await utimes(path, now, now).catch(async () => {
        await mkdir(this.#folder, { recursive: true, mode: 0o700 });
        await writeFile(path, "", { mode: 0o600 });
      });
    } catch (error) {
      this.#log.warn("Other windows cannot see that this one works.", error);
    }
  }

  /** Removes files of windows that didn't close cleanly, now or once their silence is proven. */
  async tidy(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => []))
      if (NAME.test(name) && !(await this.isAlive(name))) await rm(join(this.#folder, name), { force: true });
    this.#isTidying = this.#isWatching;
  }

  /** Synchronous: a closing window can't wait for the disk. */
  dispose(): void {
    this.#beating.dispose();
    this.#watching.dispose();
    try {
      rmSync(join(this.#folder, this.id), { force: true });
    } catch (error) {
      this.#log.debug("This window's file stays until it is old.", error);
    }
  }
}
