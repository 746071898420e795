// Two more ways to rent that public command lines have: several offers in one request, and whatever a search finds.
import { readJsonObject } from "../base/checks.ts";
import { round } from "../base/random.ts";
import { buildErrorBody, isRecord } from "../base/refusal.ts";
import type { World } from "../world/world.ts";
import { createInstance } from "./create-instance.ts";
import { readCreateRequest } from "./create-request.ts";
import { carryOutEach, readIds } from "./instance-state.ts";
import { findOffers } from "./offer-search.ts";

/** Rents each of `ids` with the same request. @throws Refusal 400 for the list, or for what is wrong for all of them. */
export function createInstances(world: World, body: unknown) {
  const began = performance.now();
  const ids = readIds("ids", readJsonObject(body).ids, "offer");
  readCreateRequest(body);
  const rent = (offerId: number) => {
    const { id, intended } = createInstance(world, offerId, body);
    return { success: true, new_contract: id, state: intended };
  };
  const { success, results } = carryOutEach(ids, rent, "ask_id");
  const created = results.filter((one) => one.success === true).length;
  const elapsed = round((performance.now() - began) / 1000, 3);
  return { success, results, created, failed: results.length - created, elapsed };
}

/**
 * Rents the first offer that the search `q` finds. Unlike a search, it knows which of them are gone.
 * @throws Refusal 400 for the search or the request.
 */
export function launchInstance(world: World, body: unknown) {
  const { q, ...rest } = readJsonObject(body);
  const request = { ...rest, type: rest.type ?? (isRecord(q) ? q.type : undefined) };
  readCreateRequest(request);
  const found = findOffers(world, q).map(({ id }) => world.findOffer(Number(id)));
  const offer = found.find((one) => one !== undefined && one.fate !== "gone");
  if (offer === undefined) {
    const message = "No offer that can be rented matches the search";
    return { ...buildErrorBody("offer_not_found", message), message };
  }
  return { success: true, new_contract: createInstance(world, offer.id, request).id };
}
