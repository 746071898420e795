// How often a test looks whether what it waits for has happened.

/** Milliseconds until the next look, after so many `passed`: at first often, for a long wait seldom. */
export const nextLook = (passed: number, least = 50): number => Math.min(500, Math.max(least, passed / 10));
