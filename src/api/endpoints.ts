// The interface as data: one row an endpoint. Client types, pacing, repeat permission and the sandbox's router follow from it.
import * as z from "zod";
import { WireId } from "../domain/id.ts";
import { CreateInstanceBody } from "../domain/launch-plan.ts";
import { SearchOffersBody } from "../domain/offer-search.ts";
import { endpoint } from "./endpoint.ts";

/** A list a server may send as null or leave out. */
const list = z.array(z.unknown()).nullish();
const JsonText = z.string().refine((text) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
});

const TemplateQuery = z.object({ select_filters: JsonText });
const InstancesQuery = z.object({
  limit: z.string().regex(/^\d+$/).optional(),
  after_token: z.string().optional(),
  select_filters: JsonText.optional(),
}) as z.ZodType<Record<string, string>>;

export const endpoints = {
  searchOffers: endpoint({
    method: "POST",
    path: "/api/v0/bundles/",
    body: SearchOffersBody,
    reply: z.object({ offers: list }),
    repeat: "safe",
    gap: 2,
    within: 30,
    shown: true,
    section: "4.2",
  }),
  createInstance: endpoint({
    method: "PUT",
    path: "/api/v0/asks/{id}/",
    body: CreateInstanceBody,
    reply: z.object({
      success: z.unknown().optional(),
      new_contract: z.unknown().optional(),
      msg: z.unknown().optional(),
    }),
    falseIsAnswer: true,
    repeat: "once",
    gap: 4.5,
    within: 150,
    shown: true,
    section: "4.3",
  }),
  getInstance: endpoint({
    method: "GET",
    path: "/api/v0/instances/{id}/",
    reply: z.object({ instances: z.unknown().optional() }),
    repeat: "safe",
    gap: 2,
    within: 30,
    shown: true,
    section: "4.4",
  }),
  searchTemplates: endpoint({
    method: "GET",
    path: "/api/v0/template/",
    query: TemplateQuery,
    reply: z.object({ success: z.unknown().optional(), templates: list }),
    falseIsAnswer: true,
    repeat: "safe",
    gap: 1.9,
    within: 30,
    shown: true,
    section: "4.5",
  }),
  listInstances: endpoint({
    method: "GET",
    path: "/api/v1/instances/",
    query: InstancesQuery,
    reply: z.object({
      success: z.unknown().optional(),
      instances: z.array(z.unknown()),
      instances_found: z.int().nonnegative().optional().catch(undefined),
      next_token: z.string().nullish(),
    }),
    repeat: "safe",
    gap: 1,
    within: 30,
    shown: false,
    section: "extra: list instances, 25 a page",
  }),
  destroyInstance: endpoint({
    method: "DELETE",
    path: "/api/v0/instances/{id}/",
    reply: z.object({ success: z.unknown().optional(), msg: z.unknown().optional() }),
    repeat: "once",
    gap: 3,
    within: 60,
    shown: false,
    section: "extra: destroy instance",
  }),
  getCurrentUser: endpoint({
    method: "GET",
    path: "/api/v0/users/current/",
    reply: z.object({
      id: WireId.optional().catch(undefined),
      email: z.string().optional().catch(undefined),
      username: z.string().optional().catch(undefined),
      credit: z.number().optional().catch(undefined),
    }),
    repeat: "safe",
    gap: 1,
    within: 30,
    shown: false,
    section: "extra: current user",
  }),
} as const;

export type EndpointName = keyof typeof endpoints;
