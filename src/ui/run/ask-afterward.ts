// What becomes of an instance after the run for which it is rented.
import type { WhenDone } from "../../domain/base/when-done.ts";
import { t } from "../../lib/text.ts";
import { listWhenDoneChoices, type RentalPrices } from "../../present/run/rental-text.ts";
import { pickOne } from "../kit/ask/pick.ts";
import { BACK } from "../kit/ask/steps.ts";

/** @returns undefined if the person leaves it as it is. */
export async function askWhenDone(
  title: string,
  chosen: WhenDone,
  prices: RentalPrices,
): Promise<WhenDone | undefined> {
  const answer = await pickOne<WhenDone>({
    title,
    placeholder: t("What happens to the instance after the run?"),
    choices: listWhenDoneChoices(prices),
    active: (value) => value === chosen,
  });
  return answer === BACK ? undefined : answer;
}
