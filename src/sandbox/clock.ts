// The one clock of the sandbox's world: UTC epoch seconds, real time made faster, or moved by hand in tests.

export interface Clock {
  /** UTC epoch seconds in the world's own time. */
  now(): number;
}

/** Starts at the real time of day and runs `speed` times as fast. */
export function runningClock(speed: number): Clock {
  const began = Date.now() / 1000;
  const zero = performance.now();
  return { now: () => began + ((performance.now() - zero) / 1000) * speed };
}

export interface ManualClock extends Clock {
  advance(seconds: number): void;
}

/** Stands still until it is told to move. */
export function manualClock(start = 1_790_000_000): ManualClock {
  let now = start;
  return {
    now: () => now,
    advance: (seconds) => {
      now += seconds;
    },
  };
}
