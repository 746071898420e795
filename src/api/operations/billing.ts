// Operations on the account's bill (extras).
import { Charge, type Charges } from "../../domain/account/charge.ts";
import type { Caller } from "../call.ts";
import { toJsonText } from "../request.ts";

/** Dollars per hour the account pays right now. */
interface SpendRate {
  readonly gpu: number | undefined;
  readonly containerStorage: number | undefined;
  readonly volumeStorage: number | undefined;
}

/** Public services give at most as many a page. */
const PAGE = 500;
const MOST_PAGES = 20;

export function createBillingOperations(caller: Caller) {
  return {
    /** Extra. */
    async getSpendRate(signal?: AbortSignal): Promise<SpendRate> {
      const rate = await caller.call("getSpendRate", { signal });
      return {
        gpu: rate.gpu_cost_per_hour,
        containerStorage: rate.container_storage_cost_per_hour,
        volumeStorage: rate.volume_storage_cost_per_hour,
      };
    },

    /** Extra. What was charged for each contract from `from` to `to`, in UTC epoch seconds. */
    async listCharges(
      { from, to }: { readonly from: number; readonly to: number },
      signal?: AbortSignal,
    ): Promise<Charges> {
      const filters = toJsonText("listCharges", "select_filters", {
        day: { gte: Math.floor(from), lte: Math.ceil(to) },
      });
      const charges: Charge[] = [];
      let unreadable = 0;
      const seen = new Set<string>();
      for (let after: string | undefined; ; ) {
        const query = {
          select_filters: filters,
          limit: String(PAGE),
          ...(after === undefined ? {} : { after_token: after }),
        };
        const { results, next_token: next } = await caller.call("listCharges", { query, signal });
        for (const record of results) {
          const { data } = Charge.safeParse(record);
          if (data) charges.push(data);
          else unreadable += 1;
        }
        if (!next) return { charges, isComplete: unreadable === 0 };
        // A repeated token leads nowhere.
        if (seen.has(next) || seen.size + 1 >= MOST_PAGES) return { charges, isComplete: false };
        seen.add(next);
        after = next;
      }
    },
  };
}
