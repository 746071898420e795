// The volume that a launch links or creates (interface 4.3).
import { HOURS_PER_MONTH } from "../base/money.ts";
import type { Row } from "../base/wire.ts";
import type { Volume, VolumeOffer } from "../instance/volume.ts";

/** What is known of the volume in a choice. */
export interface VolumeFacts {
  /** Where a linked one is; undefined for one that any machine can have. */
  readonly machine?: number | undefined;
  /** Dollars per hour of one that is created. */
  readonly price?: number | undefined;
}

/** A volume as it is named in a form. `size`: GB of a new one. */
export interface AskedVolume {
  readonly kind: "link" | "create";
  readonly id: number;
  readonly size: number;
}

/** Whether any machine can have it. One whose place is missing, or can't be read, is somewhere all the same. */
export const canBeAnywhere = (raw: Row<Volume>["raw"]): boolean => raw.machine_id === null;

/**
 * `offers`: how many of the machine can be rented now. `price`: dollars per hour of a new one. `unlisted`: volumes can't be listed. `unplaced`:
 * no one says where it is.
 */
export type KnownVolume =
  | { readonly kind: "on-machine"; readonly id: number; readonly machine: number; readonly offers: number }
  | { readonly kind: "anywhere" | "unplaced" | "absent" | "absent-offer" | "unlisted"; readonly id: number }
  | { readonly kind: "for-rent"; readonly offer: VolumeOffer; readonly price: number | undefined };

/** Dollars per hour for so many GB; undefined if the offer doesn't say. */
export const calculateVolumePrice = ({ storage_cost: cost }: VolumeOffer, size: number): number | undefined =>
  cost === undefined || cost < 0 ? undefined : (cost * size) / HOURS_PER_MONTH;
