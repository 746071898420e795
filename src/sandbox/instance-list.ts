// The list of instances, page by page (an extra: the interface document does not show it; a public service works so).
import { matches } from "../domain/filter.ts";
import { type Kinds, readFilterText } from "./filters.ts";
import { Refusal } from "./refusal.ts";

/** Stored columns; what is computed from them, such as the price, cannot be searched. */
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

/** The token names the last row of a page, so rows that come or go in between shift nothing. */
function tokenAfter(id: number): string {
  return Buffer.from(JSON.stringify({ before: id })).toString("base64url");
}

function readToken(token: string | undefined): number {
  if (token === undefined || token === "") return Number.POSITIVE_INFINITY;
  const refuse = () => new Refusal(400, "invalid_token", "after_token is not one that this list gave");
  try {
    const { before } = JSON.parse(Buffer.from(token, "base64url").toString()) as { before?: unknown };
    if (typeof before !== "number") throw refuse();
    return before;
  } catch {
    throw refuse();
  }
}

function countLabels(records: readonly Readonly<Record<string, unknown>>[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { label } of records) {
    const name = typeof label === "string" ? label : "";
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

/** One page, newest first. @throws Refusal 400 `invalid_request` or `invalid_token`. */
export function listInstances(
  records: readonly Readonly<Record<string, unknown>>[],
  query: Readonly<Record<string, string>>,
) {
  const limit = readLimit(query.limit);
  const before = readToken(query.after_token);
  const filters = readFilterText("select_filters", query.select_filters, KINDS);
  const all = records
    .filter((record) => matches(record, filters, (row, field) => row[field]))
    .sort((a, b) => Number(b.id) - Number(a.id));
  const rest = all.filter((record) => Number(record.id) < before);
  const instances = rest.slice(0, limit);
  const last = instances.at(-1);
  return {
    success: true,
    total_instances: all.length,
    label_counts: countLabels(all),
    instances_found: instances.length,
    instances,
    next_token: last && rest.length > limit ? tokenAfter(Number(last.id)) : null,
  };
}
