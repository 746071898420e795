// The machines that match a template's filters right now, in numbers.
import type { UnknownGpu } from "../offer/gpu-names.ts";

export interface OfferSupply {
  readonly count: number;
  /** True if there may be more than were counted. */
  readonly isMore: boolean;
  /** Dollars an hour; undefined if no offer says its price. */
  readonly lowest: number | undefined;
  /** If no machine matches: the GPUs that are asked for by names that no machine has. */
  readonly unknownGpus: readonly UnknownGpu[];
}
