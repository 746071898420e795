// What the lists said last, kept on disk so that the next window has something to show before the service has answered.
// Only what rows say is kept, never a record: nothing that decides, counts or acts can read it.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  cutKeptRows,
  type KeptLeaf,
  type KeptList,
  type KeptRow,
  LONGEST_FILE,
  readKeptList,
  writeKeptList,
} from "../../domain/base/kept-row.ts";
import type { Clock } from "../../lib/clock.ts";
import { Bag } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";
import { maskSecrets, redactText } from "../../lib/redact.ts";
import { createQueue } from "../../lib/task.ts";
import { replaceFile } from "./book/replace-file.ts";
import type { SessionService, SignedIn } from "./session.ts";

/** Milliseconds after which a list that says the same as before is written again, for its time. */
const REWRITE_AFTER = 300_000;

interface Parts {
  /** A folder for nothing else. */
  readonly folder: string;
  readonly session: SessionService;
  readonly clock: Clock;
  readonly log: Log;
}

/** A folder for each account, a file for each list. A failure of the disk costs nothing but the memory. */
export class RowMemory {
  readonly #parts: Parts;
  readonly #bag = new Bag();
  /** Whatever happens to the folder happens in turn, so that what is removed stays removed. */
  readonly #inTurn = createQueue();
  /** What this window wrote last, by path. */
  readonly #written = new Map<string, { readonly text: string; readonly at: number }>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#bag.add(parts.session.onDidForget((profile) => void this.#remove(nameOf(profile))));
  }

  /** What a list said last in this account; undefined if that isn't known, or too long ago to help. */
  async recall(account: SignedIn, list: string): Promise<KeptList | undefined> {
    if (account.sandbox) return undefined;
    await this.#settle();
    const path = this.#pathOf(account, list);
    try {
      if ((await stat(path)).size > LONGEST_FILE * 3) return undefined;
      return readKeptList(await readFile(path, "utf8"), account.tag, this.#parts.clock.now());
    } catch {
      return undefined;
    }
  }

  /** Keeps what a list says now. `at` is wall clock milliseconds of the reading. */
  keep(account: SignedIn, list: string, at: number, rows: Iterable<KeptRow>): Promise<void> {
    if (account.sandbox) return Promise.resolve();
    const kept = cutKeptRows(rows);
    const path = this.#pathOf(account, list);
    const text = JSON.stringify(kept);
    const before = this.#written.get(path);
    if (before?.text === text && at - before.at < REWRITE_AFTER) return this.#settle();
    this.#written.set(path, { text, at });
    return this.#tryInTurn(() =>
      this.#write(account, path, writeKeptList({ tag: account.tag, at, rows: withoutSecrets(kept) })),
    );
  }

  async #write(account: SignedIn, path: string, text: string | undefined): Promise<void> {
    const isCurrent = () => this.#parts.session.current === account;
    if (!isCurrent()) return;
    if (text === undefined) return await rm(path, { force: true });
    await mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
    const check = async () => this.#parts.session.assertStill(account);
    await replaceFile({ path, text, check }).catch((error) => {
      if (isCurrent()) throw error;
    });
  }

  /** Removes what a window left behind that was closed in the middle, and what belongs to no account of today. */
  tidy(): Promise<void> {
    return this.#tryInTurn(async () => {
      const { folder, session } = this.#parts;
      const known = new Set(session.profiles.list().map(({ id }) => nameOf(id)));
      for (const name of await readdir(folder).catch((): string[] => [])) {
        if (!known.has(name)) await rm(join(folder, name), { recursive: true, force: true });
        else
          for (const file of await readdir(join(folder, name)))
            if (!file.endsWith(".json")) await rm(join(folder, name, file), { force: true });
      }
    });
  }

  #remove(name: string): Promise<void> {
    this.#written.clear();
    return this.#tryInTurn(() => rm(join(this.#parts.folder, name), { recursive: true, force: true }));
  }

  #tryInTurn(work: () => Promise<void>): Promise<void> {
    return this.#inTurn(work).catch((error) => this.#parts.log.warn("What the lists said could not be kept.", error));
  }

  /** Resolves when all that was begun by now is done. */
  #settle(): Promise<void> {
    return this.#inTurn(async () => undefined);
  }

  #pathOf({ profile }: SignedIn, list: string): string {
    return join(this.#parts.folder, nameOf(profile), `${list}.json`);
  }

  dispose(): void {
    this.#bag.dispose();
  }
}

/** Names and labels are other people's texts, and people put tokens anywhere. */
function withoutSecrets(rows: readonly KeptRow[]): KeptRow[] {
  const mask = <R extends KeptLeaf>(row: R): R => ({
    ...row,
    label: maskSecrets(row.label).slice(0, row.label.length),
    description: maskSecrets(row.description).slice(0, row.description.length),
    accessible: maskSecrets(row.accessible).slice(0, row.accessible.length),
  });
  const isHarmless = ({ id }: KeptLeaf) => redactText(id) === id;
  return rows.filter(isHarmless).map((row) => ({ ...mask(row), rows: row.rows.filter(isHarmless).map(mask) }));
}

/** A profile's ID is an address, which no file name can hold. */
function nameOf(profile: string): string {
  return createHash("sha256").update(profile).digest("hex").slice(0, 16);
}
