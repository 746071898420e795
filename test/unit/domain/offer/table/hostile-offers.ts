// Records as a hostile or broken service might send them, and honest ones to compare them with.
import { type Offer, readOffer } from "../../../../../src/domain/offer/offer.ts";
import type { OfferJob } from "../../../../../src/domain/offer/table/job.ts";
import { seeded } from "../../../../fuzz/answers.ts";

/** What they are compared for. */
export const JOB: OfferJob = { hours: 10, diskGb: 8, downGb: 50, upGb: 0, imageGb: 6 };

const TEXTS = [
  "x".repeat(100_000),
  "\u202eRTX 4090\u2066",
  '<img src=x onerror="document.title=`owned`">',
  "<script>document.title='owned'</script>",
  "[RTX](command:workbench.action.quit)",
  "$(trash) RTX 4090",
  "RTX\u0000 4090\r\n5090",
  "\ud800",
  "é".repeat(500),
  "__proto__",
  "constructor",
  "",
  "a".repeat(79),
  "👩‍👩‍👧‍👦".repeat(60),
];
const NUMBERS = [
  Number.NaN,
  1e308,
  -1,
  -0.5,
  0,
  -1e308,
  Number.POSITIVE_INFINITY,
  1e-320,
  "12",
  null,
  true,
  2 ** 53,
  {},
];

/** Of every field something that no one meant; the IDs are in order. */
export function drawHostileOffers(count: number, seed = 1): Offer[] {
  const random = seeded(seed);
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)];
  return Array.from({ length: count }, (_, at) => {
    const record = {
      ...{ id: 1000 + at, machine_id: pick(NUMBERS), host_id: pick(NUMBERS), num_gpus: pick(NUMBERS) },
      ...{ gpu_name: pick(TEXTS), geolocation: pick(TEXTS), cpu_name: pick(TEXTS), verified: pick(TEXTS) },
      ...{ dph_total: pick(NUMBERS), min_bid: pick(NUMBERS), gpu_ram: pick(NUMBERS), reliability: pick(NUMBERS) },
      ...{ dlperf: pick(NUMBERS), total_flops: pick(NUMBERS), inet_down: pick(NUMBERS), inet_up: pick(NUMBERS) },
      ...{ inet_down_cost: pick(NUMBERS), duration: pick(NUMBERS), cpu_ram: pick(NUMBERS), disk_space: pick(NUMBERS) },
    };
    const offer = readOffer(record);
    if (!offer) throw new Error("it has an ID");
    return offer;
  });
}

const GPUS = ["RTX 4090", "RTX 3090", "A100 SXM4", "H100 NVL", "RTX A6000", "Tesla T4"];

/** Plausible offers, of which some lack a field. */
export function drawOffers(count: number, seed = 1): Offer[] {
  const random = seeded(seed);
  const sometimes = <T>(value: T) => (random() < 0.1 ? undefined : value);
  return Array.from({ length: count }, (_, at) => {
    const kind = Math.floor(random() * GPUS.length);
    const gpus = 2 ** Math.floor(random() * 4);
    const offer = readOffer({
      ...{ id: 50_000 - at, machine_id: 1 + Math.floor(random() * 900), host_id: 1 + Math.floor(random() * 90) },
      ...{ gpu_name: GPUS[kind], num_gpus: gpus, gpu_ram: sometimes(24_564 * (1 + (kind % 3))) },
      ...{
        dph_total: sometimes(Math.round((0.1 + random() * kind) * gpus * 100) / 100),
        dlperf: sometimes(20 * gpus * (1 + kind)),
      },
      ...{
        reliability: sometimes(0.9 + random() / 10),
        verified: random() < 0.6,
        geolocation: random() < 0.5 ? "Sweden, SE" : ", US",
      },
      ...{
        inet_down: sometimes(random() * 2000),
        inet_down_cost: sometimes(0.01),
        duration: sometimes(random() * 1e7),
      },
    });
    if (!offer) throw new Error("it has an ID");
    return offer;
  });
}
