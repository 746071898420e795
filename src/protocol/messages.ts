// How a page and its host talk: every request is answered with a value or a failure, and both ends check what they get.
import * as z from "zod";

/** What may be asked, and the shape of each question and answer. */
export type Contract = Readonly<Record<string, { readonly question: z.ZodType; readonly answer: z.ZodType }>>;
export type Question<C extends Contract, Name extends keyof C> = z.infer<C[Name]["question"]>;
export type AnswerTo<C extends Contract, Name extends keyof C> = z.infer<C[Name]["answer"]>;

/** From the page. The question itself is checked by the contract, once its name is known. */
export const Asked = z.strictObject({ id: z.int().positive(), ask: z.string(), question: z.unknown().optional() });

/** From the host: an answer to one question, or news nobody asked for. */
export const Told = z.union([
  /** On its way a value that is undefined loses its name. */
  z.strictObject({ answer: z.int().positive(), value: z.unknown().optional() }),
  /** `field` is the one a refusal is about. */
  z.strictObject({ answer: z.int().positive(), failed: z.string(), field: z.string().optional() }),
  z.strictObject({ news: z.record(z.string(), z.unknown()) }),
]);
export type Told = z.infer<typeof Told>;
