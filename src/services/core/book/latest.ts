// What is set for an instance again and again: the latest holds. Each says its instance and count by its name, too, so that one that can't be
// read still outranks those before it.
import type * as z from "zod";
import type { InstanceId } from "../../../domain/base/id.ts";
import type { Book, BookEntry } from "./book.ts";

/** `count` rises by one with each that is set for an instance. `at` in epoch milliseconds. */
interface Counted {
  readonly count: number;
  readonly at: number;
}

interface Read<K extends string, T> {
  readonly name: string;
  readonly files: BookEntry<K>;
  readonly value: T;
}

/**
 * Reads each that can be read, in no order.
 * @returns them, and whether one that can't be read may hold instead of one with this count. @throws the disk's error.
 */
export async function readCounted<K extends string, T>(
  book: Book<K>,
  kind: K,
  schema: z.ZodType<T>,
): Promise<{ readonly all: readonly Read<K, T>[]; readonly isDoubted: (id: InstanceId, count: number) => boolean }> {
  const all: Read<K, T>[] = [];
  const unread: (readonly number[])[] = [];
  for (const [name, files] of await book.list())
    for (const numbers of files.get(kind) ?? []) {
      const value = await book.read(name, [kind, ...numbers], schema);
      if (value) all.push({ name, files, value });
      else unread.push(numbers);
    }
  return { all, isDoubted: (id, count) => unread.some(([of, later = 0]) => of === id && later >= count) };
}

/** The one that holds. Two windows may have set one with the same count at the same moment. */
export function findLatest<T extends { readonly name: string }>(
  all: readonly T[],
  read: (one: T) => Counted,
): T | undefined {
  const [first, ...others] = all;
  return first && others.reduce((last, one) => (comesAfter(one, last, read) ? one : last), first);
}

function comesAfter<T extends { readonly name: string }>(one: T, other: T, read: (one: T) => Counted): boolean {
  const [first, second] = [read(one), read(other)];
  if (first.count !== second.count) return first.count > second.count;
  return first.at === second.at ? one.name > other.name : first.at > second.at;
}
