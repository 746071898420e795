// What becomes of an instance after the run for which it is rented, and of the run without it.
import type { WhenDone } from "../../domain/base/when-done.ts";
import type { RunLimits } from "../../domain/run/run-limits.ts";
import { t } from "../../lib/text.ts";
import { listAttemptsChoices } from "../../present/run/attempt-text.ts";
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

/** @returns how many attempts may be made without another question; undefined if the person leaves it as it is. */
export async function askAttempts(
  title: string,
  limits: RunLimits,
  price: number | undefined,
): Promise<number | undefined> {
  const { maxAttempts = 1 } = limits;
  const answer = await pickOne<number>({
    title,
    placeholder: t("What happens to the run if its instance is lost?"),
    choices: listAttemptsChoices(maxAttempts, { limits, price }),
    active: (value) => value === maxAttempts,
  });
  return answer === BACK ? undefined : answer;
}
