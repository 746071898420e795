// The disk of a rented machine: its minimum and maximum size, and its cost.
import { t } from "../../lib/text.ts";
import { HOURS_PER_MONTH } from "../base/money.ts";
import { createRejection, readNumber } from "../base/typed-number.ts";
import type { Offer } from "./offer.ts";

/** GB. The interface's default, and the smallest disk that public services rent out. */
export const LEAST_DISK = 8;

/** GB for an image of one's own if nothing else is said: unpacked, many take 20. */
export const USUAL_IMAGE_DISK = 32;

/** Dollars per hour the disk costs while the machine is stopped; undefined if the offer doesn't say. */
export function calculateDiskPrice(offer: Offer, diskGb: number): number | undefined {
  return offer.storage_cost === undefined || offer.storage_cost < 0
    ? undefined
    : (offer.storage_cost * diskGb) / HOURS_PER_MONTH;
}

/** GB, from 8 to the machine's free space. @throws AppError `rejected`. */
export function parseDisk(input: string, offer: Pick<Offer, "disk_space">): number {
  const gb = readNumber(t("Disk"), input);
  if (gb < LEAST_DISK) throw createRejection("disk", t("Disk: at least {0} GB is required.", LEAST_DISK));
  if (offer.disk_space !== undefined && gb > offer.disk_space) {
    throw createRejection(
      "disk",
      t("Disk: {0} GB is too large. This machine has {1} GB free.", gb, Math.floor(offer.disk_space)),
    );
  }
  return gb;
}
