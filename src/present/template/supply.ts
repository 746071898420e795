// How many machines match a template's filters right now, as one sentence.
import { formatHourlyPrice } from "../../domain/base/money.ts";
import { describeUnknownGpu } from "../../domain/offer/gpu-names.ts";
import type { OfferSupply } from "../../domain/template/supply.ts";
import { t } from "../../lib/text.ts";

export function describeSupply({ count, isMore, lowest, unknownGpus }: OfferSupply): string {
  if (count === 0) return [t("No machines match right now."), ...unknownGpus.map(describeUnknownGpu)].join(" ");
  const from = formatHourlyPrice(lowest);
  if (isMore) return t("At least {0} machines match right now, from {1}.", count, from);
  if (count === 1) return t("1 machine matches right now, for {0}.", from);
  return t("{0} machines match right now, from {1}.", count, from);
}
