// Every route of the sandbox: the table of the interface, and what only the public service's own command line calls.
import * as z from "zod";
import { defineEndpoint } from "../../api/table/endpoint.ts";
import { endpoints } from "../../api/table/endpoints.ts";
import { any, done, list } from "../../api/table/shapes.ts";

/** What a client of ours would need to know; there is none. */
const UNCALLED = { repeat: "once", within: 60, shown: false } as const;
const offers = z.object({ success: any, offers: list });

const commandLineRoutes = {
  searchOffersByPut: defineEndpoint({
    ...UNCALLED,
    method: "PUT",
    path: "/api/v0/search/asks/",
    reply: offers,
    gap: 2,
    section: "sandbox: search offers, the newer form",
  }),
  searchOffersByGet: defineEndpoint({
    ...UNCALLED,
    method: "GET",
    path: "/api/v0/bundles/",
    reply: offers,
    gap: 0.8,
    section: "sandbox: search offers by the address",
  }),
  createInstances: defineEndpoint({
    ...UNCALLED,
    method: "POST",
    path: "/api/v0/asks/bulk/",
    reply: z.object({ success: any, results: list, created: any, failed: any, elapsed: any }),
    gap: 4.5,
    section: "sandbox: create several instances",
  }),
  launchInstance: defineEndpoint({
    ...UNCALLED,
    method: "PUT",
    path: "/api/v0/launch_instance/",
    reply: z.object({ success: any, new_contract: any }),
    gap: 5,
    section: "sandbox: search and rent in one",
  }),
  recycleInstance: defineEndpoint({
    ...UNCALLED,
    method: "PUT",
    path: "/api/v0/instances/recycle/{id}/",
    reply: done,
    gap: 1,
    section: "sandbox: recycle",
  }),
  removeBackgroundJobs: defineEndpoint({
    ...UNCALLED,
    method: "DELETE",
    path: "/api/v0/machines/{id}/defjob",
    reply: z.object({ success: any, machine_id: any, user_id: any }),
    gap: 1.2,
    section: "sandbox: remove background jobs",
  }),
  listEndpoints: defineEndpoint({
    ...UNCALLED,
    method: "GET",
    path: "/api/v0/endptjobs/",
    reply: z.object({ success: any, results: list }),
    gap: 3,
    section: "sandbox: endpoints",
  }),
  createEndpoint: defineEndpoint({
    ...UNCALLED,
    method: "POST",
    path: "/api/v0/endptjobs/",
    reply: z.object({ success: any, result: any }),
    gap: 4,
    section: "sandbox: endpoints",
  }),
  changeEndpoint: defineEndpoint({
    ...UNCALLED,
    method: "PUT",
    path: "/api/v0/endptjobs/{id}/",
    reply: done,
    gap: 2,
    section: "sandbox: endpoints",
  }),
  deleteEndpoint: defineEndpoint({
    ...UNCALLED,
    method: "DELETE",
    path: "/api/v0/endptjobs/{id}/",
    reply: done,
    gap: 3,
    section: "sandbox: delete endpoint, with its workergroups",
  }),
  deleteWorkergroup: defineEndpoint({
    ...UNCALLED,
    method: "DELETE",
    path: "/api/v0/autojobs/{id}/",
    reply: done,
    gap: 3,
    section: "sandbox: delete workergroup",
  }),
} as const;

export const routes = { ...endpoints, ...commandLineRoutes } as const;

export type RouteName = keyof typeof routes;
