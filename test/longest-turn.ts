// How long some work keeps everything else waiting at most: the processor time of this thread between two turns of the event loop. On a
// busy machine it is the same.

/** @returns what the work returned, and the milliseconds of its longest turn. */
export async function measureTurns<Result>(work: () => Promise<Result>): Promise<{ result: Result; longest: number }> {
  let [longest, isOver] = [0, false];
  let before = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  try {
    const result = await work();
    look();
    return { result, longest };
  } finally {
    isOver = true;
  }
}
