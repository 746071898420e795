// Times as files and services say them.
import * as z from "zod";

/** Milliseconds, up to the last one that a date can say. */
export const EpochTime = z.number().min(0).max(8.64e15);
