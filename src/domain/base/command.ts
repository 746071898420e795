// A command that is run on a machine, as a person or a file of a workspace gives it.
import * as z from "zod";
import { t } from "../../lib/text.ts";

/** Characters. */
export const MOST_COMMAND = 10_000;

const NUL = "\0";
export const Command = z
  .string()
  .trim()
  .min(1, { error: () => t("Enter a command to run on the machine.") })
  .max(MOST_COMMAND, { error: () => t("The command is longer than {0} characters. Put it in a script.", MOST_COMMAND) })
  .refine((text) => !text.includes(NUL), { error: () => t("The command contains an invalid character.") });

/** Run before a command; empty for nothing. */
export const SetUp = z
  .string()
  .max(MOST_COMMAND, { error: () => t("The command is longer than {0} characters. Put it in a script.", MOST_COMMAND) })
  .refine((text) => !text.includes(NUL), { error: () => t("The command contains an invalid character.") });
