// A host's background (bid) jobs on its own machine: the request (interface 4.1).
import * as z from "zod";
import { t } from "../../lib/text.ts";
import { isImageName } from "../template/image.ts";
import { ShellWords } from "../template/template-draft.ts";

/** Dollars. No one asks for more, but a decimal point is easily forgotten. */
const MOST_PRICE = 1_000_000;

const Machine = z
  .int({ error: () => t("Enter a machine ID: a whole number, such as 12345.") })
  .positive({ error: () => t("Enter a machine ID: a whole number, such as 12345.") });

const Price = z
  .number({ error: () => t("Enter a price in dollars, 0 or more.") })
  .nonnegative({ error: () => t("Enter a price in dollars, 0 or more.") })
  .max(MOST_PRICE, { error: () => t("This price is too high. Check the number.") });

const Image = z.string().refine(isImageName, {
  error: ({ input }) =>
    input === ""
      ? t("Enter an image, such as pytorch/pytorch:latest.")
      : t("This isn't a valid Docker image name. Use the form owner/name:tag in lowercase."),
});

/** A text that a container can be given: neither a NUL nor half of a character. */
const Sendable = z.string().refine((text) => !text.includes("\0") && text.isWellFormed(), {
  error: () => t("Remove the invalid character (NUL or a broken emoji)."),
});

/** Names that a shell can use, and dots, which some programs read. */
const VariableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_.]*$/);

/**
 * Units: `price_gpu` dollars per GPU and day, `price_inetu` and `price_inetd` dollars per GB. `args` and `args_str`
 * exclude each other.
 */
export const BackgroundJobs = z
  .strictObject({
    machine: Machine,
    price_gpu: Price,
    price_inetu: Price,
    price_inetd: Price,
    image: Image,
    args: z.array(Sendable).optional(),
    args_str: Sendable.and(ShellWords).optional(),
    use_ssh: z.boolean().optional(),
    onstart: Sendable.optional(),
    env: z.record(VariableName, Sendable).optional(),
  })
  .refine((jobs) => jobs.args === undefined || jobs.args_str === undefined, {
    path: ["args_str"],
    error: () => t("use only one of args and args_str"),
  });
export type BackgroundJobs = z.infer<typeof BackgroundJobs>;

/** Whether a variable can have this name. A record can't hold `__proto__`. */
export function isVariableName(text: string): boolean {
  return text !== "__proto__" && VariableName.safeParse(text).success;
}
