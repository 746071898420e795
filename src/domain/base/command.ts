// A command that is run on a machine, as a person or a file of a workspace gives it.
import * as z from "zod";
import { isSecretVariable } from "../../lib/secret-value.ts";
import { quoteWord } from "../../lib/shell-words.ts";
import { t } from "../../lib/text.ts";

/** Characters. */
export const MOST_COMMAND = 10_000;

const NUL = "\0";
export const Command = z
  .string()
  .trim()
  .min(1, { error: () => t("Enter a command.") })
  .max(MOST_COMMAND, { error: () => t("The command is longer than {0} characters. Put it in a script.", MOST_COMMAND) })
  .refine((text) => !text.includes(NUL), { error: () => t("The command contains an invalid character.") });

/** Run before a command; empty for nothing. */
export const Setup = z
  .string()
  .max(MOST_COMMAND, { error: () => t("The command is longer than {0} characters. Put it in a script.", MOST_COMMAND) })
  .refine((text) => !text.includes(NUL), { error: () => t("The command contains an invalid character.") });

/** Characters of one value. */
const MOST_VALUE = 1000;

/** Environment variables of a command. They are written down with it and shown, so no secret is taken. */
export const Variables = z.record(z.string(), z.string()).superRefine((variables, context) => {
  const refuse = (message: string) => context.addIssue({ code: "custom", message });
  for (const [name, value] of Object.entries(variables)) {
    const shown = name.slice(0, 60);
    if (!/^[A-Za-z_]\w{0,99}$/.test(name)) return refuse(t("“{0}” can't be the name of a variable.", shown));
    if (isSecretVariable(name, value))
      return refuse(t("“{0}” looks like a secret. Set it in the template instead.", shown));
    if (value.length > MOST_VALUE || /\p{Cc}/u.test(value))
      return refuse(t("The value of “{0}” must be one line of at most {1} characters.", shown, MOST_VALUE));
  }
  if (withVariables("", variables).length > MOST_COMMAND)
    refuse(t("There are too many variables. Put them in a script."));
});

/** A setup that sets the variables first. The command runs in the same shell. */
export function withVariables(setup: string, variables: Readonly<Record<string, string>> = {}): string {
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}=${quoteWord(value)}`);
  return [...exports, setup].filter((line) => line !== "").join("\n");
}
