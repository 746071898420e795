// Which windows with unfinished work are still alive. A window touches a file as long as it has work that others must
// not repeat.
import { rmSync } from "node:fs";
import { mkdir, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../../lib/log.ts";

/** Identifies windows and says whether one is still working. A process ID won't do: another program may reuse it. */
export interface Life {
  readonly id: string;
  isAlive(id: string): Promise<boolean>;
  /** From now on, other windows see this one as working. @returns a function that ends that. */
  begin(): () => void;
}

const BEAT_MS = 10_000;
/** A window that was silent for this long is gone. */
const SILENT_MS = 40_000;
const NAME = /^[0-9a-f-]{8,64}$/;

export class Heartbeat implements Life {
  readonly id = crypto.randomUUID();
  readonly #folder: string;
  readonly #log: Log;
  #works = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  async isAlive(id: string): Promise<boolean> {
    if (id === this.id) return true;
    if (!NAME.test(id)) return false;
    const { mtimeMs } = await stat(join(this.#folder, id)).catch(() => ({ mtimeMs: 0 }));
    // Compared in both directions: if a clock was set back, a dead window must not seem alive forever.
    return Math.abs(Date.now() - mtimeMs) < SILENT_MS;
  }

  begin(): () => void {
    this.#works += 1;
    if (this.#works === 1) {
      void this.#beat();
      this.#timer = setInterval(() => void this.#beat(), BEAT_MS);
    }
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#works -= 1;
      // The file stays until it is old, because others may not have read this window's last record yet.
      if (this.#works === 0) clearInterval(this.#timer);
    };
  }

  async #beat(): Promise<void> {
    const path = join(this.#folder, this.id);
    const now = new Date();
    try {
      await utimes(path, now, now).catch(async () => {
        await mkdir(this.#folder, { recursive: true, mode: 0o700 });
        await writeFile(path, "", { mode: 0o600 });
      });
    } catch (error) {
      this.#log.warn("Other windows cannot see that this one works.", error);
    }
  }

  /** Removes files of windows that didn't close cleanly. */
  async tidy(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => []))
      if (NAME.test(name) && !(await this.isAlive(name))) await rm(join(this.#folder, name), { force: true });
  }

  /** Synchronous: a closing window can't wait for the disk. */
  dispose(): void {
    clearInterval(this.#timer);
    try {
      rmSync(join(this.#folder, this.id), { force: true });
    } catch (error) {
      this.#log.debug("This window's file stays until it is old.", error);
    }
  }
}
