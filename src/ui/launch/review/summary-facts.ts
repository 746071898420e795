// What a summary says beside the plan: how the machine and the image did before, what the account has left, and the price on demand.
import { addPrices } from "../../../domain/base/money.ts";
import { getCurrentPrice } from "../../../domain/instance/instance.ts";
import type { LaunchPlan } from "../../../domain/launch/launch-plan.ts";
import { addUpHistories, findStartTimes } from "../../../domain/offer/machine-history.ts";
import { getHourlyPrice } from "../../../domain/offer/offer.ts";
import { withTag } from "../../../domain/template/template.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { KnownFacts } from "../../../present/launch/summary.ts";
import { getLast } from "../../../services/core/loaded.ts";
import { readCredit } from "../../../services/core/read-credit.ts";
import type { SignedIn } from "../../../services/core/session.ts";
import type { LaunchServices } from "../launch-services.ts";

/** Milliseconds that a summary waits for what it can do without. */
const WAIT = 2000;

/**
 * @returns what reads the facts of one summary, in the account that it was opened in and no other. Whatever can't be read is left out, and
 * read again when the summary comes back.
 */
export function createFactsReader(services: LaunchServices): (plan: LaunchPlan) => Promise<KnownFacts> {
  const { session, machineMemory, scheduler } = services;
  const account = session.current;
  if (account.kind !== "signed-in") return async () => ({});
  const readBalance = createPatientReader(() => readKnownCredit(account), scheduler.clock);
  let priceOf: { readonly key: string; readonly read: () => Promise<number | undefined> } | undefined;
  return async (plan) => {
    if (session.current !== account) return {};
    const key = `${plan.offer.id} ${plan.diskGb}`;
    if (priceOf?.key !== key)
      priceOf = { key, read: createPatientReader(() => readOnDemandPrice(services, account, plan), scheduler.clock) };
    const [uses, credit, onDemandPrice] = await Promise.all([
      machineMemory.read(account).catch(() => []),
      readBalance(),
      plan.type === "bid" ? priceOf.read() : undefined,
    ]);
    const { machine_id: machine } = plan.offer;
    const { template } = plan;
    const image = template?.image === undefined ? plan.image : withTag(template.image, template.tag);
    return {
      history: machine === undefined ? undefined : addUpHistories(uses).get(machine),
      starts: image === undefined ? undefined : findStartTimes(uses, image),
      credit,
      rented: sumRented(services),
      onDemandPrice,
    };
  };
}

/** Reads until something is known. While a reading hangs, only the first caller waits for it. */
function createPatientReader<T>(read: () => Promise<T | undefined>, clock: Clock): () => Promise<T | undefined> {
  let known: T | undefined;
  let reading: Promise<void> | undefined;
  return async () => {
    if (known !== undefined || reading !== undefined) return known;
    reading = read().then((value) => {
      known = value;
      reading = undefined;
    });
    await Promise.race([reading, clock.sleep(WAIT)]);
    return known;
  };
}

/** Dollars per hour; undefined if the list isn't whole, or a price isn't known. */
function sumRented({ instances }: LaunchServices): number | undefined {
  const listing = getLast(instances.collection.store.current)?.value;
  return listing?.complete ? addPrices(listing.rows.map(getCurrentPrice)) : undefined;
}

async function readKnownCredit(account: SignedIn): Promise<number | undefined> {
  const credit = await readCredit(account);
  return credit === "refused" ? undefined : credit;
}

async function readOnDemandPrice(
  { offers }: LaunchServices,
  account: SignedIn,
  { offer, diskGb }: LaunchPlan,
): Promise<number | undefined> {
  const found = await offers.reread(account, offer.id, "ondemand", diskGb).catch(() => undefined);
  return found && getHourlyPrice(found);
}
