// A noun's files as data: write-once files in a folder that all windows share, each named `entry.kind-1-2`. Names say all that must be
// known of a file that can't be read.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type * as z from "zod";
import { InstanceId } from "../../../domain/base/id.ts";
import { type Disk, readObject, realDisk } from "./disk.ts";

export interface BookTable<K extends string> {
  /** What entries are called, which holds no dot. */
  readonly entry: RegExp;
  /**
   * By kind, the most digits of each number in the names of its files. The files of an entry are removed in this order, so that a window that
   * dies halfway brings nothing back. The kind without a name is the entry's own.
   */
  readonly kinds: Readonly<Record<K, readonly number[]>>;
  /** Kinds whose files may also be named without their numbers. */
  readonly unnumbered?: readonly K[];
  /**
   * What happens while the disk can't be read. Whatever would rent or destroy `waits`: the disk's error is thrown. Whatever only tells
   * `passes`, as if the file were damaged. Where only some kinds wait, those are named.
   */
  readonly unread: "waits" | "passes" | readonly K[];
}

/** A file of an entry: its kind, and the numbers in its name. */
export type BookFile<K extends string> = K | readonly [kind: K, ...numbers: readonly number[]];

/** By kind, the numbers of each of its files, in no order. */
export type BookEntry<K extends string> = ReadonlyMap<K, readonly (readonly number[])[]>;

export class Book<K extends string> {
  readonly #table: BookTable<K>;
  readonly #kinds: readonly K[];
  readonly #pattern: RegExp;
  readonly #folder: string;
  readonly #disk: Disk;
  /** What files said, which never changes. */
  readonly #known = new Map<string, unknown>();

  constructor(table: BookTable<K>, folder: string, disk: Disk = realDisk) {
    this.#table = table;
    this.#kinds = Object.keys(table.kinds) as K[];
    this.#pattern = new RegExp(`^(${table.entry.source})(?:\\.([a-z]+(?:-[a-z]+)*))?((?:-\\d+)*)$`);
    this.#folder = folder;
    this.#disk = disk;
  }

  /** Every entry, by what the names of its files say. Files of others are passed over. @throws the disk's error. */
  async list(): Promise<ReadonlyMap<string, BookEntry<K>>> {
    const names = await this.#disk.names(this.#folder);
    const there = new Set(names);
    for (const name of this.#known.keys()) if (!there.has(name)) this.#known.delete(name);
    const found = new Map<string, Map<K, (readonly number[])[]>>();
    for (const name of names) {
      const { entry, kind, numbers } = this.#parse(name) ?? {};
      if (entry === undefined || kind === undefined || numbers === undefined) continue;
      const files = found.get(entry) ?? new Map<K, (readonly number[])[]>();
      found.set(entry, files);
      const all = files.get(kind) ?? [];
      files.set(kind, all);
      all.push(numbers);
    }
    return found;
  }

  #parse(name: string): { readonly entry: string; readonly kind: K; readonly numbers: readonly number[] } | undefined {
    const [, entry = "", kind = "", tail = ""] = this.#pattern.exec(name) ?? [];
    if (!this.#kinds.includes(kind as K)) return undefined;
    const numbers = tail.split("-").slice(1);
    const { kinds, unnumbered = [] } = this.#table;
    const digits = kinds[kind as K];
    if (numbers.length === 0 && unnumbered.includes(kind as K)) return { entry, kind: kind as K, numbers: [] };
    const fits = (number: string, at: number) =>
      number === String(Number(number)) && number.length <= (digits[at] ?? 0);
    if (numbers.length !== digits.length || !numbers.every(fits)) return undefined;
    return { entry, kind: kind as K, numbers: numbers.map(Number) };
  }

  /**
   * Writes it durably, with all of it or not at all: a text as it is, and anything else as JSON. Nothing makes a mark without content.
   * @returns false if it is there already. @throws the disk's error.
   */
  async create(entry: string, file: BookFile<K>, content: unknown = ""): Promise<boolean> {
    const path = this.#path(entry, file);
    const text = typeof content === "string" ? content : JSON.stringify(content);
    return await this.#disk.create(path, text).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      // The first one of all.
      await this.#disk.names(this.#folder);
      return await this.#disk.create(path, text);
    });
  }

  /** Undefined if there is none, or one that is empty, damaged, or written by a newer version. @throws the disk's error, where that `waits`. */
  async read<T>(entry: string, file: BookFile<K>, schema: z.ZodType<T>): Promise<T | undefined> {
    const name = nameFile(entry, file);
    if (this.#known.has(name)) return this.#known.get(name) as T;
    const value = await this.#pass(file, readObject(this.#disk, join(this.#folder, name), schema));
    if (value !== undefined) this.#known.set(name, value);
    return value;
  }

  /** Undefined if there is none. @throws the disk's error, where that `waits`. */
  async readText(entry: string, file: BookFile<K>): Promise<string | undefined> {
    return await this.#pass(
      file,
      this.#disk.read(this.#path(entry, file)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return undefined;
        throw error;
      }),
    );
  }

  async #pass<T>(file: BookFile<K>, reading: Promise<T | undefined>): Promise<T | undefined> {
    const { unread } = this.#table;
    const kind = typeof file === "string" ? file : file[0];
    const waits = typeof unread === "string" ? unread === "waits" : unread.includes(kind);
    return waits ? await reading : await reading.catch(() => undefined);
  }

  async remove(entry: string, file: BookFile<K>): Promise<void> {
    this.#known.delete(nameFile(entry, file));
    await this.#disk.remove(this.#path(entry, file));
  }

  /** Removes all that is known of it, in the order of its kinds. */
  async removeEntry(entry: string): Promise<void> {
    const files = (await this.list()).get(entry);
    for (const kind of this.#kinds)
      for (const numbers of files?.get(kind) ?? []) await this.remove(entry, [kind, ...numbers]);
  }

  /** Removes files of these kinds that were written longer ago than that, in milliseconds. `now` in epoch milliseconds. @throws the disk's error. */
  async removeOlder(now: number, kept: Partial<Readonly<Record<K, number>>>): Promise<void> {
    for (const [entry, files] of await this.list())
      for (const [kind, all] of files)
        for (const numbers of kept[kind] === undefined ? [] : all) {
          const { mtimeMs } = await stat(this.#path(entry, [kind, ...numbers]));
          if (now - mtimeMs > (kept[kind] ?? 0)) await this.remove(entry, [kind, ...numbers]);
        }
  }

  #path(entry: string, file: BookFile<K>): string {
    return join(this.#folder, nameFile(entry, file));
  }
}

function nameFile<K extends string>(entry: string, file: BookFile<K>): string {
  const [kind, ...numbers] = typeof file === "string" ? [file] : file;
  return [kind === "" ? entry : `${entry}.${kind}`, ...numbers].join("-");
}

/** The first numbers in the names of an entry's files of a kind, in no order. */
export function listNumbers<K extends string>(entry: BookEntry<K> | undefined, kind: K): number[] {
  return (entry?.get(kind) ?? []).flatMap(([number]) => number ?? []);
}

/** The highest of them; 0 without one. */
export function findHighest<K extends string>(entry: BookEntry<K> | undefined, kind: K): number {
  return Math.max(0, ...listNumbers(entry, kind));
}

/** The instances that the names of an entry's files of a kind begin with. */
export const listInstanceIds = <K extends string>(entry: BookEntry<K>, kind: K): readonly InstanceId[] =>
  (entry.get(kind) ?? []).flatMap(([id]) => InstanceId.safeParse(id).data ?? []);

/** The highest count that the name of a file of this kind has after the instance, in any entry; 0 without one. */
export function findHighestCount<K extends string>(
  entries: ReadonlyMap<string, BookEntry<K>>,
  kind: K,
  id: InstanceId,
): number {
  const all = [...entries.values()].flatMap((files) => files.get(kind) ?? []);
  return Math.max(0, ...all.map(([of, count = 0]) => (of === id ? count : 0)));
}
