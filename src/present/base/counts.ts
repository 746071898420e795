// Counts for people, in the singular and the plural.
import { t } from "../../lib/text.ts";

export const formatOfferCount = (count: number): string => (count === 1 ? t("1 offer") : t("{0} offers", count));

export const formatTemplateCount = (count: number): string =>
  count === 1 ? t("1 template") : t("{0} templates", count);

export const formatCpuCount = (count: number): string => (count === 1 ? t("1 CPU") : t("{0} CPUs", count));

export function formatTimes(count: number): string {
  if (count === 1) return t("once");
  return count === 2 ? t("twice") : t("{0} times", count);
}

export const formatLineCount = (count: number): string => (count === 1 ? t("1 line") : t("{0} lines", count));

export const formatInstanceCount = (count: number): string =>
  count === 1 ? t("1 instance") : t("{0} instances", count);

export const formatMachineCount = (count: number): string => (count === 1 ? t("1 machine") : t("{0} machines", count));
