// What becomes of an instance after the run for which it is rented.
import type { Afterward } from "../../domain/base/afterward.ts";
import { t } from "../../lib/text.ts";
import { listAfterwardChoices, type RentalPrices } from "../../present/run/rental-text.ts";
import { pickOne } from "../kit/ask/pick.ts";
import { BACK } from "../kit/ask/steps.ts";

/** @returns undefined if the person leaves it as it is. */
export async function askAfterward(
  title: string,
  chosen: Afterward,
  prices: RentalPrices,
): Promise<Afterward | undefined> {
  const answer = await pickOne<Afterward>({
    title,
    placeholder: t("What happens to the instance after the run?"),
    choices: listAfterwardChoices(prices),
    active: (value) => value === chosen,
  });
  return answer === BACK ? undefined : answer;
}
