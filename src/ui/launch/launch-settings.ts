// The launch settings: the budget guard, and what happens when a host dies.
import { asAppError } from "../../domain/base/error.ts";
import { type AutoStopWish, parseDefaultAutoStop } from "../../domain/instance/auto-stop.ts";
import type { Limits, ReplacementPolicy } from "../../domain/launch/limits.ts";
import { settings } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { tellError } from "../kit/messages.ts";
import { isOn, readLimit, readText, readWholeNumbers } from "../kit/settings.ts";

/** The budget guard, from the user's own settings only: no workspace can loosen it. */
export function readLimits(): Limits {
  const reliability = readLimit(settings.limitReliability);
  return {
    pricePerHour: readLimit(settings.limitPricePerHour),
    totalPerHour: readLimit(settings.limitTotalPerHour),
    instances: readLimit(settings.limitInstances),
    reliability: reliability === undefined ? undefined : reliability / 100,
    verifiedOnly: isOn(settings.limitVerifiedOnly),
    blockedMachines: readWholeNumbers(settings.limitBlockedMachines),
    blockedHosts: readWholeNumbers(settings.limitBlockedHosts),
  };
}

/** How far a dead host is replaced without asking. */
export function readReplacementPolicy(): ReplacementPolicy {
  return {
    automatic: isOn(settings.replaceAutomatic),
    priceRise: Math.min(1, (readLimit(settings.replacePriceRise) ?? 0) / 100),
    tries: Math.min(5, Math.floor(readLimit(settings.replaceTries) ?? 1)),
  };
}

/** The end that a summary proposes. One that can't be read is told, and none is proposed. `now` in epoch milliseconds. */
export function readUsualEnd(now: number): AutoStopWish | undefined {
  try {
    return parseDefaultAutoStop(readText(settings.autoStopDefault) ?? "", now);
  } catch (error) {
    void tellError(t("The setting {0} can't be used. {1}", settings.autoStopDefault, asAppError(error).message));
    return undefined;
  }
}
