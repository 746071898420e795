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
}

export interface Options<B extends Breakage> {
  readonly count: number;
  readonly first?: number;
  /** Played before all others. */
  readonly seeds?: readonly number[];
  /** A fresh breakage for each launch. */
  readonly breakage?: () => B;
  /** Ends as soon as something was violated. */
  readonly untilCaught?: boolean;
  readonly atATime?: number;
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
}: Options<B>): Promise<Played> {
  const violations: string[] = [];
  const order = [...seeds, ...Array.from({ length: count }, (_, at) => first + at)].values();
  let launches = 0;
  const worker = async () => {
    for (const seed of order) {
      if (untilCaught && violations.length > 0) return;
      const found = await story(seed, breakage?.()).catch((error) => [String(error)]);
      violations.push(...found.map((violation) => `seed ${seed}: ${violation}`));
      launches += 1;
      onProgress?.({ launches, violations });
    }
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  return { launches, violations };
}
