// How often a watched price is looked at, from the person's own settings: no workspace can change it.
import { LEAST_MINUTES, MOST_MINUTES, USUAL_WATCH_MINUTES } from "../../domain/offer/price-watch.ts";
import { settings } from "../../ids.ts";
import { readWithin } from "../kit/settings.ts";

/** Minutes between two looks. */
export const readWatchMinutes = (): number =>
  readWithin(settings.watchMinutes, USUAL_WATCH_MINUTES, LEAST_MINUTES, MOST_MINUTES);
