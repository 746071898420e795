// Whether every promise about ends was kept in a story (E1 to E6, test/model/README.md).
import type { AutoStopStage } from "./auto-stop-story.ts";

/** Model seconds after which an end isn't carried out without a question. */
export const ASKED_AFTER = 600;
/** Model seconds in which a window that is open takes over what another one left, also where that can't be read, and carries it out. */
const ACTS_WITHIN = 300;
/** Model seconds that a busy machine may be late, beside those in which it stood still. */
export const SLACK = 90;

export const countEnded = ({ told }: AutoStopStage): number => told.filter(({ kind }) => kind === "ended").length;
export const isAsked = ({ told }: AutoStopStage): boolean => told.some(({ kind }) => kind === "overdue");

export function judge(stage: AutoStopStage, origin: number, isEnded: boolean): void {
  const { requests, told, fate, own } = stage;
  const sets = stage.sets.filter(({ wasRefused }) => !wasRefused);
  // What may have been in force: the last end that was set before, and those that were being set.
  const mayHold = (at: number) =>
    sets.filter((set, index) => {
      const next = sets[index + 1];
      return set.from <= at && (next === undefined || next.until > at || next.wasLate);
    });
  const described = JSON.stringify(stage.sets.map(({ end, wasRefused }) => ({ ...end, wasRefused })));
  for (const { at, kind } of requests) {
    const agreed = mayHold(at).some(({ end }) => {
      const until = origin + (end.until ?? Number.POSITIVE_INFINITY);
      const late = SLACK + stage.stalled(at, ASKED_AFTER);
      return end.ending === kind && at >= until - 1 && at <= until + ASKED_AFTER + late;
    });
    stage.check(agreed, "E1", `${kind} at ${Math.round(at - origin)} s, with ${described}`);
  }
  // It may have taken an end whose answer was lost.
  const known = stage.sets.filter(({ wasRefused, wasUnsure }) => !wasRefused || wasUnsure);
  for (const { at, kind } of own) {
    // It may keep the end before one that comes sooner: the person was told so.
    const agreed = known.some(({ end, from }, index) => {
      const later = known.slice(index + 1).filter((set) => set.until < at && !set.wasLate && !set.wasUnsure);
      const isKept = later.every((set) => set.end.until !== undefined && set.end.until < (end.until ?? 0));
      return end.ending === kind && from <= at && isKept && at >= origin + (end.until ?? Number.POSITIVE_INFINITY) - 5;
    });
    stage.check(agreed, "E5", `ended itself (${kind}) at ${Math.round(at - origin)} s, with ${described}`);
  }
  // Who is told that the end before may have left looks for themselves.
  const isCalm =
    fate.faults.length === 0 && stage.windows.every(({ life }) => !life.dead) && sets.every(({ wasLate }) => !wasLate);
  const ended = countEnded(stage);
  const itself = told.filter(({ kind }) => kind === "itself").length;
  // An end may be carried out while the next one is set, and that one later.
  const most = sets.filter(({ end }) => end.until !== undefined).length;
  stage.check(!isCalm || requests.length <= most, "E2", `${requests.length} requests though nothing failed`);
  stage.check(!isCalm || ended === requests.length, "E4", `${ended} messages for ${requests.length} requests`);
  stage.check(!isCalm || itself <= own.length, "E4", `${itself} messages for ${own.length} ends of its own`);
  judgeLast(stage, origin, isEnded);
}

/** The last end is carried out, or the person is asked. */
function judgeLast(stage: AutoStopStage, origin: number, isEnded: boolean): void {
  const { told, fate } = stage;
  const last = stage.sets.filter(({ wasRefused }) => !wasRefused).at(-1);
  if (!last || !Number.isFinite(last.until) || last.end.until === undefined) return;
  const isTold =
    last.end.ending === "remind" ? told.some(({ kind }) => kind === "over" || kind === "soon") : isAsked(stage);
  // A window that dies as it begins to tell has told no one; the row still says it.
  const died = stage.windows.some(({ life }) => life.dead);
  // Asking is right only where no one could do it: no window was open for long enough, the service failed, or the instance was to do it.
  const due = origin + last.end.until;
  const actsWithin = ACTS_WITHIN + stage.stalled(due + ASKED_AFTER, ASKED_AFTER);
  const isRemiss =
    !isEnded &&
    last.end.ending !== "remind" &&
    fate.own === undefined &&
    fate.faults.length === 0 &&
    stage.windows.some(({ from, until }) => Math.min(until, due + ASKED_AFTER) - Math.max(from, due) > actsWithin);
  stage.check(!isRemiss, "E3", `only asked though a window was open: ${JSON.stringify(last.end)}`);
  stage.check(
    isEnded || isTold || (died && last.end.ending === "remind"),
    "E3",
    `forgotten: ${JSON.stringify(last.end)}`,
  );
}
