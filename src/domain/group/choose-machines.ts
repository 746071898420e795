// Which offers become a group: the cheapest that are different machines.
import { listChangedTerms } from "../launch/changed-terms.ts";
import type { LaunchPlan } from "../launch/launch-plan.ts";
import { getHourlyPrice, type Offer, toVramGb } from "../offer/offer.ts";

/** What different machines means. */
interface Apartness {
  /** Machines of different hosts: of no host two. */
  readonly isApart: boolean;
}

/** Keeps, in their order, offers that are different machines. An unknown host could be any, so where hosts must differ it is left out. */
export function listDistinctMachines(offers: readonly Offer[], { isApart }: Apartness): readonly Offer[] {
  const taken: Taken = new Set();
  return offers.filter((offer) => {
    if (isTaken(taken, offer, isApart)) return false;
    take(taken, offer);
    return true;
  });
}

/** Keys of machines and hosts that are in use. */
type Taken = Set<string>;

const machineKey = ({ id, machine_id }: Offer) => (machine_id === undefined ? `offer ${id}` : `machine ${machine_id}`);

function isTaken(taken: Taken, offer: Offer, isApart: boolean): boolean {
  if (taken.has(machineKey(offer))) return true;
  return isApart && (offer.host_id === undefined || taken.has(`host ${offer.host_id}`));
}

function take(taken: Taken, offer: Offer): void {
  taken.add(machineKey(offer));
  if (offer.host_id !== undefined) taken.add(`host ${offer.host_id}`);
}

/** Machines of one physical cluster, which can be joined by a network of their own. */
export interface Cluster {
  readonly id: number;
  /** Different machines, in the order of the offers. */
  readonly offers: readonly Offer[];
}

/** Clusters with at least two machines, those with most first. */
export function findClusters(offers: readonly Offer[], apartness: Apartness): readonly Cluster[] {
  const found = new Map<number, Offer[]>();
  for (const offer of offers) {
    const { cluster_id: cluster } = offer;
    if (cluster !== undefined) found.set(cluster, [...(found.get(cluster) ?? []), offer]);
  }
  return [...found]
    .map(([id, members]) => ({ id, offers: listDistinctMachines(members, apartness) }))
    .filter((cluster) => cluster.offers.length > 1)
    .sort((one, other) => other.offers.length - one.offers.length);
}

/**
 * The offer to take in place of one that was taken by someone else: as good by the same search, for no more, with the same GPUs, with
 * traffic and a disk that cost no more either, and a machine that isn't in the group.
 */
export function findSpare(
  spares: readonly Offer[],
  lost: LaunchPlan,
  used: readonly Offer[],
  { isApart }: Apartness,
): Offer | undefined {
  const taken: Taken = new Set();
  for (const offer of used) take(taken, offer);
  const most = getHourlyPrice(lost.offer);
  return spares.find((offer) => {
    const price = getHourlyPrice(offer);
    const isForNoMore = most !== undefined && price !== undefined && price <= most + 1e-9;
    return isForNoMore && isAsGood(lost.offer, offer) && !isTaken(taken, offer, isApart);
  });
}

/** Whether all that was confirmed of a machine holds for this one, except which machine it is and where. */
function isAsGood(confirmed: Offer, offer: Offer): boolean {
  const hasSameGpus =
    offer.gpu_name === confirmed.gpu_name &&
    offer.num_gpus === confirmed.num_gpus &&
    toVramGb(offer.gpu_ram) === toVramGb(confirmed.gpu_ram);
  if (!hasSameGpus || offer.cluster_id !== confirmed.cluster_id) return false;
  // Machines tell of the same VRAM with some MB more or less, and each is offered for a time of its own.
  const { machine_id, host_id, geolocation, gpu_ram, duration } = offer;
  return listChangedTerms({ ...confirmed, machine_id, host_id, geolocation, gpu_ram, duration }, offer).length === 0;
}
