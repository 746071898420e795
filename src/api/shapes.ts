// Shapes that several rows of the endpoint table share.
import * as z from "zod";

/** A list a server may send as null or leave out. */
export const list = z.array(z.unknown()).nullish();
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
