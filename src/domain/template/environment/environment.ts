// The environment of a request: variables and options by their names (interface 4.3, rule 4). Templates have it as Docker flags.
import * as z from "zod";
import { t } from "../../../lib/text.ts";
import { isPortMapping } from "../ports.ts";

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_.]*$/;

/** Whether a variable can have this name, in whatever takes it. */
export const canNameVariable = (name: string): boolean => VARIABLE.test(name);

/** Names of variables, and options such as `-p host:container`. */
const EnvKey = z
  .string()
  .regex(/^(?:[A-Za-z_][A-Za-z0-9_.]*|-p (\S+)|-h|-v \S+:\S+|-n \S+)$/, {
    error: () => t("isn't a variable name or an option such as -p 8080:8080"),
  })
  .refine((key) => !key.startsWith("-p ") || isPortMapping(key.slice(3)), {
    error: () => t("ports must have the form host:container, each from 1 to 65535"),
  });

export const Environment = z.record(
  EnvKey,
  z.string().refine((value) => !value.includes("\0"), { error: () => t("values can't contain NUL characters") }),
  // What is wrong with a name stands one level deeper.
  { error: (issue) => (issue.code === "invalid_key" ? issue.issues[0]?.message : undefined) },
);
