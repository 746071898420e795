// What the world charged for each contract, day by day, as public services list it.

import { calculateDiskRate, calculateRate, type StoredInstance } from "./instance.ts";
import { calculateCost } from "./timeline.ts";

interface BillItem {
  readonly type: "gpu" | "disk";
  /** UTC epoch seconds. */
  readonly start: number;
  readonly end: number;
  /** Dollars. */
  readonly amount: number;
}

interface Bill {
  readonly id: number;
  readonly label: string;
  readonly items: readonly BillItem[];
}

/** Seconds. */
const DAY = 86_400;

export class Bills {
  readonly #bills = new Map<number, { id: number; label: string; items: BillItem[] }>();

  /** Adds what an instance cost from one time to another, in UTC epoch seconds. */
  add(one: StoredInstance, from: number, to: number): void {
    const bill = this.#bills.get(one.id) ?? { id: one.id, label: "", items: [] };
    this.#bills.set(one.id, bill);
    bill.label = one.label ?? "";
    for (let start = from; start < to; ) {
      const end = Math.min(to, (Math.floor(start / DAY) + 1) * DAY);
      const disk = (status: string | null) => Math.min(calculateRate(one, status), calculateDiskRate(one));
      const gpu = (status: string | null) => calculateRate(one, status) - disk(status);
      extend(bill.items, { type: "disk", start, end, amount: calculateCost(one.timeline, start, end, disk) });
      extend(bill.items, { type: "gpu", start, end, amount: calculateCost(one.timeline, start, end, gpu) });
      start = end;
    }
  }

  /** What was charged in a span of time. An item that reaches beyond it counts by its part. */
  list(from: number, to: number): readonly Bill[] {
    const bills = [...this.#bills.values()].map(({ items, ...bill }) => ({
      ...bill,
      items: items.flatMap((item) => clipItem(item, from, to)),
    }));
    return bills.filter(({ items }) => items.length > 0);
  }
}

/** One item a day and kind. */
function extend(items: BillItem[], item: BillItem): void {
  if (item.amount === 0) return;
  const at = items.findLastIndex(({ type }) => type === item.type);
  const last = items[at];
  if (last?.end === item.start && Math.floor(last.start / DAY) === Math.floor(item.start / DAY))
    items[at] = { ...last, end: item.end, amount: last.amount + item.amount };
  else items.push(item);
}

function clipItem(item: BillItem, from: number, to: number): readonly BillItem[] {
  const [start, end] = [Math.max(item.start, from), Math.min(item.end, to)];
  if (start >= end) return [];
  return [{ ...item, start, end, amount: (item.amount * (end - start)) / (item.end - item.start) }];
}
