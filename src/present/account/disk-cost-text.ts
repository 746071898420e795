// What the disk of a stopped instance has cost, in words.
import type { DiskCost } from "../../domain/account/disk-costs.ts";
import { t } from "../../lib/text.ts";
import { formatMoment } from "../base/state.ts";
import { formatAmount } from "./spending-text.ts";

export function describeDiskCost({ amount, since, isLeast }: DiskCost, now: number): string {
  const [sum, moment] = [formatAmount(amount), formatMoment(since, now)];
  return isLeast
    ? t("Its disk has cost at least {0} since {1}", sum, moment)
    : t("Its disk has cost {0} since {1}, when it was stopped", sum, moment);
}

/** Where something else is said beside it. */
export function formatDiskCost({ amount, isLeast }: DiskCost): string {
  const sum = formatAmount(amount);
  return isLeast ? t("Disk has cost at least {0}", sum) : t("Disk has cost {0}", sum);
}
