// How the files of ends are named. A name says all that must be known of a file that can't be read.
import { InstanceId } from "../../../domain/base/id.ts";
import type { Lease } from "../../../domain/instance/lease.ts";

/**
 * What a window tells the person of an end: that it comes, that it has come, that it passed and nothing was done, or that the instance
 * did it itself.
 */
export type LeaseTold = "soon" | "over" | "overdue" | "itself";

export type ToldKey = `${LeaseTold} ${InstanceId}`;

/** One message of many: the first has the count 1. */
export interface ToldMessage {
  readonly what: LeaseTold;
  readonly id: InstanceId;
  readonly count: number;
}

/** The files of one end, by what their names say. */
export interface LeaseFiles {
  /** The name of the file that says what the end is. */
  written: string | undefined;
  /** The instance and the number of its end, as far as that name says them. */
  rank: { readonly id: InstanceId; readonly count: number } | undefined;
  readonly ids: Set<InstanceId>;
  readonly over: Set<InstanceId>;
  readonly seen: Set<InstanceId>;
  readonly told: Map<ToldKey, number>;
  readonly proofCounts: Map<InstanceId, number>;
}

const NAME =
  /^(lea-[0-9a-f]{20})\.(?:lease(?:-(\d{1,15})-(\d{1,6}))?|(of|over|seen)-(\d{1,15})|(soon|over|overdue|itself)-told-(\d{1,15})-(\d{1,4})|proof-(\d{1,15})-(\d{1,6}))$/;

/** Says which instance it is for and which of its ends it is: what can't be read must not leave an earlier one in force. */
export const nameLeaseFile = (name: string, { id, count }: Pick<Lease, "id" | "count">): string =>
  id === undefined ? `${name}.lease` : `${name}.lease-${id}-${count}`;

export const nameToldFile = (name: string, { what, id, count }: ToldMessage): string =>
  `${name}.${what}-told-${id}-${count}`;

/** By the kind of a fact, where the instances are that it is about. */
const SETS = { of: "ids", over: "over", seen: "seen" } as const;

/** By the name of the end, what its files are. */
export function readLeaseFiles(names: readonly string[]): ReadonlyMap<string, LeaseFiles> {
  const found = new Map<string, LeaseFiles>();
  for (const name of names) readName(found, name);
  return found;
}

function readName(found: Map<string, LeaseFiles>, file: string): void {
  const [, name, ranked, rank, kind, id, told, of, count, proven, proof] = NAME.exec(file) ?? [];
  if (name === undefined) return;
  const entry: LeaseFiles = found.get(name) ?? {
    ...{ written: undefined, rank: undefined },
    ...{ ids: new Set(), over: new Set(), seen: new Set(), told: new Map(), proofCounts: new Map() },
  };
  found.set(name, entry);
  const instance = InstanceId.safeParse(Number(id ?? of ?? proven)).data;
  if (proof !== undefined) {
    if (instance !== undefined)
      entry.proofCounts.set(instance, Math.max(entry.proofCounts.get(instance) ?? 0, Number(proof)));
  } else if (kind !== undefined && instance !== undefined) entry[SETS[kind as keyof typeof SETS]].add(instance);
  else if (told !== undefined && instance !== undefined) {
    const key: ToldKey = `${told as LeaseTold} ${instance}`;
    entry.told.set(key, Math.max(entry.told.get(key) ?? 0, Number(count)));
  } else if (kind === undefined && told === undefined) {
    const own = InstanceId.safeParse(Number(ranked)).data;
    entry.written = file;
    entry.rank = own === undefined ? undefined : { id: own, count: Number(rank) };
  }
}
