// Handlers for offers and instances: search, rent, read, change, destroy, logs (interface 4.2 to 4.4 and extras).
import { randomUUID } from "node:crypto";
import { checkField, checkNumber, checkText, countCharacters, readJsonObject } from "../base/checks.ts";
import { buildErrorBody, Refusal } from "../base/refusal.ts";
import type { StoredInstance } from "../world/instance.ts";
import { rebootInstance } from "../world/lifecycle.ts";
import type { World } from "../world/world.ts";
import { createInstance } from "./create-instance.ts";
import type { Call, Handlers } from "./handler.ts";
import { listInstances } from "./instance-list.ts";
import {
  answerRestart,
  destroyAll,
  destroyInstance,
  requireInstance,
  setState,
  setStateOfAll,
} from "./instance-state.ts";
import { formatLog } from "./logs.ts";
import { findOffers } from "./offer-search.ts";
import { attachKey, toSshKeyRecord } from "./ssh-keys.ts";

const MOST_LOGS = 100;

function setLabel(instance: StoredInstance, label: unknown): Readonly<Record<string, unknown>> {
  if (typeof label === "string" && countCharacters(label) > 1024)
    throw new Refusal(400, "label_too_long", "label must be a string of at most 1024 characters");
  checkField("label", label, checkText(1024));
  instance.label = label === "" ? null : String(label);
  return { success: true };
}

/** Without a price, the bid becomes the currently winning one, as at public services. */
function changeBid(world: World, instance: StoredInstance, given: unknown): void {
  const most = 32 * instance.offer.gpuIds.length;
  const price = readJsonObject(given).price ?? world.calculateBidPrice(instance.offer);
  if (instance.type === "ondemand") throw new Refusal(400, "invalid_args", "Can't change price of on-demand contract.");
  const check = checkNumber(
    `a number of dollars an hour, 0.001 to ${most}`,
    (value) => value >= 0.001 && value <= most,
  );
  checkField("price", price, check, "invalid_price");
  instance.gpuPrice = Number(price);
  world.settle();
}

function requestLogs({ world, id, body, origin }: Call<"requestLogs">) {
  const instance = world.findInstance(id);
  if (instance === undefined) throw new Refusal(404, "invalid_id", `Invalid instance id ${id}`);
  const { tail, filter, daemon_logs } = body === undefined || body === null ? {} : readJsonObject(body);
  if (tail !== undefined && tail !== null && !/^\d+$/.test(String(tail)))
    throw new Refusal(400, "invalid_args", "tail must be a number of lines");
  const token = randomUUID();
  const lines = tail === undefined || tail === null ? 1000 : Number(tail);
  const filtered = typeof filter === "string" ? filter : "";
  world.logs.set(
    token,
    formatLog(instance, { now: world.getNow(), lines, filter: filtered, daemon: daemon_logs === "true" }),
  );
  const [oldest] = world.logs.keys();
  if (world.logs.size > MOST_LOGS && oldest !== undefined) world.logs.delete(oldest);
  return { success: true, result_url: `${origin}/logs/${token}`, msg: "Logs are being fetched" };
}

const records = (world: World) => world.listInstances().map((instance) => world.toRecord(instance));

export const instanceHandlers = {
  searchOffers: ({ world, body }) => ({ success: true, offers: findOffers(world, body) }),

  createInstance: ({ world, id, body }) => {
    const instance = createInstance(world, id, body);
    return { success: true, new_contract: instance.id, instance_api_key: world.getInstanceKey(instance) };
  },

  getInstance: ({ world, id }) => {
    const instance = world.findInstance(id);
    return { instances: instance ? world.getDating()(world.toRecord(instance)) : null };
  },

  listInstances: ({ world, query }) => listInstances(records(world), query, world.getDating()),

  listInstancesV0: ({ world }) => {
    if (!world.oldAccount)
      throw new Refusal(410, "deprecated_endpoint", "This endpoint is deprecated. Use GET /api/v1/instances/");
    const instances = records(world).map(world.getDating());
    return { success: true, instances_found: instances.length, instances };
  },

  destroyInstance: ({ world, id }) => destroyInstance(world, id),

  destroyInstances: ({ world, body }) => destroyAll(world, body),

  setInstancesState: ({ world, body }) => setStateOfAll(world, body),

  updateInstance: ({ world, id, body }) => {
    const { state, label } = readJsonObject(body);
    const instance = requireInstance(world, id);
    if (state !== undefined && state !== null) return setState(world, instance, state);
    if (label !== undefined && label !== null) return setLabel(instance, label);
    throw new Refusal(400, "invalid_args", "state or label is required");
  },

  rebootInstance: ({ world, id }) => answerRestart(world, id, rebootInstance),

  changeBid: ({ world, id, body }) => {
    changeBid(world, requireInstance(world, id), body);
    return { success: true };
  },

  requestLogs,

  attachSshKey: ({ world, id, body }) => {
    const key = attachKey(requireInstance(world, id), body);
    if (key === undefined) return { ...buildErrorBody("already_attached", "This SSH key is already on the instance") };
    return { success: true, msg: "SSH key attached", key: JSON.stringify(toSshKeyRecord(world, key)) };
  },

  listInstanceSshKeys: ({ world, id }) => {
    const records = requireInstance(world, id).sshKeys.map((key) => toSshKeyRecord(world, key));
    // A list inside a text, as public services send it.
    return { success: true, ssh_keys: JSON.stringify(records) };
  },
} satisfies Partial<Handlers>;
