// Handlers for what only the public service's own command line calls (base/routes.ts).
import { readJsonObject } from "../base/checks.ts";
import { readJsonText } from "../base/filters.ts";
import { Refusal } from "../base/refusal.ts";
import { replaceContainer } from "../world/lifecycle.ts";
import type { World } from "../world/world.ts";
import type { Handlers } from "./handler.ts";
import { answerRestart } from "./instance-state.ts";
import { findOffers, pickColumns } from "./offer-search.ts";
import { createInstances, launchInstance } from "./rent-offers.ts";

/** @throws Refusal 403 for another host's machine, 404 for an unknown one. */
function requireOwnMachine(world: World, id: number): void {
  if (id === world.ownMachine.id) return;
  if (world.offers.some(({ machine }) => machine.id === id))
    throw new Refusal(403, "not_authorized", "error: only the owner can access this machine.");
  throw new Refusal(404, "not_found", "No such machine id");
}

export const commandLineHandlers = {
  searchOffersByPut: ({ world, body }) => {
    const { q, select_cols } = readJsonObject(body);
    return { success: true, offers: pickColumns(findOffers(world, q), select_cols) };
  },

  searchOffersByGet: ({ world, query }) => {
    const columns = readJsonText("select_cols", query.select_cols);
    return { success: true, offers: pickColumns(findOffers(world, readJsonText("q", query.q) ?? {}), columns) };
  },

  createInstances: ({ world, body }) => createInstances(world, body),

  launchInstance: ({ world, body }) => launchInstance(world, body),

  recycleInstance: ({ world, id }) => answerRestart(world, id, replaceContainer),

  removeBackgroundJobs: ({ world, id }) => {
    requireOwnMachine(world, id);
    world.jobs.delete(id);
    return { success: true, machine_id: id, user_id: world.account.id };
  },

  listEndpoints: ({ world }) => ({ success: true, results: world.endpoints.list().map(world.getDating()) }),

  createEndpoint: ({ world, body }) => ({
    success: true,
    result: world.endpoints.create(readJsonObject(body), world.getNow()),
  }),

  changeEndpoint: ({ world, id, body }) => {
    world.endpoints.change(id, readJsonObject(body));
    return { success: true };
  },

  deleteEndpoint: ({ world, id }) => {
    world.endpoints.delete(id);
    return { success: true };
  },

  deleteWorkergroup: ({ world, id }) => {
    world.endpoints.deleteWorkergroup(id);
    return { success: true };
  },
} satisfies Partial<Handlers>;
