// How often a list is read: fast while something is on its way, slowly while somebody looks.
import { settings } from "../../ids.ts";
import { milliseconds } from "./settings.ts";

/** Milliseconds between two looks, as the settings say. */
export const rhythm = {
  fast: () => milliseconds(settings.refreshActive, 5, 2, 60),
  slow: () => milliseconds(settings.refreshIdle, 30, 10, 3600),
};

/** What changes by hand and rarely is read ten times less often than what moves. */
export const slowRhythm = { fast: rhythm.fast, slow: () => rhythm.slow() * 10 };

/** What most lists have in common: nothing in them is on its way, and they come whole. */
export const quietList = {
  rhythm: slowRhythm,
  unsettled: () => false,
  canSelectMany: false,
  complete: () => true,
} as const;
