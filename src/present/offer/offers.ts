// An offer as a list row: what it is, and what it costs by every measure.
import { dollars, perHour } from "../../domain/base/money.ts";
import { hourly, machineName, type Offer, perGpuHour, perVramGbHour, vramGb } from "../../domain/offer/offer.ts";
import { label, plain, t } from "../../lib/text.ts";
import { chooseWord } from "../base/row.ts";

export interface OfferLine {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
}

export function reliabilityText(offer: Offer): string {
  return offer.reliability === undefined ? t("reliability unknown") : `${(offer.reliability * 100).toFixed(1)} %`;
}

/** "Sweden" for "Sweden, SE"; the code if there is nothing else. */
export function placeText(offer: Offer): string {
  const [country, code] = plain(offer.geolocation ?? "", 40).split(", ");
  return country || code || t("place unknown");
}

export function offerLine(offer: Offer): OfferLine {
  const gb = vramGb(offer.gpu_ram);
  const prices = [
    perHour(hourly(offer)),
    `${dollars(perGpuHour(offer))}/GPU·h`,
    `${dollars(perVramGbHour(offer))}/GB-VRAM·h`,
  ];
  const machine = [
    offer.cpu_cores_effective === undefined ? undefined : t("{0} CPUs", Math.round(offer.cpu_cores_effective)),
    offer.cpu_ram === undefined ? undefined : t("{0} GB RAM", Math.round(offer.cpu_ram / 1024)),
    offer.disk_space === undefined ? undefined : t("{0} GB disk", Math.floor(offer.disk_space)),
    offer.inet_down === undefined ? undefined : `↓ ${Math.round(offer.inet_down)} Mb/s`,
    offer.cuda_max_good === undefined ? undefined : `CUDA ${offer.cuda_max_good}`,
  ];
  return {
    label: `${label(machineName(offer), 60)}${gb === undefined ? "" : `, ${gb} GB`}`,
    description: [...prices, reliabilityText(offer), placeText(offer)].filter(Boolean).join("  ·  "),
    detail: [verifiedText(offer), ...machine].filter(Boolean).join("  ·  "),
  };
}

export function verifiedText(offer: Offer): string {
  return chooseWord(offer.verified, t("verified"), t("not verified")) ?? t("verification unknown");
}
