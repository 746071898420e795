// Overlay networks: each joins containers on one physical cluster, so that they can reach each other on all ports (an extra).
import * as z from "zod";
import { t } from "../../lib/text.ts";
import { AppError } from "../base/error.ts";
import { InstanceId, WireId } from "../base/id.ts";
import { int, str } from "../base/wire.ts";
import type { Offer } from "../offer/offer.ts";
import type { ExtraEnv } from "./extra-env.ts";

/** A name goes into the environment of each instance, so nothing in it may end an option. */
export const OverlayName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/);

/**
 * `internal_subnet`: such as `10.77.0.0/24`. `instances` is undefined if the service doesn't say, or not so that all
 * of them can be read: a network is deleted with them.
 */
export const Overlay = z.object({
  overlay_id: WireId,
  /** Foreign text: only one that is an `OverlayName` can be joined. */
  name: z.string(),
  cluster_id: int,
  internal_subnet: str,
  instances: z.array(InstanceId).optional().catch(undefined),
});
export type Overlay = z.infer<typeof Overlay>;

/** The network that a group is rented into. */
export interface OverlayWish {
  readonly name: string;
  /** The cluster that it lies on. */
  readonly cluster: number;
  /** It is created when the group is confirmed. */
  readonly isNew: boolean;
}

/** The option of an environment that joins a network. Its value is 1. */
export const toOverlayKey = (name: string): string => `-n ${name}`;

/** The network that an instance was rented into: an option of its environment says so. Foreign text. */
export function findOverlay(env: ExtraEnv | undefined): string | undefined {
  return [...(env?.keys() ?? [])].flatMap((key) => /^-n\s+(\S+)\s*$/.exec(key)?.[1] ?? [])[0];
}

/** The cluster that all of them stand in. */
export function findCommonCluster(offers: readonly Offer[]): number | undefined {
  const [first, ...others] = new Set(offers.map((offer) => offer.cluster_id));
  return others.length === 0 ? first : undefined;
}

/** @throws AppError `rejected` that says what a name may be. */
export function parseOverlayName(typed: string): string {
  const name = OverlayName.safeParse(typed.trim());
  if (name.success) return name.data;
  throw new AppError(
    "rejected",
    t("Name: use up to 64 letters, digits, dots, hyphens, and underscores, beginning with a letter or digit."),
  );
}
