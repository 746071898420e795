// Which windows still live, as far as their work for others to see goes: a file that a window touches while it has such work.
import { rmSync } from "node:fs";
import { mkdir, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../../lib/log.ts";

/** What tells windows apart, and whether one still works. A process id would be used again by another program. */
export interface Life {
  readonly id: string;
  isAlive(id: string): Promise<boolean>;
  /** From now on others see this window work. @returns what ends that. */
  begin(): () => void;
}

const BEAT_MS = 10_000;
/** A window that was not heard of for so long is gone. */
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
    // Either way: a clock that was set back must not keep a dead window alive for ever.
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
      // Its file stays until it is old: what this window did last, and wrote down, may not have been read yet.
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

  /** Removes what windows left that did not close by themselves. */
  async tidy(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => []))
      if (NAME.test(name) && !(await this.isAlive(name))) await rm(join(this.#folder, name), { force: true });
  }

  /** At once: a window that closes gives nobody the time to wait for a disk. */
  dispose(): void {
    clearInterval(this.#timer);
    try {
      rmSync(join(this.#folder, this.id), { force: true });
    } catch (error) {
      this.#log.debug("This window's file stays until it is old.", error);
    }
  }
}
