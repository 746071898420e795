// What a person is going to do with a machine, so that offers can be compared by what all of it costs.
import * as z from "zod";
import { t } from "../../../lib/text.ts";
import { LEAST_DISK } from "../disk.ts";
import { formatDuration } from "../offer.ts";

/** Hours, and GB. `imageGb`: the size of the container's image; undefined where no one knows. */
export const OfferJob = z.strictObject({
  hours: z.number().positive().max(100_000).catch(6),
  diskGb: z.number().min(LEAST_DISK).max(1_000_000).catch(LEAST_DISK),
  downGb: z.number().min(0).max(1_000_000).catch(0),
  upGb: z.number().min(0).max(1_000_000).catch(0),
  imageGb: z.number().positive().max(10_000).optional().catch(undefined),
});
export type OfferJob = z.infer<typeof OfferJob>;

export const DEFAULT_JOB: OfferJob = { hours: 6, diskGb: LEAST_DISK, downGb: 0, upGb: 0 };

export const hasTraffic = ({ downGb, upGb }: OfferJob): boolean => downGb + upGb > 0;

/** The prices that a job is added up from: $/h with its disk, and $/GB of traffic. */
interface JobPrices {
  readonly hourly: number;
  readonly downCost: number;
  readonly upCost: number;
}

/** Dollars for all of it. NaN if a price that counts is unknown. */
export function calculateJobTotal({ hours, downGb, upGb }: OfferJob, { hourly, downCost, upCost }: JobPrices): number {
  return hours * hourly + trafficCost(downGb, downCost) + trafficCost(upGb, upCost);
}

/** Why an offer doesn't last for a job. `seconds`: how long it is available, NaN or undefined if that is unknown. */
export function describeTooShort({ hours }: OfferJob, seconds: number | undefined): string | undefined {
  if (seconds === undefined || !(seconds < hours * 3600)) return undefined;
  return t("Available for up to {0}, which is shorter than your job.", formatDuration(seconds));
}

/** Nothing costs nothing, whatever its price. */
const trafficCost = (gb: number, price: number): number => (gb === 0 ? 0 : gb * price);

/** Minutes that the image takes at a line's speed in Mbps. NaN if one of them is unknown. */
export function calculatePullTime({ imageGb = Number.NaN }: OfferJob, down: number): number {
  return (imageGb * 8000) / down / 60;
}
