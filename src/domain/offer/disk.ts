// The disk of a rented machine: how small and how large it may be, and what it costs.
import { t } from "../../lib/text.ts";
import { HOURS_PER_MONTH } from "../base/money.ts";
import { readNumber, refusal } from "../base/typed-number.ts";
import type { Offer } from "./offer.ts";

/** GB; the interface's own default and the smallest disk a public service rents. */
export const LEAST_DISK = 8;

/** Dollars an hour the disk costs while the machine is stopped, or undefined where the offer does not say. */
export function diskPrice(offer: Offer, diskGb: number): number | undefined {
  return offer.storage_cost === undefined || offer.storage_cost < 0
    ? undefined
    : (offer.storage_cost * diskGb) / HOURS_PER_MONTH;
}

/** GB between 8 and what the machine has. @throws AppError `rejected`. */
export function parseDisk(input: string, offer: Pick<Offer, "disk_space">): number {
  const gb = readNumber(t("Disk"), input);
  if (gb < LEAST_DISK) throw refusal("disk", t("Disk: {0} GB is too small. {1} GB is the least.", gb, LEAST_DISK));
  if (offer.disk_space !== undefined && gb > offer.disk_space) {
    throw refusal(
      "disk",
      t("Disk: {0} GB is more than this machine has free ({1} GB).", gb, Math.floor(offer.disk_space)),
    );
  }
  return gb;
}
