// The person's own SSH configuration. It gets one line, at its top, after a question; whatever is unusual about it leaves it alone.
import type { Stats } from "node:fs";
import { access, constants, lstat, mkdir, readFile, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { AppError, asAppError } from "../../../domain/base/error.ts";
import { formatInclude, isIncluded, withInclude, withoutInclude } from "../../../domain/connection/ssh-include.ts";
import type { Clock } from "../../../lib/clock.ts";
import { t } from "../../../lib/text.ts";
import { replaceFile } from "../../core/book/replace-file.ts";
import type { SshFiles } from "./ssh-files.ts";

/** Bytes. A configuration of thousands of machines is smaller. */
const LARGEST = 1_000_000;
/** Times that another program may change the file while it is written. */
const TRIES = 5;

interface Found {
  readonly text: string;
  /** Permissions; undefined if there is no file yet. */
  readonly mode: number | undefined;
}

/** Another program wrote the file in the meantime. */
class Overtaken extends Error {}

export class PersonSshConfig {
  readonly #files: SshFiles;
  readonly #clock: Clock;

  constructor(files: SshFiles, clock: Clock) {
    this.#files = files;
    this.#clock = clock;
  }

  get path(): string {
    return this.#files.person().path;
  }

  get backup(): string {
    return `${this.path}.before-cloud-gpu`;
  }

  /** Our line, for people who add it themselves. */
  get line(): string {
    return formatInclude(this.#files.ownConfig);
  }

  /** Whether the line is there and comes into effect. False for a file that can't be read. */
  async includesOurs(): Promise<boolean> {
    const text = await this.#readAnyway();
    return text !== undefined && isIncluded(text, this.#files.ownConfig);
  }

  async isThere(): Promise<boolean> {
    return (await stateOf(this.path)) !== undefined;
  }

  /** Changes nothing. @throws AppError `rejected` with the reason if `include` would leave the file alone. */
  async check(): Promise<void> {
    await this.#inspect();
  }

  /** Also where the file is a link or read-only: what the person wrote there themselves counts. */
  async #readAnyway(): Promise<string | undefined> {
    try {
      // Reading a pipe would never end.
      const found = await stat(this.path);
      return found.isFile() && found.size <= LARGEST ? decode(await readFile(this.path)) : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Puts the line at the top, and keeps a copy of the file as it was before that.
   * @throws AppError `rejected` with the reason if the file is left alone.
   */
  async include(): Promise<void> {
    await this.#exchange((text) => withInclude(text, this.#files.ownConfig), true);
  }

  /** Takes the line out again. @returns whether it was there. @throws AppError `rejected` as `include` does. */
  async exclude(): Promise<boolean> {
    if (!(await this.isThere())) return false;
    const without = (text: string) => withoutInclude(text, this.#files.ownConfig);
    // Nothing to do leaves any file alone, without a word about what is unusual about it.
    const seen = await this.#readAnyway();
    if (seen !== undefined && without(seen) === seen) return false;
    await this.#exchange(without, false);
    return true;
  }

  async #exchange(change: (text: string) => string, keepsCopy: boolean): Promise<void> {
    for (let turn = 1; ; turn += 1) {
      const found = await this.#inspect();
      const text = change(found.text);
      if (text === found.text && found.mode !== undefined) return;
      try {
        if (keepsCopy && found.mode !== undefined) await this.#keepCopy(found.text, found.mode);
        // There was no file before the line was added.
        if (text === "" && !(await stateOf(this.backup))) {
          if (await this.#isOvertaken(found)) throw new Overtaken();
          return await rm(this.path, { force: true });
        }
        await this.#replace(text, found);
        return;
      } catch (cause) {
        if (cause instanceof Overtaken && turn < TRIES) continue;
        throw asRefusal(cause, this.path);
      }
    }
  }

  async #replace(text: string, found: Found): Promise<void> {
    const check = async () => {
      if (await this.#isOvertaken(found)) throw new Overtaken();
    };
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    await replaceFile({ path: this.path, text, mode: found.mode ?? 0o600, check }, this.#clock);
  }

  async #isOvertaken(before: Found): Promise<boolean> {
    const now = await this.#inspect();
    return now.text !== before.text || now.mode !== before.mode;
  }

  /** In place of the copy of an earlier time, from which the file may be far by now. */
  async #keepCopy(text: string, mode: number): Promise<void> {
    await replaceFile({ path: this.backup, text, mode }, this.#clock);
  }

  /** @throws AppError `rejected` if the file is none to change. */
  async #inspect(): Promise<Found> {
    const { path } = this;
    const state = await stateOf(path);
    try {
      if (!state) return { text: "", mode: undefined };
      const flaw = findFlaw(path, state) ?? (await findLock(path));
      if (flaw !== undefined) throw new AppError("rejected", flaw);
      const text = decode(await readFile(path));
      if (text !== undefined) return { text, mode: state.mode & 0o777 };
    } catch (error) {
      throw asRefusal(error, path);
    }
    throw new AppError("rejected", t("{0} isn't UTF-8 text, so Cloud GPU didn't change it.", path));
  }
}

async function stateOf(path: string): Promise<Stats | undefined> {
  return await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw asRefusal(error, path);
  });
}

/** Undefined for bytes that are no text. Every character of a text is kept, a byte order mark too. */
function decode(bytes: Buffer): string | undefined {
  if (bytes.length > LARGEST || bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** What makes it a file that only its owner's own tools should change. */
function findFlaw(path: string, state: Stats): string | undefined {
  if (state.isSymbolicLink() || (state.isFile() && state.nlink > 1))
    return t("{0} is a link to another file, so Cloud GPU didn't change it.", path);
  if (!state.isFile()) return t("{0} isn't a file, so Cloud GPU didn't change it.", path);
  if ((state.mode & 0o200) === 0) return t("{0} is read-only, so Cloud GPU didn't change it.", path);
  if (process.getuid && state.uid !== process.getuid())
    return t("{0} belongs to another user of this computer, so Cloud GPU didn't change it.", path);
  return state.size > LARGEST ? t("{0} is larger than 1 MB, so Cloud GPU didn't change it.", path) : undefined;
}

/** Both are needed: the file is replaced by a new one in its folder. */
async function findLock(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.W_OK);
    await access(dirname(path), constants.W_OK);
    return undefined;
  } catch {
    return t("{0} is read-only, so Cloud GPU didn't change it.", path);
  }
}

function asRefusal(cause: unknown, path: string): AppError {
  if (cause instanceof AppError) return asAppError(cause);
  return new AppError("rejected", t("Cloud GPU couldn't change {0}.", path), { cause });
}
