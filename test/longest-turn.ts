// How long some work keeps everything else waiting at most: the processor time of this thread between two turns of the event loop. On a
// busy machine it is the same.
import assert from "node:assert/strict";

interface Measured<Result> {
  readonly result: Result;
  /** Milliseconds. */
  readonly longest: number;
  /** Milliseconds of all turns. */
  readonly whole: number;
}

/** Some text, made and read: what readers do all the time. */
function workOnText(): number {
  const lines = Array.from({ length: 60_000 }, (_, at) => `line ${at} of a log`).join("\n");
  return lines.split("\n").filter((line) => line.replace(/\d+/, "N").length > 5).length;
}

/** Milliseconds of the processor for a fixed piece of work on text: what a turn is compared with, on a slow machine as on a fast one. */
export function measureYardstick(): number {
  const times = Array.from({ length: 3 }, () => {
    const before = process.threadCpuUsage();
    assert.ok(workOnText() > 0);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  });
  return times.sort((a, b) => a - b)[1] ?? 0;
}

/** Milliseconds of a turn that no one notices, whatever part of the work it is, and as much in yardsticks on a machine that is slower. */
const UNNOTICED = 100;
const UNNOTICED_YARDSTICKS = 6;

export const isUnnoticed = (turn: number, yardstick: number): boolean =>
  turn < Math.max(UNNOTICED, yardstick * UNNOTICED_YARDSTICKS);

export async function measureTurns<Result>(work: () => Promise<Result>): Promise<Measured<Result>> {
  let [longest, whole, isOver] = [0, 0, false];
  let before = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    whole += (user + system) / 1000;
    before = process.threadCpuUsage();
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  try {
    const result = await work();
    look();
    return { result, longest, whole };
  } finally {
    isOver = true;
  }
}

/** Long work is done in several turns, on a slow machine as on a fast one. */
export function assertInTurns({ longest, whole }: Omit<Measured<unknown>, "result">, what: string): void {
  if (longest < whole / 4) return;
  const yardstick = measureYardstick();
  assert.ok(
    isUnnoticed(longest, yardstick),
    `${what}: a turn took ${longest} ms of ${whole} ms, with ${yardstick} ms for the yardstick`,
  );
}
