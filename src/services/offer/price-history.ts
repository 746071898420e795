// What each search here saw of prices, in one small file for each service that all windows share. Whoever is late by a moment loses a
// sample and nothing else.
import { createHash } from "node:crypto";
import { appendFile, mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Offer } from "../../domain/offer/offer.ts";
import type { OfferSearch } from "../../domain/offer/offer-search.ts";
import {
  indexHistories,
  isMostlyGpu,
  mergeSamples,
  type PricedGpu,
  type PriceHistoryOfGpu,
  type PriceSample,
  readSamples,
  type SeenOffers,
  samplePrices,
  thinSamples,
  toPricedGpu,
  writeSamples,
} from "../../domain/offer/price-history.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Disposable } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";
import { createQueue } from "../../lib/task.ts";
import { replaceFile } from "../core/book/replace-file.ts";
import type { SignedIn } from "../core/session.ts";
import type { OffersService } from "./offers.ts";

interface Parts {
  readonly offers: OffersService;
  /** A folder for nothing else, which all windows share. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Bytes of one file, and those that are left after it became too large. */
const [MOST_BYTES, THINNED_BYTES] = [200_000, 150_000];
const NAME = /^(sandbox-)?[0-9a-f]{16}\.jsonl$/;
const DAY = 86_400_000;
/** Milliseconds without a search after which a file goes. No one asks later what a sandbox cost. */
const [KEPT, KEPT_OF_SANDBOX] = [400 * DAY, 7 * DAY];

/** What is usual for a GPU; undefined if it isn't known. */
export type FindUsual = (gpu: PricedGpu) => PriceHistoryOfGpu | undefined;

/** What is usual for the GPU of an offer; undefined also where its disk is too much of the price to compare them. */
export function findUsualPrice(
  findUsual: FindUsual,
  offer: Offer,
  { type, diskGb }: Pick<OfferSearch, "type" | "diskGb">,
): PriceHistoryOfGpu | undefined {
  return isMostlyGpu(offer, diskGb) ? findUsual(toPricedGpu(offer, type)) : undefined;
}

interface Known {
  /** Size and time of the file that was read. */
  readonly version: string;
  readonly bytes: number;
  readonly samples: readonly PriceSample[];
  /** A window died while it wrote: what is added begins a new line. */
  readonly isTorn: boolean;
}

export class PriceHistory implements Disposable {
  readonly #parts: Parts;
  readonly #listening: Disposable;
  readonly #inTurn = createQueue();
  readonly #known = new Map<string, Known>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#listening = parts.offers.onDidFind(({ account, ...seen }) => {
      this.#inTurn(() => this.#note(account, seen)).catch((error) =>
        parts.log.debug("The prices of a search could not be written down.", error),
      );
    });
  }

  /** What was seen at the account's service so far. If that can't be read, nothing was. */
  async read(account: Pick<SignedIn, "address" | "sandbox">): Promise<FindUsual> {
    const { samples } = await this.#inTurn(() => this.#load(nameOf(account))).catch(() => NOTHING);
    return indexHistories(samples);
  }

  async #note(account: SignedIn, seen: SeenOffers): Promise<void> {
    const name = nameOf(account);
    const { samples, bytes, isTorn } = await this.#load(name);
    const found = samplePrices(seen, this.#parts.clock.now());
    const known = samples.filter(({ hour }) => hour === found[0]?.hour);
    const before = new Set(known.map((sample) => JSON.stringify(sample)));
    const news = writeSamples(
      mergeSamples([...known, ...found]).filter((sample) => !before.has(JSON.stringify(sample))),
    );
    if (news === "") return;
    const path = join(this.#parts.folder, name);
    await mkdir(this.#parts.folder, { recursive: true, mode: 0o700 });
    if (bytes + Buffer.byteLength(news) <= MOST_BYTES)
      return await appendFile(path, isTorn ? `\n${news}` : news, { mode: 0o600 });
    await replaceFile({ path, text: writeSamples(thinSamples([...samples, ...found], THINNED_BYTES)) });
  }

  /** Another window may have written to it since. */
  async #load(name: string): Promise<Known> {
    const path = join(this.#parts.folder, name);
    const file = await stat(path).catch(() => undefined);
    // One that is this large wasn't written here: the next search begins a new one.
    if (!file || file.size > 2 * MOST_BYTES) return file ? { ...NOTHING, bytes: file.size } : NOTHING;
    const version = `${file.size} ${file.mtimeMs}`;
    const before = this.#known.get(name);
    if (before?.version === version) return before;
    const text = await readFile(path, "utf8");
    const samples = mergeSamples(readSamples(text));
    const known = { version, bytes: file.size, samples, isTorn: text !== "" && !text.endsWith("\n") };
    this.#known.set(name, known);
    return known;
  }

  /** Removes what no one added to for a long time, and drafts that a window left. `now` in epoch milliseconds. */
  async tidy(now: number): Promise<void> {
    for (const file of await readdir(this.#parts.folder).catch(() => [])) {
      const path = join(this.#parts.folder, file);
      const { mtimeMs } = await stat(path);
      const isShort = !NAME.test(file) || file.startsWith("sandbox-");
      if (now - mtimeMs > (isShort ? KEPT_OF_SANDBOX : KEPT)) await rm(path, { force: true });
    }
  }

  dispose(): void {
    this.#listening.dispose();
  }
}

const NOTHING: Known = { version: "", bytes: 0, samples: [], isTorn: false };

function nameOf({ address: { origin }, sandbox }: Pick<SignedIn, "address" | "sandbox">): string {
  const digest = createHash("sha256").update(origin).digest("hex").slice(0, 16);
  return `${sandbox ? "sandbox-" : ""}${digest}.jsonl`;
}
