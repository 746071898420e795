// Whether a plan may still be rented: never for more than was shown, and never at a price no one knows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError, type ErrorKind } from "../../../../src/domain/base/error.ts";
import type { LaunchPlan } from "../../../../src/domain/launch/launch-plan.ts";
import type { Offer } from "../../../../src/domain/offer/offer.ts";
import type { SignedIn } from "../../../../src/services/core/session.ts";
import { recheckPlan } from "../../../../src/services/launch/recheck-plan.ts";
import { PLAN as ANY_PLAN, OFFER } from "../../support.ts";

const PLAN: LaunchPlan = { ...ANY_PLAN, diskGb: 72 };
const BID: LaunchPlan = { ...PLAN, type: "bid", bid: 0.4 };
const ACCOUNT = { tag: "mine" } as SignedIn;

/** The plan as it is after its offer is read again as this; undefined if it was taken. */
async function recheck(plan: LaunchPlan, now: Offer | undefined): Promise<LaunchPlan> {
  const signal = new AbortController().signal;
  const asked: unknown[] = [];
  const market = {
    reread: async (...given: unknown[]) => {
      asked.push(...given);
      return now;
    },
  };
  const checked = await recheckPlan(market, ACCOUNT, plan, signal);
  assert.deepEqual(asked, [ACCOUNT, plan.offer.id, plan.type, 72, signal]);
  return checked;
}

const refuses = (work: Promise<unknown>, kind: ErrorKind, says: RegExp) =>
  assert.rejects(work, (error) => error instanceof AppError && error.kind === kind && says.test(error.message));

test("a price that stayed or fell is taken, with the offer as it is now", async () => {
  const cheaper = { ...OFFER, dph_total: 0.7 };
  assert.deepEqual(await recheck(PLAN, cheaper), { ...PLAN, offer: cheaper });
  const rounded = { ...OFFER, dph_total: 0.8 + 1e-9 };
  assert.deepEqual(await recheck(PLAN, rounded), { ...PLAN, offer: rounded }, "a rounding error is no rise");
});

test("a price that rose, was never shown, or is not known is not taken", async () => {
  await refuses(
    recheck(PLAN, { ...OFFER, dph_total: 0.81 }),
    "rejected",
    /from \$0\.80\/h to \$0\.81\/h\. Nothing was/,
  );
  const unpriced = { ...PLAN, offer: { ...OFFER, dph_total: undefined } };
  await refuses(recheck(unpriced, OFFER), "rejected", /from \$\?\/h to \$0\.80\/h/);
  await refuses(recheck(PLAN, { ...OFFER, dph_total: undefined }), "rejected", /doesn't give a price/);
});

test("an offer that was taken is said to be", () => refuses(recheck(PLAN, undefined), "gone", /just taken/));

test("a bid is its own price: only its disk may be dearer, or have been unknown all along", async () => {
  const unknown = { ...OFFER, storage_cost: undefined };
  const unpriced = { ...BID, offer: unknown };
  assert.deepEqual(await recheck(unpriced, unknown), unpriced);
  assert.deepEqual(await recheck(BID, { ...OFFER, dph_total: 9 }), { ...BID, offer: { ...OFFER, dph_total: 9 } });
  await refuses(
    recheck(BID, { ...OFFER, storage_cost: 1.5 }),
    "rejected",
    /disk \$1\.50\/GB a month instead of \$0\.15/,
  );
  await refuses(recheck(BID, unknown), "rejected", /disk \$\?\/GB a month/);
});

test("an offer that is something else by now is not taken, and what changed is named", async () => {
  const swapped = { ...OFFER, machine_id: 9, gpu_name: "GT 710", geolocation: "Antarctica", verified: false };
  const plan = { ...PLAN, offer: { ...OFFER, verified: true } };
  await refuses(
    recheck(plan, swapped),
    "rejected",
    /: another machine, another GPU, another location, no longer verified\. Nothing/,
  );
});
