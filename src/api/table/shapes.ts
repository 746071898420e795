// Shapes that several rows of the endpoint table share.
import * as z from "zod";

/** A promised list: an answer without it is no answer, not an empty one. */
export const list = z.array(z.unknown());
/** How many records there are, where the service says so. */
export const count = z.int().nonnegative().optional().catch(undefined);
export const any = z.unknown().optional();
export const done = z.object({ success: any, msg: any });
export const JsonText = z.string().refine((text) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
});

/** A list, or a list as JSON inside a text: public services send some so. */
export const listOrJson = z.union([
  z.array(z.unknown()),
  z.string().transform((text, context): unknown[] => {
    try {
      const value: unknown = JSON.parse(text);
      if (Array.isArray(value)) return value;
    } catch {
      // What is no JSON is no list either.
    }
    context.addIssue("it is no list");
    return z.NEVER;
  }),
]);

export const MB = 1024 * 1024;
