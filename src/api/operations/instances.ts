// Operations on offers and instances (interface 4.2 to 4.4, and the extras around them).

import { AppError } from "../../domain/base/error.ts";
import { InstanceId, type OfferId } from "../../domain/base/id.ts";
import { type Row, type Rows, readRows } from "../../domain/base/wire.ts";
import { Instance } from "../../domain/instance/instance.ts";
import type { CreateInstanceBody } from "../../domain/launch/create-request.ts";
import type { Filters } from "../../domain/offer/filter.ts";
import { type Offer, readOffer } from "../../domain/offer/offer.ts";
import type { SearchOffersBody } from "../../domain/offer/offer-search.ts";
import { rememberSecret, rememberSecretsIn } from "../../lib/redact.ts";
import type { Caller, Leave } from "../call.ts";
import { createRefusal, createUnconfirmed, createUnexpectedReply, hasError, isQueued } from "../reply.ts";
import { toJsonText } from "../request.ts";

export interface Created {
  /** Set if the service names an ID, whatever `success` says: then an instance was rented. */
  readonly instanceId: InstanceId | undefined;
  readonly success: boolean;
  /**
   * Why the service refused, if it names no ID. Likely true but not proven: the network may have repeated the request.
   */
  readonly refusal?: AppError;
}

export interface InstanceList extends Rows<Instance> {
  /** True if every page arrived and every record was readable. Only then does a missing row mean anything. */
  readonly complete: boolean;
}

/** `queued`: the service will do it when the GPU is free again. Stopping cancels it. */
export type StateChange = "done" | "queued";

/** A list takes a request for each page. */
export const INSTANCES_PER_PAGE = 25;
const MOST_PAGES = 400;

/** Reads instance records and remembers the secrets inside, so that no log or message ever shows one. */
function readInstances(records: readonly unknown[]): Rows<Instance> {
  const rows = readRows(Instance, records, (value) => value.id);
  for (const { value, raw } of rows.rows) {
    const { jupyter_token, instance_api_key } = raw;
    rememberSecretsIn({ jupyter_token, instance_api_key });
    rememberSecretsIn(Object.fromEntries(value.extra_env ?? []));
  }
  return rows;
}

/** The result of a call, or undefined if the service says that the instance doesn't exist. */
async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof AppError && error.kind === "not-found") return undefined;
    throw error;
  }
}

/** @throws AppError if a change was refused or isn't confirmed. */
function confirm(reply: { readonly success?: unknown; readonly error?: unknown; readonly msg?: unknown }): void {
  if (reply.success === false) throw createRefusal("updateInstance", reply);
  if (reply.success !== true || hasError(reply)) throw createUnconfirmed("updateInstance");
}

export function createInstanceOperations(caller: Caller) {
  return {
    /** Interface 4.2. Filters by field plus `type`, `limit`, `order`, `allocated_storage`. */
    async searchOffers(body: SearchOffersBody, signal?: AbortSignal): Promise<Rows<Offer>> {
      const reply = await caller.call("searchOffers", { body, signal });
      return readRows(readOffer, reply.offers, (offer) => offer.id);
    },

    /** Interface 4.3. Sent once, on a connection of its own; `outcome-unknown` if no one can tell. */
    async createInstance(offerId: OfferId, body: CreateInstanceBody, leave: Leave = {}): Promise<Created> {
      const [, token] = / -p (\S+)/.exec(body.image_login ?? "") ?? [];
      if (token !== undefined) rememberSecret(token);
      rememberSecretsIn(body.env ?? {});
      const reply = await caller.call("createInstance", { id: offerId, body, ...leave });
      const { data: instanceId } = InstanceId.safeParse(reply.new_contract);
      const created: Created = { instanceId, success: reply.success === true };
      const isRefused = instanceId === undefined && (reply.success === false || hasError(reply));
      return isRefused ? { ...created, refusal: createRefusal("createInstance", reply) } : created;
    },

    /**
     * Interface 4.4. Undefined only if the service says that it no longer knows this instance: by `instances: null`, or
     * by a 404 that names it. @throws AppError `unexpected-reply` for anything that could come from a gateway.
     */
    async getInstance(id: InstanceId, signal?: AbortSignal): Promise<Row<Instance> | undefined> {
      const reply = await unlessGone(caller.call("getInstance", { id, signal }));
      if (reply === undefined || reply.instances === null) return undefined;
      const [row] = readInstances([reply.instances]).rows;
      if (row?.value.id !== id) throw createUnexpectedReply("getInstance", reply);
      return row;
    },

    /**
     * Extra. All pages of the account's instances. Without the newer list, the older one, which has no pages or
     * filters.
     */
    async listInstances(filters: Filters | undefined, signal?: AbortSignal): Promise<InstanceList> {
      try {
        return await readPages(caller, filters, signal);
      } catch (error) {
        if (!(error instanceof AppError && error.kind === "unsupported")) throw error;
        const reply = await caller.call("listInstancesV0", { signal });
        const rows = readInstances(reply.instances);
        const found = reply.instances_found ?? rows.rows.length;
        return { ...rows, complete: rows.unreadable === 0 && rows.rows.length >= found };
      }
    },
  };
}

/** What is done with one instance. */
export function createInstanceOrderOperations(caller: Caller) {
  return {
    /** Extra. Sent once. `missing`: the service says that it has no such instance. */
    async destroyInstance(id: InstanceId, leave?: Leave): Promise<"done" | "missing"> {
      return (await unlessGone(caller.call("destroyInstance", { id, ...leave }))) === undefined ? "missing" : "done";
    },

    /** Extra. Starts or stops; a start may be queued. */
    async setInstanceState(id: InstanceId, state: "running" | "stopped", leave?: Leave): Promise<StateChange> {
      const reply = await caller.call("updateInstance", { id, body: { state }, ...leave });
      if (reply.success === false && isQueued(reply)) return "queued";
      confirm(reply);
      return "done";
    },

    /** Extra. At most 1,024 characters. */
    async labelInstance(id: InstanceId, label: string): Promise<void> {
      const reply = await caller.call("updateInstance", { id, body: { label } });
      confirm(reply);
    },

    /** Extra. Keeps the machine; its programs restart. */
    async rebootInstance(id: InstanceId): Promise<void> {
      await caller.call("rebootInstance", { id, body: {} });
    },

    /** Extra. Dollars per hour for the whole machine; interruptible instances only. */
    async changeBid(id: InstanceId, price: number): Promise<void> {
      await caller.call("changeBid", { id, body: { price } });
    },
  };
}

/** An instance that ends while pages are read moves the others up: one may be on no page. Then all are read once more. */
async function readPages(...given: Parameters<typeof readPagesOnce>): Promise<InstanceList> {
  const { hasMoved, ...list } = await readPagesOnce(...given);
  if (!hasMoved) return list;
  const { hasMoved: _, ...again } = await readPagesOnce(...given);
  return again;
}

/**
 * Reads page after page. Complete only if the service says that it was the last page, nothing is missing, and the total stayed the same.
 * `hasMoved`: it didn't.
 */
async function readPagesOnce(
  caller: Caller,
  filters: Filters | undefined,
  signal: AbortSignal | undefined,
): Promise<InstanceList & { readonly hasMoved: boolean }> {
  const records: unknown[] = [];
  const seen = new Set<string>();
  const select = filters && { select_filters: toJsonText("listInstances", "select_filters", filters) };
  let [isHonest, isAtEnd, hasMoved] = [true, false, false];
  let total: number | undefined;
  for (let after: string | undefined; seen.size < MOST_PAGES && !isAtEnd; ) {
    const query = {
      limit: String(INSTANCES_PER_PAGE),
      ...(after === undefined ? {} : { after_token: after }),
      ...select,
    };
    const reply = await caller.call("listInstances", { query, signal });
    const { instances, instances_found: found = instances.length, next_token: next } = reply;
    for (const record of instances) records.push(record);
    isHonest &&= reply.success === true && found === instances.length;
    const said = reply.total_instances;
    hasMoved ||= total !== undefined && said !== undefined && total !== said;
    total = said;
    // Without a total, a page without a token isn't necessarily the last.
    isAtEnd = next === null || (next === undefined && total !== undefined);
    // An empty or repeated token leads nowhere.
    if (!next || seen.has(next)) break;
    seen.add(next);
    after = next;
  }
  const rows = readInstances(records);
  const isWhole = isAtEnd && rows.rows.length >= (total ?? 0);
  return { ...rows, complete: isHonest && isWhole && !hasMoved && rows.unreadable === 0, hasMoved };
}
