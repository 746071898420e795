// On how many instances a run may be tried without another question.
import * as z from "zod";
import { t } from "../../lib/text.ts";

const MOST_AGREED_ATTEMPTS = 20;

/** One after another, the first included. */
export const MaxAttempts = z
  .int({ error: () => describeRange() })
  .min(1, { error: () => describeRange() })
  .max(MOST_AGREED_ATTEMPTS, { error: () => describeRange() });

const describeRange = (): string => t("Enter a whole number from {0} to {1}.", 1, MOST_AGREED_ATTEMPTS);
