// How often results are downloaded while a command still runs.
import * as z from "zod";
import { t } from "../../lib/text.ts";

/** Minutes. */
const [LEAST, MOST] = [1, 1440];

const describeMistake = () => t("Enter a whole number of minutes from {0} to {1}.", LEAST, MOST);

/** Minutes between two downloads. */
export const ResultsEveryMinutes = z
  .int({ error: describeMistake })
  .min(LEAST, { error: describeMistake })
  .max(MOST, { error: describeMistake });
