// The list of charges (an extra that works as at a public service).
import { round } from "../base/random.ts";
import { isRecord, Refusal } from "../base/refusal.ts";
import type { World } from "../world/world.ts";

const MOST_ROWS = 500;

export function listCharges(world: World, query: Readonly<Record<string, string>>) {
  world.settle();
  const { from, to } = readDays(query.select_filters);
  const limit = readCount(query.limit ?? String(MOST_ROWS), "limit");
  const skip = readCount(query.after_token ?? "0", "after_token");
  const bills = world.bills.list(world.readDate(from), world.readDate(to));
  const page = bills.slice(skip, skip + Math.min(limit, MOST_ROWS));
  const end = skip + page.length;
  return {
    success: true,
    results: page.map(({ id, label, items }) => ({
      type: "instance",
      source: `instance-${id}`,
      start: world.reportDate(Math.min(...items.map((item) => item.start))),
      end: world.reportDate(Math.max(...items.map((item) => item.end))),
      amount: round(
        items.reduce((sum, { amount }) => sum + amount, 0),
        6,
      ),
      metadata: { label },
      items: items.map((item) => ({
        type: item.type,
        start: world.reportDate(item.start),
        end: world.reportDate(item.end),
        amount: round(item.amount, 6),
      })),
    })),
    next_token: end < bills.length ? String(end) : null,
  };
}

function readDays(text: string | undefined): { readonly from: number; readonly to: number } {
  const filters: unknown = JSON.parse(text ?? "null");
  const day = isRecord(filters) ? filters.day : undefined;
  const { gte, lte } = isRecord(day) ? day : {};
  if (typeof gte !== "number" || typeof lte !== "number")
    throw new Refusal(400, "invalid_request", "select_filters must have day with gte and lte");
  return { from: gte, to: lte };
}

function readCount(text: string, name: string): number {
  if (!/^\d+$/.test(text)) throw new Refusal(400, "invalid_request", `${name} is not valid`);
  return Number(text);
}
