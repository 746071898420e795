// How a page and its host communicate: every request gets a value or a failure, and both ends validate what they
// receive.
import * as z from "zod";

/** The pages there are. */
export type PageName = "jobs" | "launch" | "offers" | "record" | "spending" | "template";

/** The questions a page may ask, and the shape of each question and answer. */
export type Contract = Readonly<Record<string, { readonly question: z.ZodType; readonly answer: z.ZodType }>>;
export type PageQuestion<C extends Contract, Name extends keyof C> = z.infer<C[Name]["question"]>;
export type AnswerTo<C extends Contract, Name extends keyof C> = z.infer<C[Name]["answer"]>;

/** From the page. The contract validates the question itself once its name is known. */
export const Asked = z.strictObject({ id: z.int().positive(), ask: z.string(), question: z.unknown().optional() });

/** From the host: an answer to one question, or an unsolicited update. */
export const Told = z.union([
  /** Serialization drops properties that are undefined. */
  z.strictObject({ answer: z.int().positive(), value: z.unknown().optional() }),
  /** `field` is the field that was refused. */
  z.strictObject({ answer: z.int().positive(), failed: z.string(), field: z.string().optional() }),
  z.strictObject({ update: z.record(z.string(), z.unknown()) }),
]);
export type Told = z.infer<typeof Told>;
