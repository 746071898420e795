// What a table of offers says of them beside what they say themselves.
import { type MachineHistories, rateHistory } from "../../domain/offer/machine-history.ts";
import type { Offer } from "../../domain/offer/offer.ts";
import type { PriceHistoryOfGpu } from "../../domain/offer/price-history.ts";
import type { TableNotes } from "../../domain/offer/table/offer-table.ts";
import { formatHistory } from "./machine-history.ts";
import { describePriceHistory } from "./price-history.ts";

export function buildTableNotes(
  histories: MachineHistories,
  objection: (offer: Offer) => string | undefined,
  usual: (offer: Offer) => PriceHistoryOfGpu | undefined,
): TableNotes {
  return {
    objection,
    seen: ({ machine_id: machine }) => {
      const history = machine === undefined ? undefined : histories.get(machine);
      return history && { text: formatHistory(history) ?? "", trust: rateHistory(history) };
    },
    usual: (offer) => {
      const history = usual(offer);
      return history && { price: history.median, text: describePriceHistory(history) };
    },
  };
}
