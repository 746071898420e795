// The clock of the sandbox's world in UTC epoch seconds: real time sped up, or set manually in tests.

export interface Clock {
  /** UTC epoch seconds in the world's own time. */
  now(): number;
  /** Seconds by which the world's time is ahead of the real clock; 0 if it isn't. */
  ahead(): number;
}

/** Starts at the current real time and runs `speed` times as fast. */
export function createRunningClock(speed: number): Clock {
  const began = Date.now() / 1000;
  const zero = performance.now();
  const passed = () => (performance.now() - zero) / 1000;
  return { now: () => began + passed() * speed, ahead: () => Math.max(0, passed() * (speed - 1)) };
}

export interface ManualClock extends Clock {
  advance(seconds: number): void;
}

/** Stands still until moved. */
export function createManualClock(start = 1_790_000_000): ManualClock {
  let now = start;
  return {
    now: () => now,
    // Not compared with the real clock.
    ahead: () => 0,
    advance: (seconds) => {
      now += seconds;
    },
  };
}
