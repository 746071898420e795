// What becomes of an instance that was rented for a run, once the run is over.
import * as z from "zod";

export const Afterward = z.enum(["keep", "stop", "destroy"]);
export type Afterward = z.infer<typeof Afterward>;
