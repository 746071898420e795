// Choosing the volume of a launch: one of the account's, or one for rent on the machine of the offer.
import { AppError } from "../../domain/base/error.ts";
import type { Row } from "../../domain/base/wire.ts";
import type { Volume, VolumeOffer } from "../../domain/instance/volume.ts";
import { canBeAnywhere } from "../../domain/launch/launch-volume.ts";
import type { Offer } from "../../domain/offer/offer.ts";
import { t, toLabel } from "../../lib/text.ts";
import { describeVolumeOffer } from "../../present/launch/volume-text.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { LaunchVolumes } from "../../services/launch/configure/launch-volumes.ts";
import { type Choice, pickOne } from "../kit/ask/pick.ts";
import { BACK } from "../kit/ask/steps.ts";

/** @returns the number of one to link, or of an offer to create one from. @throws AppError `rejected` if there is no machine for a new one. */
export async function chooseVolume(
  volumes: LaunchVolumes,
  account: SignedIn,
  kind: "link" | "create",
  offer: Offer | undefined,
): Promise<number | undefined> {
  if (kind === "link") return (await chooseOwnVolume(volumes, account))?.id;
  if (!offer)
    throw new AppError("rejected", t("A volume is created on the machine of an offer. Choose the offer first."), {
      fields: { volume: "" },
    });
  const chosen = await choose(t("Create a Volume"), t("Which offer?"), async () =>
    listForRent(await volumes.listForRent(account, offer)),
  );
  return chosen?.id;
}

/** One of the account's. */
export const chooseOwnVolume = (volumes: LaunchVolumes, account: SignedIn): Promise<Volume | undefined> =>
  choose(t("Link a Volume"), t("Which volume?"), async () => listOwn(await volumes.listOwn(account)));

async function choose<T>(
  title: string,
  placeholder: string,
  choices: () => Promise<readonly Choice<T>[]>,
): Promise<T | undefined> {
  const chosen = await pickOne<T>({ title, placeholder, choices: async () => [...(await choices())] });
  return chosen === BACK ? undefined : chosen;
}

function listOwn(own: readonly Row<Volume>[] | undefined): readonly Choice<Volume>[] {
  if (!own) return [{ label: t("Volumes can't be listed. Enter the volume's ID on the page of the launch.") }];
  if (own.length === 0) return [{ label: t("Your account has no volumes.") }];
  return own.map((row) => ({
    label: toLabel(row.value.label ?? "", 60) || t("Volume {0}", row.value.id),
    description: describeVolume(row),
    value: row.value,
  }));
}

function describeVolume({ value, raw }: Row<Volume>): string {
  const { id, disk_space: gb, machine_id: machine } = value;
  const anywhere = canBeAnywhere(raw) ? t("on any machine") : undefined;
  const place = machine === undefined ? anywhere : t("machine {0}", machine);
  return [String(id), gb === undefined ? undefined : t("{0} GB", gb), place].filter(Boolean).join(" · ");
}

function listForRent(offers: readonly VolumeOffer[] | undefined): readonly Choice<VolumeOffer>[] {
  if (!offers) return [{ label: t("Offers of volumes can't be listed. Enter the ID of one on the page.") }];
  if (offers.length === 0) return [{ label: t("No one rents out a volume on this machine right now.") }];
  return offers.map((offer) => ({
    label: t("Offer {0}", offer.id),
    description: describeVolumeOffer(offer),
    value: offer,
  }));
}
