// How machines served this person before: worked out of what was written down of each rental.

/** One rental of a machine, as far as it was watched. */
export interface MachineUse {
  readonly machine: number;
  readonly host: number | undefined;
  /** With its tag. */
  readonly image: string | undefined;
  /** When it was rented, in epoch milliseconds. */
  readonly since: number;
  /** Whole hours from its rental until it was last seen running before it rested; undefined if it was never seen running. */
  readonly hours: number | undefined;
  /** Seconds from its rental until it ran; undefined if no one watched that. */
  readonly startSeconds: number | undefined;
  /** It was given up before it ever ran. */
  readonly didNotStart: boolean;
  /** It ran, and the service lost contact with it. */
  readonly wasLost: boolean;
}

/** All rentals of one machine. */
export interface MachineHistory {
  readonly rentals: number;
  readonly hours: number;
  readonly startsFailed: number;
  readonly contactsLost: number;
}

export type MachineHistories = ReadonlyMap<number, MachineHistory>;

export function addUpHistories(uses: readonly MachineUse[]): MachineHistories {
  const all = new Map<number, MachineHistory>();
  for (const { machine, hours = 0, didNotStart, wasLost } of uses) {
    const before = all.get(machine) ?? { rentals: 0, hours: 0, startsFailed: 0, contactsLost: 0 };
    all.set(machine, {
      rentals: before.rentals + 1,
      hours: before.hours + hours,
      startsFailed: before.startsFailed + Number(didNotStart),
      contactsLost: before.contactsLost + Number(wasLost),
    });
  }
  return all;
}

const hasFailed = ({ startsFailed, contactsLost }: MachineHistory): boolean => startsFailed + contactsLost > 0;

/** To compare machines by: 0 for one that failed, else the higher, the longer it ran. */
export const rateHistory = (history: MachineHistory): number => (hasFailed(history) ? 0 : 1 + history.hours);

/** Machines that ran for an hour or more, and never failed. */
export function listProven(histories: MachineHistories): readonly number[] {
  return listWhere(histories, (history) => history.hours > 0 && !hasFailed(history));
}

/** Machines that didn't start, or that the service lost contact with. */
export function listFailed(histories: MachineHistories): readonly number[] {
  return listWhere(histories, hasFailed);
}

function listWhere(histories: MachineHistories, isWanted: (history: MachineHistory) => boolean): readonly number[] {
  return [...histories].flatMap(([machine, history]) => (isWanted(history) ? [machine] : [])).sort((a, b) => a - b);
}

/** How long rentals with one image took until they ran. */
export interface StartTimes {
  readonly count: number;
  /** Seconds. */
  readonly least: number;
  readonly most: number;
}

/** The last rentals count: an image grows, and lines become faster. */
const LAST_STARTS = 5;

/** Undefined if no start with this image was watched. */
export function findStartTimes(uses: readonly MachineUse[], image: string): StartTimes | undefined {
  const name = toFullImage(image);
  const seconds = uses
    .filter((use) => use.image !== undefined && toFullImage(use.image) === name)
    .sort((one, other) => other.since - one.since)
    .flatMap(({ startSeconds }) => (startSeconds === undefined ? [] : [startSeconds]))
    .slice(0, LAST_STARTS);
  if (seconds.length === 0) return undefined;
  return { count: seconds.length, least: Math.min(...seconds), most: Math.max(...seconds) };
}

/** An image without a tag is its latest. A colon before a slash belongs to the registry's port. */
const toFullImage = (image: string): string =>
  /[:@]/.test(image.slice(image.lastIndexOf("/") + 1)) ? image : `${image}:latest`;
