// Machine filters as editable rows: field, operator, and value as text with its unit; converted both ways without loss
// (interface 4.2).
import * as z from "zod";
import { t } from "../../lib/text.ts";
import {
  type Condition,
  OPERATORS,
  type Operator,
  type Scalar,
  type StoredFilters,
  understoodEntry,
} from "./filter.ts";
import { vramGbToMb } from "./offer.ts";

export type FilterKind = "number" | "text" | "yes-no";

/** What a field of an offer holds, and the unit in which it is compared on the wire. */
export interface FilterField {
  readonly kind: FilterKind;
  readonly unit?: string;
}

const number = (unit?: string): FilterField => ({ kind: "number", ...(unit === undefined ? {} : { unit }) });
const text: FilterField = { kind: "text" };
const yesNo: FilterField = { kind: "yes-no" };

/** The fields by which services are known to filter offers. Any other name may be typed; the service judges it. */
export const FILTER_FIELDS: Readonly<Record<string, FilterField>> = {
  gpu_name: text,
  num_gpus: number(),
  gpu_ram: number("MB"),
  gpu_total_ram: number("MB"),
  gpu_mem_bw: number("GB/s"),
  gpu_arch: text,
  gpu_frac: number(),
  compute_cap: number("× 100"),
  cuda_max_good: number(),
  driver_version: text,
  dph_total: number("$/h"),
  min_bid: number("$/h"),
  storage_cost: number("$/GB·month"),
  inet_up_cost: number("$/GB"),
  inet_down_cost: number("$/GB"),
  reliability: number("0–1"),
  verified: yesNo,
  datacenter: yesNo,
  static_ip: yesNo,
  vms_enabled: yesNo,
  geolocation: text,
  inet_up: number("Mb/s"),
  inet_down: number("Mb/s"),
  direct_port_count: number(),
  cpu_cores: number(),
  cpu_cores_effective: number(),
  cpu_ghz: number("GHz"),
  cpu_ram: number("MB"),
  cpu_arch: text,
  disk_space: number("GB"),
  disk_bw: number("MB/s"),
  pcie_bw: number("GB/s"),
  dlperf: number(),
  total_flops: number("TFLOPS"),
  duration: number("s"),
  machine_id: number(),
  host_id: number(),
};

/** Marks a row that isn't a condition: its value is the stored entry as JSON, which is kept and can't be edited. */
export const KEPT = "kept";

/** One condition of one field. An empty operator means a field without a condition. */
export const FilterRow = z.strictObject({
  field: z.string(),
  operator: z.enum(["", KEPT, ...OPERATORS]),
  value: z.string(),
});
export type FilterRow = z.infer<typeof FilterRow>;

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const kindOf = (field: string): FilterKind | undefined =>
  Object.hasOwn(FILTER_FIELDS, field) ? FILTER_FIELDS[field]?.kind : undefined;
export const takesList = (operator: FilterRow["operator"]): boolean => operator === "in" || operator === "notin";

/** How the field would read this plain text. A value of another type is written as `=` and JSON. */
function plainMeaning(field: string, written: string): Scalar {
  if (kindOf(field) === "text") return written;
  if (written === "true" || written === "false") return written === "true";
  return NUMBER.test(written) && Number.isFinite(Number(written)) ? Number(written) : written;
}

/** Writes a value as plainly as it can be read back. */
function writeScalar(row: Pick<FilterRow, "field" | "operator">, value: Scalar): string {
  const plain = String(value);
  const safe = plain === plain.trim() && plain !== "" && !/^[="[]|[,\\\p{Cc}]/u.test(plain);
  return safe && readBack({ ...row, value: plain }) === value ? plain : `=${JSON.stringify(value)}`;
}

function readBack(row: FilterRow): Scalar | undefined {
  try {
    return readScalar(row, row.value);
  } catch {
    return undefined;
  }
}

/** Multiples of a field's unit that people use. */
function converted(row: Pick<FilterRow, "field" | "operator">, written: string): number | undefined {
  const [, digits = "", suffix = ""] = /^([\d.]+)\s*([A-Za-z%]+)$/.exec(written) ?? [];
  const amount = Number(digits);
  const unit = FILTER_FIELDS[row.field]?.unit;
  if (digits === "" || !Number.isFinite(amount)) return undefined;
  const word = suffix.toLowerCase();
  if (word === unit?.toLowerCase()) return amount;
  if (unit === "MB" && (word === "gb" || word === "gib")) {
    if (row.field === "gpu_ram" && row.operator === "gte") return vramGbToMb(amount);
    return Math.round(amount * (row.field === "gpu_ram" ? 1024 : 1000));
  }
  if (unit === "GB" && word === "tb") return Math.round(amount * 1000);
  if (unit === "0–1" && word === "%") return Number((amount / 100).toPrecision(12));
  const seconds: Readonly<Record<string, number>> = { h: 3600, hours: 3600, d: 86_400, day: 86_400, days: 86_400 };
  return unit === "s" && seconds[word] !== undefined ? amount * seconds[word] : undefined;
}

class Unreadable extends Error {}

function readScalar(row: FilterRow, written: string): Scalar {
  if (written.startsWith("=")) {
    const read = z.union([z.string(), z.number(), z.boolean()]).safeParse(json(written.slice(1)));
    if (read.success) return read.data;
    throw new Unreadable(t('After = a value as in JSON is expected, such as ="text" or =5.'));
  }
  const kind = kindOf(row.field);
  const value =
    kind === "number"
      ? (converted(row, written) ?? plainMeaning(row.field, written))
      : plainMeaning(row.field, written);
  if (kind === "number" && typeof value !== "number") {
    if (/^\d+,\d+$/.test(written)) throw new Unreadable(t("Write the number with a point, such as 0.35."));
    throw new Unreadable(t("Type a number."));
  }
  if (kind === "yes-no" && typeof value !== "boolean" && value !== "any")
    throw new Unreadable(t("Choose true or false."));
  return value;
}

function json(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}

/** The items of a list, separated by commas. Items written as `="…"` stay whole. */
function items(written: string): string[] {
  const found = written.match(/\s*(?:="(?:[^"\\]|\\.)*"(?=\s*(?:,|$))|[^,]+)/g) ?? [];
  return found.map((item) => item.trim()).filter((item) => item !== "");
}

/** @throws Unreadable with the message for the person. */
function readValue(row: FilterRow): Scalar | Scalar[] {
  const written = row.value.trim();
  if (!takesList(row.operator)) {
    if (written === "") throw new Unreadable(t("A value is missing."));
    return readScalar(row, written);
  }
  if (written === "[]") return [];
  const list = items(written);
  if (list.length === 0) throw new Unreadable(t("Type one or more values, with commas between them."));
  return list.map((item) => readScalar(row, item));
}

export function filterRowsOf(filters: StoredFilters): FilterRow[] {
  return Object.entries(filters).flatMap(([field, entry]): FilterRow[] => {
    const condition = understoodEntry(field, entry);
    if (condition === undefined) return [{ field, operator: KEPT, value: JSON.stringify(entry) }];
    const parts = Object.entries(condition).filter(([, value]) => value !== undefined) as [
      Operator,
      Scalar | Scalar[],
    ][];
    if (parts.length === 0) return [{ field, operator: "", value: "" }];
    return parts.map(([operator, value]) => ({ field, operator, value: writeValue({ field, operator }, value) }));
  });
}

function writeValue(row: Pick<FilterRow, "field" | "operator">, value: Scalar | readonly Scalar[]): string {
  if (!Array.isArray(value)) return writeScalar(row, value as Scalar);
  return value.length === 0 ? "[]" : value.map((item: Scalar) => writeScalar(row, item)).join(", ");
}

export interface RowProblem {
  readonly row: number;
  readonly part: "field" | "operator" | "value";
  readonly message: string;
}

export const isBlank = (row: FilterRow): boolean =>
  row.operator !== KEPT && row.field.trim() === "" && row.value.trim() === "";

/** The filters of all readable rows, with a problem for each unreadable one. Empty rows are skipped. */
export function readFilterRows(rows: readonly FilterRow[]): {
  readonly filters: StoredFilters;
  readonly problems: readonly RowProblem[];
} {
  const filters = new Map<string, Map<string, Scalar | Scalar[]>>();
  const kept = new Map<string, unknown>(
    rows.filter(({ operator }) => operator === KEPT).map(({ field, value }) => [field, json(value)]),
  );
  const problems: RowProblem[] = [];
  for (const [at, row] of rows.entries()) {
    if (row.operator === KEPT || isBlank(row)) continue;
    const field = row.field.trim();
    const wrong = kept.has(field) ? t("{0} stands there twice.", field) : nameProblem(field);
    if (wrong !== undefined) {
      problems.push({ row: at, part: "field", message: wrong });
      continue;
    }
    const condition = filters.get(field) ?? new Map<string, Scalar | Scalar[]>();
    filters.set(field, condition);
    const problem = readInto(condition, { ...row, field });
    if (problem) problems.push({ row: at, ...problem });
  }
  const read = [...filters].map(([field, condition]): [string, Condition] => [field, Object.fromEntries(condition)]);
  return { filters: Object.fromEntries([...read, ...kept]), problems };
}

function nameProblem(field: string): string | undefined {
  if (field === "") return t("Choose what to compare.");
  return field === "__proto__" ? t("This name cannot be used.") : undefined;
}

function readInto(condition: Map<string, Scalar | Scalar[]>, row: FilterRow): Omit<RowProblem, "row"> | undefined {
  if (row.operator === "" || row.operator === KEPT) return undefined;
  if (condition.has(row.operator))
    return { part: "operator", message: t("The same comparison of {0} stands there twice.", row.field) };
  try {
    condition.set(row.operator, readValue(row));
    return undefined;
  } catch (error) {
    if (error instanceof Unreadable) return { part: "value", message: error.message };
    throw error;
  }
}

/** The row with another field. A yes/no field starts with yes, unless the present value fits. */
export function renamed(row: FilterRow, name: string): FilterRow {
  const field = name.trim();
  const fits = ["true", "false"].includes(row.value.trim());
  return kindOf(field) === "yes-no" && !fits ? { field, operator: "eq", value: "true" } : { ...row, field };
}

/** The row with its value in wire units: `24 GB` of VRAM becomes MB. Unchanged if it can't be read. */
export function normalised(row: FilterRow): FilterRow {
  const { filters, problems } = readFilterRows([row]);
  const condition = understoodEntry(row.field.trim(), filters[row.field.trim()]);
  if (problems.length > 0 || condition === undefined || row.operator === "" || row.operator === KEPT) return row;
  const value = condition[row.operator];
  return value === undefined ? row : { ...row, value: writeValue({ ...row, field: row.field.trim() }, value) };
}
