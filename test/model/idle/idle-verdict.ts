// Whether every promise about orders for idle instances was kept in a story (I1 to I7, test/model/README.md).
import type { InstanceId } from "../../../src/domain/base/id.ts";
import type { IdleStage } from "./idle-story.ts";

/** Model seconds: what is younger than that may not be seen in time by whoever has just asked. */
const JUST = 45;
/** Model seconds between two readings that may hide nothing. */
export const MOST_GAP = 150;
/** Model seconds for which what an instance showed holds. */
const FRESH = 15 * 60;
/** Model seconds between two looks of an instance. */
const LOOKS_EVERY = 60;

export const countEnded = ({ told }: IdleStage): number => told.filter(({ kind }) => kind === "ended").length;

/** A window that says that the instance ends itself has seen it look a short time ago, with the order that it shows. */
export function checkShown(stage: IdleStage, id: InstanceId): void {
  const { keeper, fate, windows } = stage;
  if (!keeper || stage.violations.length > 0) return;
  for (const { name, life, window } of windows) {
    const wish = life.dead ? undefined : window.idleOrders.held.getWish(id);
    if (wish?.guard?.kind !== "armed") continue;
    const ago = (life.clock.now() - wish.guard.lookedAt) / 1000;
    const at = stage.now - ago;
    const isSeen = keeper.looks.some(
      ({ at: looked, order, isBlind }) =>
        Math.abs(looked - at) < LOOKS_EVERY + JUST &&
        !isBlind &&
        order.wish?.minutes === wish.minutes &&
        order.wish.ending === wish.ending,
    );
    const isProven = isSeen && ago <= FRESH + JUST && fate.keeper?.isAccepted === true;
    stage.check(isProven, "I6", `${name} shows ${JSON.stringify(wish)} at ${Math.round(stage.now)} s`);
  }
}

/** Seconds before `at` in which it did something or no one knew, but for what no one could see yet. */
function findWork({ turns, used }: Pick<IdleStage, "turns" | "used">, at: number, minutes: number): string | undefined {
  const begin = at - minutes * 60 + MOST_GAP;
  for (const [index, { at: from, isQuiet }] of turns.entries()) {
    const until = turns[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    if (!isQuiet && from < at - JUST && until > begin) return `not quiet from ${from} to ${until}`;
  }
  if (used && used.from < at - JUST && used.until > begin) return `used from ${used.from} to ${used.until}`;
  return undefined;
}

export function judge(
  stage: IdleStage,
  origin: number,
  { isArmed, isEnded }: { readonly isArmed: boolean; readonly isEnded: boolean },
): void {
  const { sets, requests, told, fate } = stage;
  for (const { at, kind } of requests) {
    // What may have been in force: the last order that was given before, and those that were being given.
    const may = sets.filter((set, index) => {
      const next = sets[index + 1];
      return set.from <= at && (next === undefined || next.until > at || next.wasLate);
    });
    const fitting = may.filter(
      ({ order, from }) => order.ending === kind && order.minutes !== undefined && at >= from + order.minutes * 60 - 5,
    );
    const said = `${kind} at ${Math.round(at - origin)} s, with ${JSON.stringify(sets.map(({ order }) => order))}`;
    stage.check(fitting.length > 0, "I2", said);
    const works = fitting.map(({ order }) => findWork(stage, at, order.minutes ?? 0));
    stage.check(fitting.length === 0 || works.includes(undefined), "I1", `${said}: ${works.join("; ")}`);
    const isWarned = told.some((one) => one.kind === "soon" && one.at < at - 60);
    const died = stage.windows.some(({ life }) => life.dead);
    stage.check(isWarned || died, "I2", `${said}: not warned`);
  }
  const isCalm = fate.faults.length === 0 && stage.windows.every(({ life }) => !life.dead);
  const most = sets.filter(({ order }) => order.minutes !== undefined).length;
  stage.check(!isCalm || requests.length <= most, "I3", `${requests.length} requests though nothing failed`);
  stage.check(!isCalm || requests.length <= 1 || sets.length > 1, "I3", `${requests.length} requests for one order`);
  stage.check(!isCalm || countEnded(stage) === requests.length, "I3", `${countEnded(stage)} messages`);
  stage.check(isEnded || !isArmed, "I4", `forgotten: ${JSON.stringify(sets.map(({ order }) => order))}`);
  judgeOwn(stage, origin);
}

/** What the instance did to itself: by an order in force, or one that it may have kept as far as the person knows, and not at work. */
function judgeOwn(stage: IdleStage, origin: number): void {
  const { own, sets } = stage;
  for (const { at, minutes, ending } of own) {
    const said = `ended itself (${ending}) at ${Math.round(at - origin)} s, with ${JSON.stringify(sets)}`;
    const index = sets.findIndex(({ order }) => order.minutes === minutes && order.ending === ending);
    stage.check(index >= 0 && (sets[index]?.from ?? 0) <= at - minutes * 60, "I5", said);
    const isReplaced = sets.slice(index + 1).some((set) => set.until < at && !set.wasLate && !set.isUnsure);
    stage.check(!isReplaced, "I5", `${said}: it was to know a later order`);
    const work = findWork({ turns: stage.turns, used: findKnownUse(stage, at, minutes) }, at, minutes);
    stage.check(work === undefined, "I5", `${said}: ${work}`);
  }
}

/** A use that a window could tell the instance of: for half of its time, with nothing in the way. */
function findKnownUse({ used, fate, keeper }: IdleStage, at: number, minutes: number): IdleStage["used"] {
  const isInTheWay = fate.faults.length > 0 || fate.keeper === undefined || fate.keeper.lostFrom < at;
  const told = (minutes * 60) / 2 + LOOKS_EVERY + JUST;
  return keeper && !isInTheWay && used && used.from < at - told && used.until > at - JUST ? used : undefined;
}
