// The market: offers and prices and, hidden from renters, the fate of each rental.
import { HOURS_PER_MONTH } from "../../domain/base/money.ts";
import { Random, round } from "../base/random.ts";
import { GPUS } from "./gpus.ts";
import { drawMachine, type Machine } from "./machine.ts";

/** What happens to a rental of the offer. `gone` offers are listed but can't be rented any longer. */
/** `no-container`, `no-image`: it stays on its way up, and only its message says that it can't succeed. */
export type Fate = "runs" | "exited" | "offline" | "unknown" | "gone" | "no-container" | "no-image";

export interface MarketOffer {
  readonly id: number;
  readonly machine: Machine;
  /** The machine's GPUs it consists of. Of two offers that share a GPU, only one can be rented. */
  readonly gpuIds: readonly number[];
  /** Dollars per hour for all its GPUs, without the disk. */
  price: number;
  /** Minimum bid in dollars per hour; null if the host rents out at a fixed price only. */
  readonly minBid: number | null;
  /** Rented by someone else for as long as the sandbox runs. */
  readonly taken: boolean;
  fate: Fate;
}

/** The less a host promises, the lower its price. */
function pricePerGpu(random: Random, machine: Machine): number {
  const trust = 0.82 + 0.23 * Math.max(0, (machine.reliability - 0.85) / 0.15);
  const vouched = machine.verification === "verified" ? 1 : 0.84;
  const place = ["US", "CA", "GB", "AU"].includes(machine.code) ? 1.06 : 0.97;
  const house = machine.datacenter ? 1.08 : 1;
  return machine.gpu.price * trust * vouched * place * house * Math.exp(random.drawBetween(-0.22, 0.24));
}

/** How a host divides a machine into offers: always as a whole, and larger machines also in parts. */
function slices(random: Random, gpus: number): number[][] {
  const part = (from: number, size: number) => Array.from({ length: size }, (_, at) => from + at);
  const whole = [part(0, gpus)];
  if (gpus === 1) return whole;
  const size = random.pick(gpus === 2 ? [1] : [1, 1, gpus / 2]);
  const parts = Math.min(gpus / size, random.drawWhole(1, 2));
  return [...whole, ...Array.from({ length: parts }, (_, at) => part(at * size, size))];
}

function drawFate(random: Random): Fate {
  const draw = random.drawNext();
  if (draw < 0.025) return "exited";
  if (draw < 0.045) return "offline";
  if (draw < 0.06) return "unknown";
  return draw < 0.08 ? "gone" : "runs";
}

/**
 * About two hundred offers, or as many as are asked for; the same for the same seed, and in a larger market those of a smaller one
 * as well. `now` is UTC epoch seconds.
 */
export function drawMarket(seed: number, now: number, wanted?: number): MarketOffer[] {
  const offers: MarketOffer[] = [];
  let machines = 0;
  for (let turn = 0; offers.length < (wanted ?? 1); turn += 1)
    for (const gpu of GPUS)
      for (let nth = turn * gpu.machines; nth < (turn + 1) * gpu.machines; nth += 1) {
        const random = new Random(`${seed}/${gpu.name}/${gpu.ram}/${nth}`);
        machines += 1;
        const machine = drawMachine(random, gpu, 20_000 + machines * 37, now);
        for (const terms of drawOffers(random, machine))
          offers.push({ id: 24_000_000 + machines * 1013 + offers.length * 7, machine, ...terms });
      }
  offers.length = Math.min(offers.length, wanted ?? offers.length);
  for (const [place, gpu] of CLUSTERS.entries()) joinCluster(offers, gpu, FIRST_CLUSTER + place);
  return offers;
}

function drawOffers(random: Random, machine: Machine): Omit<MarketOffer, "id" | "machine">[] {
  const perGpu = pricePerGpu(random, machine);
  const bid = random.drawChance(0.88) ? random.drawBetween(0.3, 0.6) : null;
  return slices(random, machine.gpus).map((gpuIds) => {
    const price = round(perGpu * gpuIds.length, 4);
    const minBid = bid === null ? null : round(price * bid, 4);
    return { gpuIds, price, minBid, taken: random.drawChance(0.07), fate: drawFate(random) };
  });
}

/** The GPUs of machines in data centers that stand together, a cluster each. */
const CLUSTERS = ["A100 PCIE", "Tesla T4"];
const FIRST_CLUSTER = 501;

/** Machines of one cluster have one host and one place. */
function joinCluster(offers: readonly MarketOffer[], gpu: string, id: number): void {
  const machines = offers.map(({ machine }) => machine).filter((one) => one.datacenter && one.gpu.name === gpu);
  const [first] = machines;
  for (const machine of machines)
    Object.assign(machine, { clusterId: id, hostId: first?.hostId, country: first?.country, code: first?.code });
}

/** Dollars per hour for `gb` of the machine's disk. */
export function calculateStoragePrice(machine: Pick<Machine, "storageCost">, gb: number): number {
  return (machine.storageCost * gb) / HOURS_PER_MONTH;
}

export function overlaps(a: MarketOffer, b: MarketOffer): boolean {
  return a.machine.id === b.machine.id && a.gpuIds.some((gpu) => b.gpuIds.includes(gpu));
}
