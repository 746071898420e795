// What windows saw of the account's instances, as they wrote it down: readings of the list, in lines of text.
import * as z from "zod";
import { cutMasked } from "../../lib/redact.ts";
import { EpochTime } from "../base/epoch-time.ts";
import { InstanceId } from "../base/id.ts";
import { toPrice } from "../base/money.ts";
import { billsOnlyDisk, getCurrentPrice, getPhase, type Instance, withoutLaunchToken } from "../instance/instance.ts";

const Price = z.number().min(0).max(1e6);
const Text = z.string().max(300);

/** One instance at one moment. */
export const SeenInstance = z.object({
  id: InstanceId,
  /** Dollars per hour at the least: a machine that starts or is out of reach may be billed for its disk only, or for nothing. */
  low: Price,
  /** Dollars per hour at the most; left out if the service doesn't say. */
  high: Price.optional(),
  /** Dollars per hour while it runs, if it doesn't. */
  running: Price.optional(),
  /** Whether it is held stopped. */
  isStopped: z.boolean().optional(),
  /** The start of its contract in UTC epoch seconds. */
  start: z.number().min(0).max(1e11).optional(),
  gpu: Text.optional(),
  machine: z.int().optional(),
  template: Text.optional(),
  label: Text.optional(),
  /** The folder it was rented from. */
  project: Text.optional(),
});
export type SeenInstance = z.infer<typeof SeenInstance>;

/** The first line of a file: whose readings follow. */
export const LedgerHeader = z.object({
  version: z.literal(1),
  origin: z.string(),
  /** Digest of origin and key. */
  account: z.string(),
  user: z.int().optional(),
  sandbox: z.literal(true).optional(),
});
export type LedgerHeader = z.infer<typeof LedgerHeader>;

/** Each further line: what changed since the line before, or everything. */
const LedgerLine = z.object({
  /** Epoch milliseconds. */
  at: EpochTime,
  /** Nothing holds of the lines before. */
  isFull: z.literal(true).optional(),
  /** The list had gaps: what it lacks may be there all the same. */
  hasGaps: z.literal(true).optional(),
  set: z.array(SeenInstance).optional(),
  gone: z.array(InstanceId).optional(),
  /** Known not to be there, although the list has gaps. */
  ended: z.array(InstanceId).optional(),
});
type LedgerLine = z.infer<typeof LedgerLine>;

type SeenInstances = ReadonlyMap<InstanceId, SeenInstance>;

/** What one window saw at one moment. */
export interface Reading {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly hasGaps: boolean;
  readonly seen: SeenInstances;
  /** Known not to be there, although the list has gaps. */
  readonly ended?: readonly InstanceId[] | undefined;
}

interface SeenRow {
  readonly value: Instance;
  readonly launchPrice: number | undefined;
}

/** What is written down of a row of the list. */
export function toSeenInstance(row: SeenRow, project?: string): SeenInstance {
  const { value } = row;
  const high = getCurrentPrice(row);
  const { start_date: start, num_gpus: count, gpu_name: name, machine_id: machine, template_name: template } = value;
  return {
    id: value.id,
    low: leastPrice(value, high),
    ...(high === undefined ? {} : { high }),
    ...(billsOnlyDisk(value) ? { isStopped: true, ...runningPrice(value) } : {}),
    ...(start === undefined || start < 0 || start > 1e11 ? {} : { start }),
    ...cut("gpu", name && `${count ?? 1}× ${name}`),
    ...(machine === undefined ? {} : { machine }),
    ...cut("template", template),
    ...cut("label", withoutLaunchToken(value.label)),
    ...cut("project", project),
  };
}

function leastPrice(instance: Instance, most: number | undefined): number {
  const now = getPhase(instance);
  if (now === "lost" || most === undefined) return 0;
  if (now === "running" || billsOnlyDisk(instance)) return most;
  return Math.min(most, toPrice(instance.storage_total_cost) ?? 0);
}

function runningPrice({ dph_total: total }: Instance): { readonly running?: number } {
  const running = toPrice(total);
  return running === undefined ? {} : { running };
}

/** Characters. People put tokens anywhere, also into labels. */
const LONGEST = 300;

function cut<Name extends string>(name: Name, text: string | undefined): { readonly [N in Name]?: string } {
  return text === undefined || text === "" ? {} : ({ [name]: cutMasked(text, LONGEST) } as { [N in Name]?: string });
}

/** The line that leads from one reading to the next; everything if there is none before. */
export function writeLine(before: Reading | undefined, now: Reading): LedgerLine {
  const { at, hasGaps, seen, ended = [] } = now;
  const old: SeenInstances = before?.seen ?? new Map();
  const set = [...seen.values()].filter((one) => !isSame(old.get(one.id), one, before?.at ?? at));
  const gone = [...old.keys()].filter((id) => !seen.has(id));
  const news = before === undefined ? ended : ended.filter((id) => old.has(id));
  return {
    at,
    ...(before === undefined ? { isFull: true } : {}),
    ...(hasGaps ? { hasGaps: true } : {}),
    ...(set.length > 0 ? { set } : {}),
    ...(gone.length > 0 ? { gone } : {}),
    ...(news.length > 0 ? { ended: [...news] } : {}),
  };
}

/** Another start matters only if it came after `at`: services whose clock is another one give a different one each time. */
function isSame(one: SeenInstance | undefined, other: SeenInstance, at: number): boolean {
  if (one === undefined) return false;
  const { start, ...now } = other;
  const { start: before, ...old } = one;
  const isOneContract = start === before || start === undefined || start * 1000 < at;
  return isOneContract && JSON.stringify(old) === JSON.stringify(now);
}

/** Whether nothing changed from one reading to the next that matters for what was spent. */
export const isSameSeen = ({ at, seen: one }: Reading, { seen: other }: Reading): boolean =>
  one.size === other.size && [...other].every(([id, seen]) => isSame(one.get(id), seen, at));

/**
 * Reads the lines of one file, one after the other. A window that was killed leaves half a line: what follows it means nothing until a
 * line says everything.
 */
export class LineReader {
  #seen: SeenInstances | undefined;

  /** @returns undefined for a line that says nothing. */
  read(text: string): Reading | undefined {
    const line = readJson(text);
    if (line === undefined) {
      this.#seen = undefined;
      return undefined;
    }
    const { at, isFull, hasGaps = false, set = [], gone = [], ended } = line;
    const before = isFull ? new Map<InstanceId, SeenInstance>() : this.#seen;
    if (before === undefined) return undefined;
    const seen = set.length + gone.length === 0 ? before : new Map(before);
    if (seen instanceof Map) {
      for (const one of set) seen.set(one.id, one);
      for (const id of gone) seen.delete(id);
    }
    this.#seen = seen;
    return { at, hasGaps, seen, ...(ended ? { ended } : {}) };
  }
}

function readJson(text: string): LedgerLine | undefined {
  try {
    return LedgerLine.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
