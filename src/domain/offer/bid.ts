// A typed bid.
import { t } from "../../lib/text.ts";
import { formatPrice, toPrice } from "../base/money.ts";
import { createRejection, readNumber } from "../base/typed-number.ts";
import type { Offer } from "./offer.ts";

/**
 * Dollars per hour, 0.001 to 128, at most three decimals, at least the offer's minimum bid. @throws AppError
 * `rejected`.
 */
export function parseBid(input: string, offer: Pick<Offer, "min_bid">): number {
  const text = input.trim().replace(/^\$\s*/, "");
  const price = readNumber(t("Bid"), text);
  if (price < 0.001 || price > 128)
    throw createRejection(
      "price",
      t("Bid: {0} is out of range. Bids must be between $0.001 and $128 per hour.", formatPrice(price)),
    );
  if (!/^\+?\d*\.?\d{0,3}$/.test(text))
    throw createRejection("price", t("Bid: use at most three decimal places, such as 0.355."));
  const least = toPrice(offer.min_bid);
  if (least !== undefined && price < least) {
    throw createRejection(
      "price",
      t(
        "Bid: {0} is below this machine's minimum of {1}. The instance wouldn't start.",
        formatPrice(price),
        formatPrice(least),
      ),
    );
  }
  return price;
}
