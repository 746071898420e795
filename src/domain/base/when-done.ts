// What becomes of an instance that was rented for a run, once the run is over.
import * as z from "zod";

export const WhenDone = z.enum(["keep", "stop", "destroy"]);
export type WhenDone = z.infer<typeof WhenDone>;
