// A host's background (bid) jobs on a machine of their own (interface 4.1).
import * as z from "zod";
import { ShellWords } from "./template-draft.ts";

/** Units: `price_gpu` dollars per GPU and day, `price_inetu` and `price_inetd` dollars per GB. `args` and `args_str` exclude each other. */
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
