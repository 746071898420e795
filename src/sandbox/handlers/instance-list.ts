// The paged list of instances (an extra that works as at a public service).
import { matchesFilters } from "../../domain/offer/filter.ts";
import type { Dating } from "../base/dates.ts";
import { type Kinds, readFilterText } from "../base/filters.ts";
import { isRecord, Refusal } from "../base/refusal.ts";
import { compareBy, type Order, readOrderBy } from "./order.ts";

/** Stored columns. Computed values, such as the price, can't be searched. */
const KINDS: Kinds = {
  id: "number",
  label: "string",
  machine_id: "number",
  host_id: "number",
  actual_status: "string",
  intended_status: "string",
  gpu_name: "string",
  verification: "string",
  image_uuid: "string",
  template_hash_id: "string",
  start_date: "number",
};

const MOST_ROWS = 25;

function readLimit(text: string | undefined): number {
  if (text === undefined) return MOST_ROWS;
  if (!/^-?\d+$/.test(text)) throw new Refusal(400, "invalid_request", "limit must be an integer");
  const limit = Number(text);
  return limit <= 0 ? 5 : Math.min(limit, MOST_ROWS);
}

type InstanceRecord = Readonly<Record<string, unknown>>;

const read = (record: InstanceRecord, field: string): unknown => record[field];

/** The token holds the sort values of a page's last row, so rows that come or go in between shift nothing. */
function tokenAfter(row: InstanceRecord, order: Order): string {
  const values = Object.fromEntries(order.map(([field]) => [field, row[field] ?? null]));
  return Buffer.from(JSON.stringify({ order, values })).toString("base64url");
}

/** The sort values of the previous page's last row. @throws Refusal 400 `invalid_token`. */
function readToken(token: string | undefined, order: Order): InstanceRecord | undefined {
  if (token === undefined || token === "") return undefined;
  const refuse = () => new Refusal(400, "invalid_token", "after_token is not one that this list gave");
  try {
    const parsed: unknown = JSON.parse(Buffer.from(token, "base64url").toString());
    const { order: itsOrder, values } = isRecord(parsed) ? parsed : {};
    if (JSON.stringify(itsOrder) !== JSON.stringify(order) || !isRecord(values)) throw refuse();
    return values;
  } catch {
    throw refuse();
  }
}

function countLabels(records: readonly InstanceRecord[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { label } of records) {
    const name = typeof label === "string" ? label : "";
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

/** The requested order; newest first by default. The ID orders rows that are otherwise equal. */
function readOrder(text: string | undefined): Order {
  const order = readOrderBy(text, KINDS);
  return order.some(([field]) => field === "id") ? order : [...order, ["id", "desc"]];
}

/**
 * One page. Records are sorted by the world's own dates, which don't change between pages, and filtered by the reported
 * dates.
 * @throws Refusal 400 `invalid_request` or `invalid_token`.
 */
export function listInstances(
  records: readonly InstanceRecord[],
  query: Readonly<Record<string, string>>,
  show: Dating,
) {
  const limit = readLimit(query.limit);
  const order = readOrder(query.order_by);
  const before = readToken(query.after_token, order);
  const filters = readFilterText("select_filters", query.select_filters, KINDS);
  const compare = compareBy(order, read);
  const all = records.filter((record) => matchesFilters(show(record), filters, read)).sort(compare);
  const rest = before === undefined ? all : all.filter((record) => compare(record, before) > 0);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return {
    success: true,
    total_instances: all.length,
    label_counts: countLabels(all),
    instances_found: page.length,
    instances: page.map(show),
    next_token: last && rest.length > limit ? tokenAfter(last, order) : null,
  };
}
