// The interface as functions. createClient() runs in plain Node and knows nothing of an editor.
import { AppError } from "../domain/error.ts";
import type { Filters } from "../domain/filter.ts";
import { InstanceId, type OfferId } from "../domain/id.ts";
import { Instance } from "../domain/instance.ts";
import type { CreateInstanceBody } from "../domain/launch-plan.ts";
import { Offer } from "../domain/offer.ts";
import type { SearchOffersBody } from "../domain/offer-search.ts";
import { Template } from "../domain/template.ts";
import { type Row, type Rows, readRows } from "../domain/wire.ts";
import { t } from "../lib/text.ts";
import { Caller, type ClientOptions } from "./call.ts";

export type { ClientOptions } from "./call.ts";
export type Client = ReturnType<typeof createClient>;

export interface Created {
  /** Present as soon as the service names an id, whatever its `success` says: then something was rented. */
  readonly instanceId: InstanceId | undefined;
  readonly success: boolean;
}

export interface Account {
  readonly id: number | undefined;
  readonly name: string | undefined;
  /** Dollars left. */
  readonly credit: number | undefined;
}

export interface InstanceList extends Rows<Instance> {
  /** True where every page came and every record could be read: only then does a missing row mean anything. */
  readonly complete: boolean;
}

/** Pages are followed this far; 25 instances a page. */
const MOST_PAGES = 400;

/** All operations reject with AppError and take an AbortSignal. @throws AppError `rejected` for a bad address or key. */
export function createClient(options: ClientOptions) {
  const caller = new Caller(options);
  const instance = (raw: unknown) => readRows(Instance, [raw], (value) => value.id).rows[0];

  return {
    /** Interface 4.2. Filters by field plus `type`, `limit`, `order`, `allocated_storage`. */
    async searchOffers(body: SearchOffersBody, signal?: AbortSignal): Promise<Rows<Offer>> {
      const reply = await caller.call("searchOffers", { body, signal });
      return readRows(Offer, reply.offers ?? [], (offer) => offer.id);
    },

    /** Interface 4.3. Sent one time, on a connection of its own; `outcome-unknown` where nobody can tell. */
    async createInstance(offerId: OfferId, body: CreateInstanceBody): Promise<Created> {
      const reply = await caller.call("createInstance", { id: offerId, body });
      const id = InstanceId.safeParse(reply.new_contract);
      return { instanceId: id.data, success: reply.success === true };
    },

    /** Interface 4.4. Undefined where the service no longer knows the instance. */
    async getInstance(id: InstanceId, signal?: AbortSignal): Promise<Row<Instance> | undefined> {
      try {
        return instance((await caller.call("getInstance", { id, signal })).instances);
      } catch (error) {
        if (error instanceof AppError && (error.kind === "not-found" || error.kind === "gone")) return undefined;
        throw error;
      }
    },

    /** Interface 4.5. Needs the permission `user_read`. */
    async searchTemplates(filters: Filters, signal?: AbortSignal): Promise<Rows<Template>> {
      const query = { select_filters: JSON.stringify(filters) };
      const reply = await caller.call("searchTemplates", { query, signal });
      return readRows(Template, reply.templates ?? [], (template) => template.hash_id);
    },

    /** Extra. All pages of the account's instances. */
    async listInstances(filters: Filters | undefined, signal?: AbortSignal): Promise<InstanceList> {
      const records: unknown[] = [];
      let token: string | undefined;
      let honest = true;
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const query = {
          limit: "25",
          ...(token === undefined ? {} : { after_token: token }),
          ...(filters === undefined ? {} : { select_filters: JSON.stringify(filters) }),
        };
        const reply = await caller.call("listInstances", { query, signal });
        records.push(...reply.instances);
        honest &&=
          reply.success === true && (reply.instances_found ?? reply.instances.length) === reply.instances.length;
        token = reply.next_token ?? undefined;
        if (token === undefined) break;
      }
      const rows = readRows(Instance, records, (value) => value.id);
      return { ...rows, complete: honest && token === undefined && rows.unreadable === 0 };
    },

    /** Extra. Sent one time. Already gone counts as done. */
    async destroyInstance(id: InstanceId): Promise<void> {
      try {
        await caller.call("destroyInstance", { id });
      } catch (error) {
        if (!(error instanceof AppError && error.kind === "not-found")) throw error;
      }
    },

    /** Extra. Whose key this is. */
    async getCurrentUser(signal?: AbortSignal): Promise<Account> {
      const { id, username, email, credit } = await caller.call("getCurrentUser", { signal });
      if (id === undefined)
        throw new AppError("unexpected-reply", t("The service did not say whose key this is."), {
          operation: "getCurrentUser",
        });
      return { id, name: username ?? email, credit };
    },

    close: () => caller.close(),
  };
}
