// On how many instances a run may be tried without another question.
import * as z from "zod";
import { t } from "../../lib/text.ts";

const MOST = 20;

const describeMistake = () => t("Enter a whole number from {0} to {1}.", 1, MOST);

/** One after another, the first included. */
export const MaxAttempts = z
  .int({ error: describeMistake })
  .min(1, { error: describeMistake })
  .max(MOST, { error: describeMistake });
