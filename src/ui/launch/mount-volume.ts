// A launch for a volume of the account: its machine is where the volume is.

import type { Row } from "../../domain/base/wire.ts";
import type { Volume } from "../../domain/instance/volume.ts";
import { withVolume } from "../../domain/launch/launch-draft.ts";
import { t } from "../../lib/text.ts";
import { BACK } from "../kit/ask/steps.ts";
import { isRowOf, readNodeValue } from "../list/targets.ts";
import { askOffer } from "./ask-offer.ts";
import { chooseOwnVolume } from "./choose-volume.ts";
import { launchWithSteps, withUsualEnd } from "./launch-commands.ts";
import type { LaunchServices } from "./launch-services.ts";
import { askTemplate } from "./plan-steps.ts";

/** From the volume's row, or from a list. */
export async function mountVolume(services: LaunchServices, [given]: readonly unknown[]): Promise<void> {
  const account = services.session.requireSignedIn();
  const row = isRowOf("volume", given) ? readNodeValue<Row<Volume>>(given)?.value : undefined;
  const volume = row ?? (await chooseOwnVolume(services.launchVolumes, account));
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
