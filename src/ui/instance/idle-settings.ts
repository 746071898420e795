// When an instance counts as idle, from the person's own settings: no workspace can change it.
import type { IdleRule } from "../../domain/instance/idle.ts";
import { settings } from "../../ids.ts";
import { readWithin } from "../kit/settings.ts";

export function readIdleRule(): IdleRule {
  return {
    minutes: readWithin(settings.idleMinutes, 30, 0, 1440),
    percent: readWithin(settings.idlePercent, 10, 1, 100),
  };
}
