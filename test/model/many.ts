// Plays many launches at a time, each under the fate of its own seed.
import type { Breakage } from "./life.ts";
import { play } from "./story.ts";

const AT_A_TIME = 64;
/** Where the first violation ends it: those begun beside it are played to their end all the same. */
const UNTIL_CAUGHT = 4;

export interface Played {
  readonly launches: number;
  /** Each with the seed that shows it again. */
  readonly violations: readonly string[];
  /** As violations, of stories that kept every promise when they were played alone. */
  readonly doubtful: readonly string[];
}

export interface Options<B extends Breakage> {
  readonly count: number;
  readonly first?: number;
  /** Played before all others; where the first violation ends it, one after the other, as most of them show it alone. */
  readonly seeds?: readonly number[];
  /** A fresh breakage for each launch. */
  readonly breakage?: () => B;
  /** Ends as soon as something was violated. */
  readonly untilCaught?: boolean;
  readonly atATime?: number;
  /**
   * How often a violated story is played again, alone. Beside others on a busy machine, what takes milliseconds takes minutes of the
   * model's time; what one of them keeps on its own is `doubtful`.
   */
  readonly again?: number;
  readonly story?: (seed: number, breakage?: B) => Promise<readonly string[]>;
  readonly onProgress?: (played: Played) => void;
}

/** Plays launches, unless another kind of story is named. */
export async function playMany<B extends Breakage = Breakage>({
  count,
  first = 1,
  seeds = [],
  breakage,
  untilCaught = false,
  onProgress,
  story = play,
  atATime = untilCaught ? UNTIL_CAUGHT : AT_A_TIME,
  again = 0,
}: Options<B>): Promise<Played> {
  const violated = new Map<number, readonly string[]>();
  const played = { launches: 0, violations: [] as string[], doubtful: [] as string[] };
  const others = Array.from({ length: count }, (_, at) => first + at);
  const playOne = async (seed: number) => {
    const found = await story(seed, breakage?.()).catch((error) => [String(error)]);
    return found.map((violation) => `seed ${seed}: ${violation}`);
  };
  const work = async (order: Iterable<number>) => {
    for (const seed of order) {
      if (untilCaught && violated.size > 0) return;
      const found = await playOne(seed);
      if (found.length > 0) violated.set(seed, found);
      played.launches += 1;
      onProgress?.({ ...played, violations: [...violated.values()].flat() });
    }
  };
  if (untilCaught) await work(seeds);
  const order = (untilCaught ? others : [...seeds, ...others]).values();
  await Promise.all(Array.from({ length: atATime }, () => work(order)));
  for (const [seed, found] of violated) {
    let isKept = false;
    for (let times = 0; times < again && !isKept; times += 1) isKept = (await playOne(seed)).length === 0;
    (isKept ? played.doubtful : played.violations).push(...found);
  }
  return played;
}
