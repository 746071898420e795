// What a person chose to rent, read as it is typed and reviewed before anything is paid.
import { t } from "../../lib/text.ts";
import { dollars, knownPrice } from "../base/money.ts";
import { readNumber, refusal } from "../base/typed-number.ts";
import { diskPrice } from "../offer/disk.ts";
import { hourly, type Offer, type RentalType } from "../offer/offer.ts";
import type { Template } from "../template/template.ts";
import type { CreateInstanceBody, RUNTYPES } from "./create-request.ts";

/** Longest label a person may type; the launch token takes the rest of the 128 characters services show. */
export const MOST_LABEL = 100;

/** Everything the person chose. The label is theirs alone; the launch service puts its token before it. */
export interface LaunchPlan {
  readonly offer: Offer;
  readonly type: RentalType;
  readonly template: Template | undefined;
  readonly image: string | undefined;
  readonly runtype: (typeof RUNTYPES)[number] | undefined;
  readonly diskGb: number;
  readonly label: string;
  /** Dollars an hour; only for interruptible. */
  readonly bid: number | undefined;
}

/**
 * Dollars an hour this plan will cost while running. An on-demand offer's price includes its disk; a bid is for the
 * machine alone and the disk comes on top. Undefined where a part of it is not known.
 */
export function planPrice(plan: Pick<LaunchPlan, "offer" | "type" | "bid" | "diskGb">): number | undefined {
  if (plan.type !== "bid") return hourly(plan.offer);
  const [bid, disk] = [knownPrice(plan.bid), diskPrice(plan.offer, plan.diskGb)];
  return bid === undefined || disk === undefined ? undefined : bid + disk;
}

/** The request for a plan. `cancel_unavail` keeps an on-demand launch from leaving a stopped, billed instance behind. */
export function launchRequest(plan: LaunchPlan, label: string): CreateInstanceBody {
  const onDemand = plan.type === "ondemand";
  return {
    ...(plan.template ? { template_hash_id: plan.template.hash_id } : {}),
    ...(plan.image === undefined ? {} : { image: plan.image }),
    ...(plan.runtype === undefined ? {} : { runtype: plan.runtype }),
    disk: plan.diskGb,
    label,
    ...(onDemand ? { cancel_unavail: true } : {}),
    ...(plan.bid === undefined || onDemand ? {} : { price: plan.bid }),
    target_state: "running",
  };
}

/** Dollars an hour, 0.001 to 128, three decimals at most, at least the offer's lowest bid. @throws AppError `rejected`. */
export function parseBid(input: string, offer: Pick<Offer, "min_bid">): number {
  const text = input.trim().replace(/^\$\s*/, "");
  const price = readNumber(t("Bid"), text);
  if (price < 0.001 || price > 128)
    throw refusal("price", t("Bid: {0} is outside $0.001 to $128 an hour.", dollars(price)));
  if (!/^\+?\d*\.?\d{0,3}$/.test(text)) throw refusal("price", t("Bid: three decimals at most, such as 0.355."));
  const least = knownPrice(offer.min_bid);
  if (least !== undefined && price < least) {
    throw refusal(
      "price",
      t(
        "Bid: {0} is below the lowest bid for this machine, {1}; it would never start.",
        dollars(price),
        dollars(least),
      ),
    );
  }
  return price;
}

/** @throws AppError `rejected` for a label that is too long or looks like one of our tokens. */
export function parseLabel(input: string): string {
  const label = input.trim();
  // The zero-width joiner holds emoji together and moves nothing.
  if (/[\p{Cc}\p{Cs}]|(?!\u200d)\p{Cf}/u.test(label))
    throw refusal("label", t("Label: it contains a line break or an invisible character. Remove it."));
  if (label.length > MOST_LABEL)
    throw refusal("label", t("Label: {0} characters are too many ({1} at most).", label.length, MOST_LABEL));
  if (/^vsc-/i.test(label))
    throw refusal("label", t("Label: “vsc-” at the beginning marks launches of this extension. Choose another word."));
  return label;
}
