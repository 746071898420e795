// How often a list is read: fast while something is changing, slowly while the list is visible.
import { settings } from "../../ids.ts";
import { readMilliseconds } from "../kit/settings.ts";

/** Milliseconds between two reads, from the settings. */
export const rhythm = {
  fast: () => readMilliseconds(settings.refreshActive, 5, 2, 60),
  slow: () => readMilliseconds(settings.refreshIdle, 60, 10, 3600),
};

/** Lists that change rarely, and only by hand, are read ten times less often. */
const slowRhythm = { fast: rhythm.fast, slow: () => rhythm.slow() * 10 };

/** What most lists have in common: nothing in them is changing, and they arrive complete. */
export const quietList = {
  rhythm: slowRhythm,
  unsettled: () => false,
  canSelectMany: false,
  complete: () => true,
} as const;
