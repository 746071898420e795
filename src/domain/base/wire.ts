// Tolerant readers for a server's records: a doubtful field counts as absent and never costs the row.
import * as z from "zod";
import { toNumber, toShare } from "./field.ts";

/** A finite number, also one that is written as text, or absent. */
export const num = z.unknown().transform(toNumber).optional();
/** A share from 0 to 1, or absent. */
export const share = z.unknown().transform(toShare).optional();
/** A whole number, or absent. */
export const int = z.int().optional().catch(undefined);
/** Text, or absent. */
export const str = z.string().optional().catch(undefined);
/** Text, or absent. Null, which servers send for "nothing", counts as absent too. */
export const text = z
  .string()
  .nullish()
  .catch(undefined)
  .transform((value) => value ?? undefined);
export const bool = z.boolean().optional().catch(undefined);

/** A parsed record and its original, for views that show everything the service said. */
export interface Row<T> {
  readonly value: T;
  readonly raw: Readonly<Record<string, unknown>>;
}

export interface Rows<T> {
  readonly rows: readonly Row<T>[];
  /** How many records couldn't be read at all. */
  readonly unreadable: number;
}

/** How one record is read. Undefined if it can't be. */
type ReadRecord<T> = (record: unknown) => T | undefined;

/** Reads a list record by record. Unreadable records are counted; of two with the same key, the first is kept. */
export function readRows<T>(
  how: z.ZodType<T> | ReadRecord<T>,
  list: readonly unknown[],
  key: (value: T) => unknown,
): Rows<T> {
  const read = typeof how === "function" ? how : (record: unknown) => how.safeParse(record).data;
  const rows = new Map<unknown, Row<T>>();
  let unreadable = 0;
  for (const record of list) {
    const value = read(record);
    if (value === undefined) {
      unreadable += 1;
      continue;
    }
    const name = key(value);
    if (!rows.has(name)) rows.set(name, { value, raw: record as Record<string, unknown> });
  }
  return { rows: [...rows.values()], unreadable };
}
