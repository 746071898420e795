// What a push changes, a line for each field: the service's value, then the file's. Fields are called as the file calls them.
import { toFilters } from "../../domain/offer/filter.ts";
import { describeFilters } from "../../domain/offer/filter-words.ts";
import { parseEnvTable } from "../../domain/template/environment/env-table.ts";
import type { TemplateField, WholeDraft } from "../../domain/template/template-form.ts";
import { MASK, maskSecrets } from "../../lib/redact.ts";
import { isSecretVariable } from "../../lib/secret-value.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { formatLineCount } from "../base/counts.ts";

/** Characters of a value. */
const LONGEST = 60;

export function describeChange(field: TemplateField, from: WholeDraft, to: WholeDraft): string {
  if (field === "env") return envLine(from.env, to.env);
  const [before, after] = [valueText(field, from), valueText(field, to)];
  // They differ in what isn't shown: a secret, a filter of another kind, or what comes after the cut.
  if (before === undefined || after === undefined || before === after) return t("{0}: changed", field);
  return t("{0}: {1} → {2}", field, before, after);
}

/** The flags that differ. A secret is masked in its own flag only, lest the mask hide the flag after it. */
function envLine(from: string, to: string): string {
  const [before, after] = [flagsOf(from), flagsOf(to)];
  const removed = flagsText(before, after);
  const added = flagsText(after, before);
  // They differ in a secret's value, in their order, or in what can't be read.
  if (removed === added) return t("{0}: changed", "env");
  if (removed === "") return t("{0}: {1} added", "env", added);
  if (added === "") return t("{0}: {1} removed", "env", removed);
  return t("{0}: {1} → {2}", "env", removed, added);
}

/** Those flags that the other ones lack. */
function flagsText(flags: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): string {
  const lacking = [...flags].filter(([flag]) => !others.has(flag)).map(([, shown]) => shown);
  return lacking.length === 0 ? "" : `“${toPlainText(lacking.join(" "), LONGEST)}”`;
}

/** Each flag, and how it is shown. */
function flagsOf(env: string): ReadonlyMap<string, string> {
  const { rows, tail } = parseEnvTable(env);
  const flags = rows.map((row): [string, string] => {
    if (row.kind !== "variable") return [row.source, maskSecrets(row.source)];
    const flag = `-e ${row.name}=`;
    const isSecret = row.value !== "" && isSecretVariable(row.name, row.value);
    return [flag + row.value, flag + (isSecret ? MASK : maskSecrets(row.value))];
  });
  return new Map(tail.trim() === "" ? flags : [...flags, [tail, "…"]]);
}

/** @returns undefined for what can't be shown whole. */
function valueText(field: Exclude<TemplateField, "env">, draft: WholeDraft): string | undefined {
  if (field === "extra_filters") return filtersText(draft.extra_filters);
  const value = draft[field];
  if (value === null) return t("empty");
  if (typeof value === "boolean") return value ? t("yes") : t("no");
  if (typeof value === "number") return String(value);
  return quoted(typeof value === "string" ? value : JSON.stringify(value));
}

function filtersText(filters: WholeDraft["extra_filters"]): string | undefined {
  const known = toFilters(filters);
  if (Object.keys(known).length < Object.keys(filters).length) return undefined;
  return toPlainText(describeFilters(known), LONGEST) || t("no filters");
}

function quoted(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return t("empty");
  if (trimmed.includes("\n")) return formatLineCount(trimmed.split("\n").length);
  return maskSecrets(trimmed) === trimmed ? `“${toPlainText(trimmed, LONGEST)}”` : undefined;
}
