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

/** Of an environment variable. */
const isVariableName = (name: string): boolean => /^[A-Za-z_]\w{0,99}$/.test(name);
/** What shells keep for themselves, or a record of names can't hold. */
const RESERVED = new Set(["__proto__", "BASHOPTS", "BASH_VERSINFO", "EUID", "PPID", "SHELLOPTS", "UID"]);
export const SecretName = z
  .string({ error: ({ input }) => describeWrongName(String(input)) })
  .refine((name) => isVariableName(name) && !RESERVED.has(name) && !/^cloud_gpu_/i.test(name), {
    error: ({ input }) => describeWrongName(String(input)),
  });
const describeWrongName = (name: string): string => t("“{0}” can't be the name of a variable.", name.slice(0, 60));

/** How many secrets a command gets at most. */
export const MOST_SECRETS = 16;

/** Names of the secrets of a command, which it gets as environment variables. */
export const SecretNames = z
  .array(SecretName, { error: () => t("Enter a list of names, such as {0}.", '["HF_TOKEN"]') })
  .max(MOST_SECRETS, { error: () => t("A run can use at most {0} secrets.", MOST_SECRETS) })
  .refine((names) => new Set(names).size === names.length, { error: () => t("A name occurs twice.") });

/** Environment variables of a command. They are written down with it and shown, so no secret is taken. */
export const Variables = z.record(z.string(), z.string()).superRefine((variables, context) => {
  const refuse = (message: string) => context.addIssue({ code: "custom", message });
  for (const [name, value] of Object.entries(variables)) {
    const shown = name.slice(0, 60);
    if (!isVariableName(name)) return refuse(describeWrongName(name));
    if (isSecretVariable(name, value))
      return refuse(t("“{0}” looks like a secret. Remove it here, and add its name to “secrets”.", shown));
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
