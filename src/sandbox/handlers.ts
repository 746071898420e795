// One handler for every row of the endpoint table: a row without one does not compile.
import type * as z from "zod";
import type { EndpointName, endpoints } from "../api/endpoints.ts";
import type { Permission } from "./account.ts";
import { createInstance } from "./create-instance.ts";
import { readFilterText } from "./filters.ts";
import { listInstances } from "./instance-list.ts";
import { searchOffers } from "./offer-search.ts";
import { fingerprint, round } from "./random.ts";
import { Refusal } from "./refusal.ts";
import { TEMPLATE_KINDS, templateRecord } from "./templates.ts";
import type { World } from "./world.ts";

type Row<Name extends EndpointName> = (typeof endpoints)[Name];

export interface Call<Name extends EndpointName> {
  readonly world: World;
  /** The `{id}` of the path: a positive integer. */
  readonly id: Row<Name>["path"] extends `${string}{id}${string}` ? number : undefined;
  readonly query: Readonly<Record<string, string>>;
  /** As it was sent; undefined where nothing was. */
  readonly body: unknown;
}

/** What the table says of an answer; a field that may hold anything may also be missing. */
type Typed<Reply> = { readonly [Field in keyof Reply as unknown extends Reply[Field] ? never : Field]: Reply[Field] };

/** Answers with the body of a 200. @throws Refusal for everything else. */
export type Handler<Name extends EndpointName> = (
  call: Call<Name>,
) => Typed<z.input<Row<Name>["reply"]>> & Readonly<Record<string, unknown>>;

export type Handlers = { readonly [Name in EndpointName]: Handler<Name> };

/** What a key must be allowed beyond being valid (interface 5, rule 3). */
export const NEEDS: { readonly [Name in EndpointName]?: Permission } = {
  searchTemplates: "user_read",
};

export const handlers: Handlers = {
  searchOffers: ({ world, body }) => ({
    success: true,
    offers: searchOffers(
      { offers: world.offers, isRentable: (offer) => world.isRentable(offer), now: world.now() },
      body,
    ),
  }),

  createInstance: ({ world, id, body }) => {
    const instance = createInstance(world, id, body);
    const key = fingerprint(`${world.apiKey}/${instance.id}`).toString(16).padStart(8, "0").repeat(5);
    return { success: true, new_contract: instance.id, instance_api_key: key };
  },

  getInstance: ({ world, id }) => {
    world.settle();
    const instance = world.instance(id);
    return { instances: instance ? world.record(instance) : null };
  },

  listInstances: ({ world, query }) => {
    world.settle();
    return listInstances(
      world.instances().map((instance) => world.record(instance)),
      query,
    );
  },

  destroyInstance: ({ world, id }) => {
    if (!world.destroy(id))
      throw new Refusal(404, "no_such_instance", `error 404/3592: no_such_instance Instance ${id} does not exist.`);
    return { success: true, msg: `Destroyed instance ${id}.` };
  },

  searchTemplates: ({ world, query }) => {
    const found = world.templates.search(readFilterText("select_filters", query.select_filters, TEMPLATE_KINDS));
    if (found.length === 0) return { success: false, msg: "No templates found" };
    return { success: true, templates_found: found.length, templates: found.map(templateRecord) };
  },

  getCurrentUser: ({ world }) => {
    const { account } = world;
    return {
      id: account.id,
      email: account.email,
      username: account.username,
      credit: round(world.credit(), 6),
      balance: 0,
      balance_threshold: 0,
      can_pay: true,
      has_billing: true,
      email_verified: true,
      ssh_key: account.sshKeys[0] ?? null,
    };
  },
};
