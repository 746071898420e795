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

export const MB = 1024 * 1024;
