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

export interface Options {
  readonly count: number;
  readonly first?: number;
  /** Played before all others. */
  readonly seeds?: readonly number[];
  /** A fresh breakage for each launch. */
  readonly breakage?: () => Breakage;
  /** Ends as soon as something was violated. */
  readonly untilCaught?: boolean;
  readonly onProgress?: (played: Played) => void;
}

export async function playMany({
  count,
  first = 1,
  seeds = [],
  breakage,
  untilCaught = false,
  onProgress,
}: Options): Promise<Played> {
  const violations: string[] = [];
  const order = [...seeds, ...Array.from({ length: count }, (_, at) => first + at)].values();
  let launches = 0;
  const worker = async () => {
    for (const seed of order) {
      if (untilCaught && violations.length > 0) return;
      const found = await play(seed, breakage?.()).catch((error) => [String(error)]);
      violations.push(...found.map((violation) => `seed ${seed}: ${violation}`));
      launches += 1;
      onProgress?.({ launches, violations });
    }
  };
  await Promise.all(Array.from({ length: untilCaught ? UNTIL_CAUGHT : AT_A_TIME }, worker));
  return { launches, violations };
}
