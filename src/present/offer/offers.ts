// An offer as a list row: what it is, and what it costs by every measure.
import { formatHourlyPrice, formatPrice } from "../../domain/base/money.ts";
import { formatPercent } from "../../domain/base/percent.ts";
import { formatFieldName } from "../../domain/offer/filter-words.ts";
import type { MachineHistory } from "../../domain/offer/machine-history.ts";
import {
  calculateGpuPrice,
  calculateVramPrice,
  formatMachineName,
  getHourlyPrice,
  type Offer,
  type OfferGroup,
  type RentalType,
  toVramGb,
} from "../../domain/offer/offer.ts";
import { t, toLabel, toPlainText } from "../../lib/text.ts";
import { formatCpuCount, formatOfferCount } from "../base/counts.ts";
import { chooseWord } from "../base/row.ts";
import { formatHistory } from "./machine-history.ts";
import { formatUsual } from "./price-history.ts";

interface OfferLine {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
}

export function formatReliability(offer: Offer): string {
  return offer.reliability === undefined ? t("reliability unknown") : formatPercent(offer.reliability);
}

/** "Sweden" for "Sweden, SE"; the code if there is nothing else. */
export function formatOfferPlace(offer: Offer): string {
  const [country, code] = toPlainText(offer.geolocation ?? "", 40).split(", ");
  return country || code || t("location unknown");
}

/** A machine with one GPU has one price: the hour costs what its GPU costs. */
function pricesText(offer: Offer): string[] {
  return [
    formatHourlyPrice(getHourlyPrice(offer)),
    ...(offer.num_gpus === 1 ? [] : [`${formatPrice(calculateGpuPrice(offer))}/GPU·h`]),
    `${formatPrice(calculateVramPrice(offer))}/GB-VRAM·h`,
  ];
}

/** What isn't said by the offer itself. */
export interface OfferNotes {
  /** Why the person can't rent it, by limits of their own. */
  readonly objection?: string | undefined;
  /** How its machine served them before. */
  readonly history?: MachineHistory | undefined;
  /** What its GPU usually costs, in dollars per hour and GPU. */
  readonly usual?: number | undefined;
}

/** One row for equal parts of one machine. */
export function buildOfferLine(
  { offer, count }: OfferGroup,
  { objection, history, usual }: OfferNotes = {},
): OfferLine {
  const gb = toVramGb(offer.gpu_ram);
  const times = count > 1 ? t("{0} available", count) : undefined;
  const machine = [
    formatCpus(offer),
    formatRam(offer),
    offer.disk_space === undefined ? undefined : t("{0} GB disk", Math.floor(offer.disk_space)),
    formatSpeed("↓", offer.inet_down),
    offer.cuda_max_good === undefined ? undefined : `CUDA ${offer.cuda_max_good}`,
  ];
  const name = `${toLabel(formatMachineName(offer), 60)}${gb === undefined ? "" : `, ${gb} GB`}`;
  return {
    label: objection === undefined ? name : `$(circle-slash) ${name}`,
    description: [times, ...pricesText(offer), formatReliability(offer), formatOfferPlace(offer)]
      .filter(Boolean)
      .join("  ·  "),
    detail: [
      objection,
      formatHistory(history),
      formatUsual(calculateGpuPrice(offer), usual),
      formatVerified(offer),
      ...machine,
    ]
      .filter(Boolean)
      .join("  ·  "),
  };
}

/**
 * `12 of 345 offers`.
 * @param most the number of offers at which a search stops: there may be more.
 */
export function countOffers(shown: number, total: number, most: number, unreadable: number): string {
  const isCut = total >= most;
  // A number inside another's sentence needs a case in some languages, so each count is a sentence of its own.
  const all = isCut ? t("first {0} offers", total) : formatOfferCount(total);
  const some = isCut ? t("{0} of first {1} offers", shown, total) : t("{0} of {1} offers", shown, total);
  const count = shown === total ? all : some;
  return unreadable > 0 ? `${count} · ${t("{0} unreadable", unreadable)}` : count;
}

const formatCpus = ({ cpu_cores_effective: cores }: Offer): string | undefined =>
  cores === undefined ? undefined : formatCpuCount(Math.round(cores));

const formatRam = ({ cpu_ram: ram }: Offer): string | undefined =>
  ram === undefined ? undefined : t("{0} GB RAM", Math.round(ram / 1024));

const formatSpeed = (arrow: "↓" | "↑", mbps: number | undefined): string | undefined =>
  mbps === undefined ? undefined : `${arrow} ${Math.round(mbps)} Mbps`;

/** What a machine is made of, by name; what the offer doesn't state is left out. */
export function listHardware(offer: Offer): readonly (readonly [name: string, value: string])[] {
  const processor = [formatCpus(offer), toPlainText(offer.cpu_name ?? "", 60), formatRam(offer)];
  const network = [formatSpeed("↓", offer.inet_down), formatSpeed("↑", offer.inet_up)];
  const lines: [string, string][] = [
    ["CPU", processor.filter(Boolean).join(", ")],
    ["CUDA", offer.cuda_max_good === undefined ? "" : t("up to {0}", offer.cuda_max_good)],
    [t("Network"), network.filter(Boolean).join(", ")],
  ];
  return lines.filter(([, value]) => value !== "");
}

export function formatVerified(offer: Offer): string {
  return chooseWord(offer.verified, t("verified"), t("unverified")) ?? t("verification unknown");
}

/** `12 offers · from $0.296/h`: what a filter's choice would give. */
export function formatGroupCount(count: number, cheapest: number | undefined): string {
  const offers = formatOfferCount(count);
  return cheapest === undefined ? offers : t("{0} · from {1}/h", offers, formatPrice(cheapest));
}

/** How machines are rented. */
export function formatMarket({ type }: { readonly type: RentalType }): string {
  return type === "bid" ? t("interruptible") : t("on-demand");
}

/** The name of a filter as a title or a row of a menu. */
export function formatFilterTitle(field: string): string {
  const name = formatFieldName(field);
  return toLabel(name.charAt(0).toUpperCase() + name.slice(1));
}
