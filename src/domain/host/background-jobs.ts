// A host's background (bid) jobs on its own machine: the request, and what a person may type for it (interface 4.1).
import * as z from "zod";
import { ShellWordsError, splitWords } from "../../lib/shell-words.ts";
import { t } from "../../lib/text.ts";
import { AppError } from "../base/error.ts";
import { readNumber } from "../base/typed-number.ts";
import { ShellWords } from "../template/template-draft.ts";

/**
 * Units: `price_gpu` dollars per GPU and day, `price_inetu` and `price_inetd` dollars per GB. `args` and `args_str`
 * exclude each other.
 */
export const BackgroundJobs = z
  .strictObject({
    machine: z.int().positive(),
    price_gpu: z.number().nonnegative(),
    price_inetu: z.number().nonnegative(),
    price_inetd: z.number().nonnegative(),
    image: z.string().min(1),
    args: z.array(z.string()).optional(),
    args_str: ShellWords.optional(),
    use_ssh: z.boolean().optional(),
    onstart: z.string().optional(),
    env: z.record(z.string().min(1), z.string()).optional(),
  })
  .refine((jobs) => jobs.args === undefined || jobs.args_str === undefined, {
    path: ["args_str"],
    message: "use only one of args and args_str",
  });
export type BackgroundJobs = z.infer<typeof BackgroundJobs>;

function refusal(field: string, message: string): AppError {
  return new AppError("rejected", message, { fields: { [field]: message } });
}

/** A machine's ID as its host sees it on the service's website. @throws AppError `rejected`. */
export function parseMachine(input: string): number {
  const text = input.trim();
  if (text === "") throw refusal("machine", t("Machine: empty. Type the id of a machine of yours, such as 12345."));
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(Number(text)) || Number(text) < 1)
    throw refusal("machine", t("Machine: “{0}” is no id. It is a whole number, such as 12345.", text));
  return Number(text);
}

/** Dollars, 0 or more. @throws AppError `rejected`. */
export function parsePrice(name: string, input: string): number {
  const price = readNumber(name, input.trim().replace(/^\$\s*/, ""));
  if (price > 1_000_000) throw refusal(name, t("{0}: {1} dollars are more than anybody pays.", name, price));
  return price;
}

/**
 * Splits a text into words the way the service does.
 * @throws AppError `rejected` that names the column of a problem.
 */
export function parseWords(name: string, input: string): string[] {
  try {
    return splitWords(input);
  } catch (error) {
    if (!(error instanceof ShellWordsError)) throw error;
    const column = error.at + 1;
    const found = input.charAt(error.at);
    throw refusal(
      name,
      found === "\\"
        ? t("{0}, column {1}: nothing follows the backslash.", name, column)
        : t("{0}, column {1}: the quote {2} is not closed.", name, column, found),
    );
  }
}

/** One shell-quoted string, sent as typed; undefined if empty. @throws AppError `rejected`. */
export function parseArgsText(input: string): string | undefined {
  return parseWords(t("Arguments"), input).length === 0 ? undefined : input;
}

/** Reads `NAME=value` words. A value with spaces must be quoted. @throws AppError `rejected`. */
export function parseVariables(input: string): Record<string, string> {
  const variables = new Map<string, string>();
  for (const word of parseWords(t("Environment"), input)) {
    const [, name, value = ""] = /^([A-Za-z_][A-Za-z0-9_.]*)=(.*)$/s.exec(word) ?? [];
    // The message doesn't repeat the word: it may be a value that got separated from its name.
    if (name === undefined || name === "__proto__")
      throw refusal("env", t("Environment: write each variable as NAME=value, and quote a value with blanks."));
    if (variables.has(name)) throw refusal("env", t("Environment: {0} is there twice.", name));
    variables.set(name, value);
  }
  return Object.fromEntries(variables);
}
