// Things the unit tests share.
import assert from "node:assert/strict";
import { type Offer, readOffer } from "../../src/domain/offer/offer.ts";

/** An offer as it is read from these fields of the wire. */
export function offerOf(fields: Readonly<Record<string, unknown>>): Offer {
  const offer = readOffer(fields);
  assert.ok(offer, "these fields make no offer");
  return offer;
}
