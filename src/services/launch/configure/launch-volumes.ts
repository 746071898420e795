// The volume that a launch links or creates: where it is, what it costs, and why it can't be had (interface 4.3).
import { AppError, asAppError } from "../../../domain/base/error.ts";
import { formatHourlyPrice } from "../../../domain/base/money.ts";
import type { Row } from "../../../domain/base/wire.ts";
import type { Volume, VolumeOffer } from "../../../domain/instance/volume.ts";
import type { LaunchConfiguration } from "../../../domain/launch/launch-configuration.ts";
import type { LaunchDraft } from "../../../domain/launch/launch-draft.ts";
import type { LaunchPlan } from "../../../domain/launch/launch-plan.ts";
import {
  type AskedVolume,
  calculateVolumePrice,
  canBeAnywhere,
  type KnownVolume,
  type VolumeFacts,
} from "../../../domain/launch/launch-volume.ts";
import type { Offer } from "../../../domain/offer/offer.ts";
import { anySearch } from "../../../domain/offer/offer-search.ts";
import { t } from "../../../lib/text.ts";
import type { SignedIn } from "../../core/session.ts";
import type { OffersService } from "../../offer/offers.ts";

interface Services {
  readonly offers: Pick<OffersService, "search">;
}

type VolumeInfo = NonNullable<LaunchConfiguration["volume_info"]>;

/** More than any machine has. */
const MOST_LISTED = 200;

export class LaunchVolumes {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** The account's volumes. Undefined if the service can't list them. @throws AppError. */
  async listOwn(account: SignedIn): Promise<readonly Row<Volume>[] | undefined> {
    return await account.client.listVolumes().then(({ rows }) => rows, orUnsupported);
  }

  /** Volumes for rent on the machine of an offer. Undefined if the service can't list them. @throws AppError. */
  async listForRent(account: SignedIn, { machine_id: machine }: Offer): Promise<readonly VolumeOffer[] | undefined> {
    if (machine === undefined) return undefined;
    const found = await account.client
      .searchVolumes({ machine_id: { eq: machine }, limit: MOST_LISTED })
      .then(({ rows }) => rows, orUnsupported);
    return found
      ?.map(({ value }) => value)
      .filter(({ machine_id, rentable }) => machine_id === machine && rentable !== false);
  }

  /** What is known of a volume that someone is naming. @throws AppError. */
  async describe(account: SignedIn, asked: AskedVolume, { offer, diskGb }: LaunchDraft): Promise<KnownVolume> {
    const { id, size } = asked;
    if (asked.kind === "create") {
      const forRent = offer && (await this.listForRent(account, offer));
      const found = forRent?.find((one) => one.id === id);
      if (!forRent || !found) return { kind: forRent ? "absent-offer" : "unlisted", id };
      return { kind: "for-rent", offer: found, price: size > 0 ? calculateVolumePrice(found, size) : undefined };
    }
    const own = await this.listOwn(account);
    const found = own?.find(({ value }) => value.id === id);
    if (!own || !found) return { kind: own ? "absent" : "unlisted", id };
    const { machine_id: machine } = found.value;
    if (machine === undefined) return { kind: canBeAnywhere(found.raw) ? "anywhere" : "unplaced", id };
    return { kind: "on-machine", id, machine, offers: await this.#countOffers(machine, diskGb) };
  }

  async #countOffers(machine: number, diskGb: number): Promise<number> {
    const filters = { machine_id: { eq: machine } };
    return (await this.#services.offers.search({ ...anySearch, filters, diskGb })).offers.length;
  }

  /** @throws AppError `rejected` naming the field of the form, if the account doesn't have it or there isn't as much of it. */
  async check(account: SignedIn, volume: VolumeInfo | undefined, offer: Offer | undefined): Promise<VolumeFacts> {
    if (!volume) return {};
    if (volume.create_new) return await this.#checkNew(account, volume, offer);
    const own = await this.listOwn(account);
    if (!own) return {};
    const found = own.find(({ value }) => value.id === volume.volume_id);
    if (!found) throw refuse("volume_id", t("Your account has no volume {0}.", volume.volume_id));
    return { machine: found.value.machine_id };
  }

  /** What was reviewed still holds. @throws AppError `rejected` if the volume is gone, is elsewhere, or costs more than was shown. */
  async recheck(account: SignedIn, { configuration, volumePrice, offer }: LaunchPlan): Promise<void> {
    const { machine, price } = await this.check(account, configuration?.volume_info, offer);
    if (machine !== undefined && machine !== offer.machine_id)
      throw refuse("volume_id", t("The volume is on another machine. Nothing was rented. Review the launch again."));
    const isNew = configuration?.volume_info?.create_new === true;
    // One that no one knew is as it was shown. One that no one says any longer may be any.
    const [most, now] = [volumePrice ?? -Infinity, price ?? Infinity];
    if (isNew && (price ?? volumePrice) !== undefined && now > most + 1e-9)
      throw refuse(
        "volume_size",
        t(
          "The volume's price changed from {0} to {1}. Nothing was rented. Review the launch again.",
          formatHourlyPrice(volumePrice),
          formatHourlyPrice(price),
        ),
      );
  }

  async #checkNew(account: SignedIn, volume: VolumeInfo, offer: Offer | undefined): Promise<VolumeFacts> {
    const { volume_id: id, size = 0 } = volume;
    if (!offer) throw refuse("volume", t("A volume is created on the machine of an offer. Choose the offer first."));
    const forRent = await this.listForRent(account, offer);
    if (!forRent) return {};
    const found = forRent.find((one) => one.id === id);
    if (!found) throw refuse("volume_id", t("This machine has no volume offer {0}.", id));
    if (found.disk_space !== undefined && size > found.disk_space)
      throw refuse("volume_size", t("{0} GB is too large. This offer has {1} GB.", size, Math.floor(found.disk_space)));
    return { price: calculateVolumePrice(found, size) };
  }
}

function refuse(field: string, message: string): AppError {
  return new AppError("rejected", message, { notSent: true, fields: { [field]: message } });
}

function orUnsupported(error: unknown): undefined {
  const { kind } = asAppError(error);
  if (kind === "unsupported" || kind === "not-allowed") return undefined;
  throw error;
}
