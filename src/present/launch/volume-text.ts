// What is known of the volume that a launch names.
import { formatHourlyPrice, formatPrice } from "../../domain/base/money.ts";
import type { VolumeOffer } from "../../domain/instance/volume.ts";
import type { KnownVolume } from "../../domain/launch/launch-volume.ts";
import { t } from "../../lib/text.ts";

export function describeVolumeFacts(known: KnownVolume): string {
  switch (known.kind) {
    case "on-machine": {
      const { id, machine, offers } = known;
      if (offers === 0) return t("Volume {0} is on machine {1}, which no one can rent right now.", id, machine);
      return offers === 1
        ? t("Volume {0} is on machine {1}: 1 of its offers is free.", id, machine)
        : t("Volume {0} is on machine {1}: {2} of its offers are free.", id, machine, offers);
    }
    case "anywhere":
      return t("Volume {0} can be linked on any machine.", known.id);
    case "absent":
      return t("Your account has no volume {0}.", known.id);
    case "absent-offer":
      return t("This machine has no volume offer {0}.", known.id);
    case "unlisted":
      return t(
        "Volumes can't be listed, so nothing is known about volume {0}. The service decides when you rent.",
        known.id,
      );
    case "unplaced":
      return t("The service doesn't say where volume {0} is. It decides when you rent.", known.id);
    case "for-rent":
      return known.price === undefined
        ? describeVolumeOffer(known.offer)
        : t("{0}. This one costs {1} on top.", describeVolumeOffer(known.offer), formatHourlyPrice(known.price));
  }
}

/** With its price by the month, as hosts set it. */
export function describeVolumeOffer({ disk_space: gb, storage_cost: cost }: VolumeOffer): string {
  const size = gb === undefined ? undefined : t("up to {0} GB", Math.floor(gb));
  return [size, cost === undefined ? t("price unknown") : t("{0} per GB per month", formatPrice(cost))]
    .filter(Boolean)
    .join(" · ");
}
