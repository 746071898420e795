// How a field is compared, in words.
import type { Operator } from "../../domain/offer/filter.ts";
import { t } from "../../lib/text.ts";

export function formatOperator(operator: Operator): string {
  return {
    eq: t("is"),
    neq: t("is not"),
    lt: t("is less than"),
    lte: t("is at most"),
    gt: t("is more than"),
    gte: t("is at least"),
    in: t("is one of"),
    notin: t("is none of"),
  }[operator];
}
