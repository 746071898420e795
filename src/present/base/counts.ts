// Counts for people, in the singular and the plural.
import { t } from "../../lib/text.ts";

export const offersText = (count: number): string => (count === 1 ? t("1 offer") : t("{0} offers", count));

export const templatesText = (count: number): string => (count === 1 ? t("1 template") : t("{0} templates", count));

export const cpusText = (count: number): string => (count === 1 ? t("1 CPU") : t("{0} CPUs", count));

export const timesText = (count: number): string => (count === 1 ? t("1 time") : t("{0} times", count));

export const linesText = (count: number): string => (count === 1 ? t("1 line") : t("{0} lines", count));

export const instancesText = (count: number): string => (count === 1 ? t("1 instance") : t("{0} instances", count));

export const machinesText = (count: number): string => (count === 1 ? t("1 machine") : t("{0} machines", count));
