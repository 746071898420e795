// Watched prices in words: what is waited for, how it stands, and that it was reached.
import { formatHourlyPrice, formatPrice } from "../../domain/base/money.ts";
import { toPercent } from "../../domain/base/percent.ts";
import { describeRequirements, formatCondition } from "../../domain/offer/filter-words.ts";
import { formatMachineName, type Offer } from "../../domain/offer/offer.ts";
import { getGoalPrice, isSnoozed, type PriceWatch, type WatchGoal } from "../../domain/offer/price-watch.ts";
import { formatTime, t, toLabel, toPlainText } from "../../lib/text.ts";
import { formatMoment } from "../base/state.ts";
import { formatMarket, formatOfferPlace, formatReliability } from "./offers.ts";

/** `$0.29/h` or `$0.29/GPU·h`. */
export const formatGoalPrice = ({ kind }: Pick<WatchGoal, "kind">, price: number | undefined): string =>
  kind === "gpuPrice" ? `${formatPrice(price)}/GPU·h` : formatHourlyPrice(price);

/** `≤ $0.30/h`, `≤ $0.30/h, reliability ≥ 99%`. */
export function describeGoal(goal: WatchGoal): string {
  const price = `≤ ${formatGoalPrice(goal, goal.most)}`;
  return goal.kind === "reliability" ? `${price}, ${t("reliability ≥ {0}%", toPercent(goal.least))}` : price;
}

/** What is asked for, and how it stands. `seen`: the cheapest price now; undefined if the service couldn't be asked, which isn't none. */
export function buildGoalPrompt(
  goal: Pick<WatchGoal, "kind">,
  seen: { readonly price: number | undefined } | undefined,
  diskGb: number,
): string {
  const unit =
    goal.kind === "gpuPrice"
      ? t("Maximum price per GPU per hour, in dollars.")
      : t("Maximum price per hour, in dollars.");
  return [unit, ...(seen ? [nowText(goal, seen.price)] : []), t("Prices include {0} GB of disk.", diskGb)].join(" ");
}

const nowText = (goal: Pick<WatchGoal, "kind">, price: number | undefined): string =>
  price === undefined ? t("No offers match right now.") : t("Right now: from {0}.", formatGoalPrice(goal, price));

/** What the offers have in common, the GPU first: `RTX 4090 · verified only · on-demand`. */
export function formatWatchTitle({ search }: Pick<PriceWatch, "search">): string {
  const { gpu_name: gpu, ...others } = search.filters;
  const parts = [gpu && formatCondition("gpu_name", gpu), describeRequirements({ ...search, filters: others })].filter(
    Boolean,
  );
  return `${toPlainText(parts.join(" · "), 120) || t("any machine")} · ${formatMarket(search)}`;
}

/** `RTX 4090 from $0.29/h (yours: ≤ $0.30/h), reliability 99.1%, Germany.` */
export function describePriceNotice({ search, goal }: Pick<PriceWatch, "search" | "goal">, offer: Offer): string {
  const name = toPlainText(offer.num_gpus === 1 ? (offer.gpu_name ?? t("unknown GPU")) : formatMachineName(offer), 60);
  const price = formatGoalPrice(goal, getGoalPrice(goal, offer));
  const reliability =
    offer.reliability === undefined ? formatReliability(offer) : t("reliability {0}", formatReliability(offer));
  const facts = [reliability, formatOfferPlace(offer), ...(search.type === "bid" ? [formatMarket(search)] : [])];
  return `${t("{0} from {1} (yours: ≤ {2})", name, price, formatGoalPrice(goal, goal.most))}, ${facts.join(", ")}.`;
}

/** What the last look found. */
interface SeenPrice {
  /** When it was, and when the next one is due, in epoch milliseconds. */
  readonly at: number;
  readonly next: number;
  readonly best?: { readonly price: number } | undefined;
  readonly isMet: boolean;
  readonly problem?: string | undefined;
}

interface WatchFacts {
  readonly watch: Pick<PriceWatch, "search" | "goal">;
  readonly look: SeenPrice | undefined;
  readonly snoozedUntil: number | undefined;
  /** Minutes between two looks. */
  readonly minutes: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

export interface WatchLine {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
}

/** A watch as a row of a list. */
export function buildWatchLine(facts: WatchFacts): WatchLine {
  const { watch, look, minutes, now } = facts;
  const icon = iconOf(facts);
  const pace = t("checks every {0} min while VS Code is open", minutes);
  const times = look
    ? [
        t("last check {0}", formatMoment(look.at, now)),
        t("next check {0}", look.next <= now ? t("now") : formatTime(look.next)),
      ]
    : [];
  return {
    label: `$(${icon}) ${toLabel(formatWatchTitle(watch), 160)}`,
    description: [describeGoal(watch.goal), stateText(facts)].join("  ·  "),
    detail: [...times, pace].join("  ·  "),
  };
}

function iconOf({ look, snoozedUntil, now }: WatchFacts): string {
  if (isSnoozed(snoozedUntil, now)) return "bell-slash";
  if (look?.problem !== undefined) return "warning";
  return look?.isMet ? "bell-dot" : "bell";
}

/** How it stands: `snoozed until 14:02`, `now from $0.34/h`. */
function stateText({ watch, look, snoozedUntil, now }: WatchFacts): string {
  const state = priceState(watch.goal, look);
  return isSnoozed(snoozedUntil, now) ? `${t("snoozed until {0}", formatTime(snoozedUntil))}  ·  ${state}` : state;
}

function priceState(goal: WatchGoal, look: SeenPrice | undefined): string {
  if (!look) return t("not checked yet");
  if (look.problem !== undefined) return t("couldn't check: {0}", toPlainText(look.problem, 200));
  if (!look.best) return t("no offers match right now");
  const price = formatGoalPrice(goal, look.best.price);
  return look.isMet ? t("reached: {0}", price) : t("now from {0}", price);
}
