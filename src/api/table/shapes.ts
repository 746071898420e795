// Shapes that several rows of the endpoint table share.
import * as z from "zod";

/** A promised list: a response without it is invalid, not empty. */
export const list = z.array(z.unknown());
/** The number of records, if the service states it. */
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

/** A list, or a JSON text with a list, as public services sometimes send it. */
export const listOrJson = z.union([
  z.array(z.unknown()),
  z.string().transform((text, context): unknown[] => {
    try {
      const value: unknown = JSON.parse(text);
      if (Array.isArray(value)) return value;
    } catch {
      // A text that isn't JSON isn't a list.
    }
    context.addIssue("it is no list");
    return z.NEVER;
  }),
]);

export const MB = 1024 * 1024;
