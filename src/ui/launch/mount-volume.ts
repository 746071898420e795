// A launch for a volume of the account: its machine is where the volume is.

import { AppError } from "../../domain/base/error.ts";
import type { Row } from "../../domain/base/wire.ts";
import type { Volume } from "../../domain/instance/volume.ts";
import { withVolume } from "../../domain/launch/launch-draft.ts";
import { t } from "../../lib/text.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { BACK } from "../kit/steps.ts";
import { isRowOf, readNodeValue } from "../list/targets.ts";
import { askOffer } from "./ask-offer.ts";
import { chooseVolume } from "./choose-volume.ts";
import { launchWithSteps, withUsualEnd } from "./launch-commands.ts";
import type { LaunchServices } from "./launch-services.ts";
import { askTemplate } from "./plan-steps.ts";

/** From the volume's row, or from a list. */
export async function mountVolume(services: LaunchServices, [given]: readonly unknown[]): Promise<void> {
  const account = services.session.signedIn();
  const volume = await findVolume(services, account, given);
  if (!volume) return;
  services.session.assertStill(account);
  const title = t("Mount Volume at Launch");
  await launchWithSteps(services, account, {
    title,
    start: withUsualEnd(services),
    steps: [
      {
        ask: async (state, place) => {
          const chosen = await askTemplate(services.templates, { ...place, title }, state);
          if (chosen === undefined || chosen === BACK) return chosen;
          return withVolume(chosen, volume.id, volume.machine_id);
        },
      },
      { ask: (state, place) => askOffer(services, { ...place, title }, state) },
    ],
  });
}

/** @throws AppError `gone` if it was deleted meanwhile. */
async function findVolume(
  { launchVolumes }: LaunchServices,
  account: SignedIn,
  given: unknown,
): Promise<Volume | undefined> {
  const row = isRowOf("volume", given) ? readNodeValue<Row<Volume>>(given)?.value : undefined;
  if (row) return row;
  const chosen = await chooseVolume(launchVolumes, account, "link", undefined);
  if (!chosen) return undefined;
  const own = await launchVolumes.listOwn(account);
  const found = own?.find(({ value }) => value.id === chosen.id)?.value;
  if (!found) throw new AppError("gone", t("Your account has no volume {0}.", chosen.id));
  return found;
}
