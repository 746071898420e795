// Machine filters as editable rows: field, operator, and value as text with its unit; converted both ways without loss
// (interface 4.2).
import * as z from "zod";
import { t } from "../../lib/text.ts";
import {
  type Condition,
  needsOrder,
  OPERATORS,
  type Operator,
  type Scalar,
  type StoredFilters,
  toCondition,
} from "./filter.ts";
import { isTypedGb, toShown, toWire } from "./filter-units.ts";

type FilterKind = "number" | "text" | "yes-no";

/** What a field of an offer holds, and the unit in which people write it (`filter-units.ts` has those of the wire). */
export interface FilterField {
  readonly kind: FilterKind;
  readonly unit?: string;
  /** Text of which one may be larger: versions. */
  readonly ordered?: boolean;
}

const number = (unit?: string): FilterField => ({ kind: "number", ...(unit === undefined ? {} : { unit }) });
const text: FilterField = { kind: "text" };
const yesNo: FilterField = { kind: "yes-no" };

/** The fields by which services are known to filter offers. Any other name may be typed; the service judges it. */
export const FILTER_FIELDS: Readonly<Record<string, FilterField>> = {
  gpu_name: text,
  num_gpus: number(),
  gpu_ram: number("GB"),
  gpu_total_ram: number("GB"),
  gpu_mem_bw: number("GB/s"),
  gpu_arch: text,
  gpu_frac: number(),
  compute_cap: number("× 100"),
  cuda_max_good: number(),
  driver_version: { kind: "text", ordered: true },
  dph_total: number("$/h"),
  min_bid: number("$/h"),
  storage_cost: number("$/GB·month"),
  inet_up_cost: number("$/GB"),
  inet_down_cost: number("$/GB"),
  reliability: number("%"),
  verified: yesNo,
  datacenter: yesNo,
  static_ip: yesNo,
  vms_enabled: yesNo,
  geolocation: text,
  inet_up: number("Mbps"),
  inet_down: number("Mbps"),
  direct_port_count: number(),
  cpu_cores: number(),
  cpu_cores_effective: number(),
  cpu_ghz: number("GHz"),
  cpu_ram: number("GB"),
  cpu_arch: text,
  disk_space: number("GB"),
  disk_bw: number("MB/s"),
  pcie_bw: number("GB/s"),
  dlperf: number(),
  total_flops: number("TFLOPS"),
  duration: number("days"),
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

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const kindOf = (field: string): FilterKind | undefined =>
  Object.hasOwn(FILTER_FIELDS, field) ? FILTER_FIELDS[field]?.kind : undefined;
export const hasOrder = ({ kind, ordered }: FilterField): boolean => kind === "number" || ordered === true;
export const takesList = (operator: FilterRow["operator"]): boolean => operator === "in" || operator === "notin";

/** How the field would read this plain text. A value of another type is written as `=` and JSON. */
function plainMeaning(field: string, written: string): Scalar {
  if (kindOf(field) === "text") return written;
  if (written === "true" || written === "false") return written === "true";
  return NUMBER.test(written) && Number.isFinite(Number(written)) ? Number(written) : written;
}

/** Writes a value as plainly as it can be read back. */
function writeScalar(row: Pick<FilterRow, "field" | "operator">, value: Scalar): string {
  const isNumber = typeof value === "number" && kindOf(row.field) === "number";
  const plain = isNumber ? toShown(row, value) : String(value);
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

/** A number in the field's unit, or with one of its own. */
function converted(row: Pick<FilterRow, "field" | "operator">, written: string): number | undefined {
  const [, digits = "", suffix = ""] = /^([+-]?[\d.]+(?:e[+-]?\d+)?)\s*([A-Za-z%]*)$/i.exec(written) ?? [];
  if (!NUMBER.test(digits) || !Number.isFinite(Number(digits))) return undefined;
  const wire = toWire(row, Number(digits), suffix);
  const isOwnUnit = suffix !== "" && suffix.toLowerCase() === FILTER_FIELDS[row.field]?.unit?.toLowerCase();
  return wire ?? (isOwnUnit ? Number(digits) : undefined);
}

/** A number as the service compares it, of a text with or without a unit; undefined if it is neither, or the field takes none. */
export function toWireNumber(row: Pick<FilterRow, "field" | "operator">, written: string): number | undefined {
  if (kindOf(row.field) !== "number") return undefined;
  const value = converted(row, written.trim()) ?? plainMeaning(row.field, written.trim());
  return typeof value === "number" ? value : undefined;
}

class Unreadable extends Error {}

function readScalar(row: FilterRow, written: string): Scalar {
  if (written.startsWith("=")) {
    const read = z.union([z.string(), z.number(), z.boolean()]).safeParse(json(written.slice(1)));
    if (read.success) return read.data;
    throw new Unreadable(t('Enter a JSON value after =, such as ="text" or =5.'));
  }
  const kind = kindOf(row.field);
  if (row.field === "geolocation") return readCountry(written);
  // Command lines write RTX_4090.
  if (row.field === "gpu_name") return written.replaceAll("_", " ");
  const value =
    kind === "number"
      ? (converted(row, written) ?? plainMeaning(row.field, written))
      : plainMeaning(row.field, written);
  if (kind === "number" && typeof value !== "number") {
    if (/^\d+,\d+$/.test(written)) throw new Unreadable(t("Use a decimal point, such as 0.35."));
    throw new Unreadable(t("Enter a number."));
  }
  if (typeof value === "number" && !Number.isFinite(value)) throw new Unreadable(t("Enter a smaller number."));
  if (kind === "yes-no" && typeof value !== "boolean" && value !== "any")
    throw new Unreadable(t("Choose true or false."));
  return value;
}

function readCountry(written: string): string {
  if (!/^[A-Za-z]{2}$/.test(written)) throw new Unreadable(t("Enter two-letter country codes, such as SE."));
  return written.toUpperCase();
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
    if (written === "") throw new Unreadable(t("Enter a value."));
    return readScalar(row, written);
  }
  if (written === "[]") return [];
  const list = items(written);
  if (list.length === 0) throw new Unreadable(t("Enter one or more values, separated by commas."));
  return list.map((item) => readScalar(row, item));
}

export function toFilterRows(filters: StoredFilters): FilterRow[] {
  return Object.entries(filters).flatMap(([field, entry]): FilterRow[] => {
    const condition = toCondition(field, entry);
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

interface RowProblem {
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
    const wrong = kept.has(field) ? t("{0} is listed twice.", field) : nameProblem(field);
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
  if (field === "") return t("Choose a field.");
  return field === "__proto__" ? t("This name can't be used.") : undefined;
}

function readInto(condition: Map<string, Scalar | Scalar[]>, row: FilterRow): Omit<RowProblem, "row"> | undefined {
  if (row.operator === "" || row.operator === KEPT) return undefined;
  if (condition.has(row.operator))
    return { part: "operator", message: t("The same comparison of {0} is listed twice.", row.field) };
  try {
    condition.set(row.operator, readValue(row));
    return undefined;
  } catch (error) {
    if (error instanceof Unreadable) return { part: "value", message: error.message };
    throw error;
  }
}

/** The row with another field. A yes/no field starts with yes, unless the present value fits; text has no order. */
export function renameField(row: FilterRow, name: string): FilterRow {
  const field = name.trim();
  const fits = ["true", "false"].includes(row.value.trim());
  if (kindOf(field) === "yes-no" && !fits) return { field, operator: "eq", value: "true" };
  const known = Object.hasOwn(FILTER_FIELDS, field) ? FILTER_FIELDS[field] : undefined;
  const keepsOperator = known === undefined || hasOrder(known) || !needsOrder(row.operator);
  return { ...row, field, operator: keepsOperator ? row.operator : "eq" };
}

/** The row with its value in the field's own unit: `99.5 %` becomes 99.5. Unchanged if it can't be read. */
export function normalizeRow(row: FilterRow): FilterRow {
  if (isTypedGb(row)) return row;
  const { filters, problems } = readFilterRows([row]);
  const condition = toCondition(row.field.trim(), filters[row.field.trim()]);
  if (problems.length > 0 || condition === undefined || row.operator === "" || row.operator === KEPT) return row;
  const value = condition[row.operator];
  return value === undefined ? row : { ...row, value: writeValue({ ...row, field: row.field.trim() }, value) };
}
