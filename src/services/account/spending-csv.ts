// What was spent as a table for other programs: a line for each stretch of time, and for each instance what was charged.
import { stringify } from "csv-stringify/sync";
import { sumCharges } from "../../domain/account/charge.ts";
import type { Spending } from "./spending.ts";

const HOUR = 3_600_000;

/** Names of columns are the same in all languages, so that programs can rely on them. */
const COLUMNS = [
  "from",
  "to",
  "instance",
  "gpu",
  "machine",
  "template",
  "label",
  "project",
  "state",
  "dollars_per_hour_min",
  "dollars_per_hour_max",
  "dollars_min",
  "dollars_max",
  "certainty",
] as const;
type Line = Partial<Record<(typeof COLUMNS)[number], string | number>>;

/** What a program may split texts by that isn't set for commas, and what ends a line for some. */
const SPLIT = /[;|\p{Cc}\u2028\u2029]/gu;
/** That, and what a program passes over before a formula: blanks, quotes, and whatever can't be seen. */
const BEFORE = /[;|\s"\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]+|^/gu;
const SIGN = /^[=+\-@＝＋－＠﹦﹢﹣﹫−]/;

/** Puts an apostrophe where a formula would begin: at the start, and behind whatever may split the text. */
function defuseFormulas(text: string): string {
  return text.replace(BEFORE, (before, at: number) => {
    if (!SIGN.test(text.slice(at + before.length, at + before.length + 1))) return before;
    return `${at === 0 ? "'" : ""}${before.replace(SPLIT, "$&'")}`;
  });
}

/** RFC 4180, times in UTC. What a program for tables would take for a formula begins with an apostrophe. */
export function formatSpendingCsv({ stretches, from, to, charged }: Spending): string {
  const seen = stretches.map((stretch): Line => {
    const { seen: one, low, high, certainty } = stretch;
    const hours = (stretch.to - stretch.from) / HOUR;
    return {
      ...times(stretch),
      ...withoutUndefined({
        gpu: one.gpu,
        machine: one.machine,
        template: one.template,
        label: one.label,
        project: one.project,
      }),
      instance: one.id,
      state: one.isStopped ? "stopped" : "rented",
      dollars_per_hour_min: low,
      dollars_min: round(low * hours),
      ...(high === undefined ? {} : { dollars_per_hour_max: high, dollars_max: round(high * hours) }),
      certainty,
    };
  });
  const charges = charged.kind === "known" ? sumCharges(charged.charges.charges) : undefined;
  const known = [...(charges?.instances ?? [])].map(
    ([instance, amount]): Line => ({ instance, ...chargedLine(amount) }),
  );
  const other = charges && charges.other !== 0 ? [chargedLine(charges.other)] : [];
  return stringify([...seen, ...[...known, ...other].map((line) => ({ ...times({ from, to }), ...line }))], {
    header: true,
    columns: [...COLUMNS],
    record_delimiter: "windows",
    cast: {
      string: (text, { header }) =>
        header ? text : { value: defuseFormulas(text), quoted_string: true, quoted_empty: false },
    },
  });
}

const chargedLine = (amount: number): Line => ({
  dollars_min: round(amount),
  dollars_max: round(amount),
  certainty: "charged",
});

const times = ({ from, to }: { readonly from: number; readonly to: number }): Line => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
});

const round = (dollars: number): number => Math.round(dollars * 1e6) / 1e6;

function withoutUndefined(line: Readonly<Record<string, string | number | undefined>>): Line {
  return Object.fromEntries(Object.entries(line).filter(([, value]) => value !== undefined));
}
