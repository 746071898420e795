// Finds, starts, stops and destroys instances, one at a time or several in one request (extras).
import { readJsonObject } from "../base/checks.ts";
import { buildErrorBody, Refusal } from "../base/refusal.ts";
import type { StoredInstance } from "../world/instance.ts";
import type { World } from "../world/world.ts";

type Said = Readonly<Record<string, unknown>>;

/** The maximum number of instances per request at public services. */
const MOST_AT_ONCE = 64;

/** @throws Refusal 404 `no_such_instance`. */
export function requireInstance(world: World, id: number): StoredInstance {
  const instance = world.findInstance(id);
  if (instance) return instance;
  throw new Refusal(404, "no_such_instance", `error 404/3592: no_such_instance Instance ${id} does not exist.`);
}

export function destroyInstance(world: World, id: number): Said {
  requireInstance(world, id);
  world.destroy(id);
  return { success: true, msg: `Destroyed instance ${id}.` };
}

/** Like public services, refuses with a 200 to restart an instance whose container doesn't run. */
export function answerRestart(world: World, id: number, work: (instance: StoredInstance, now: number) => void): Said {
  const instance = requireInstance(world, id);
  try {
    work(instance, world.getNow());
    return { success: true };
  } catch (error) {
    if (error instanceof Refusal) return { ...buildErrorBody(error.code, error.message) };
    throw error;
  }
}

function readState(state: unknown): "running" | "stopped" {
  if (state === "running" || state === "stopped") return state;
  throw new Refusal(400, "invalid_args", "Invalid target state");
}

/** A start is queued if its GPU is taken. Public services report that with `success` false. @throws Refusal 400. */
export function setState(world: World, instance: StoredInstance, given: unknown): Said {
  if (readState(given) === "stopped") {
    world.stop(instance);
    return { success: true };
  }
  if (world.calculateCredit() <= 0)
    throw new Refusal(400, "missing_billing", "You lack credit. Add some to the account to start an instance.");
  if (world.start(instance)) return { success: true };
  const msg = "Required resources are currently unavailable, state change queued.";
  return { ...buildErrorBody("resources_unavailable", msg) };
}

/** @throws Refusal 400 unless it is a list of 1 to 64 IDs of what is named. */
export function readIds(field: string, given: unknown, what = "instance"): number[] {
  const isId = (id: unknown) => Number.isSafeInteger(id) && Number(id) > 0;
  if (!Array.isArray(given) || given.length === 0 || given.length > MOST_AT_ONCE || !given.every(isId))
    throw new Refusal(400, "invalid_args", `${field} must be a list of 1 to ${MOST_AT_ONCE} ${what} ids`);
  return [...new Set(given as number[])];
}

/** Applies an action to each ID, and says what became of it. A refusal for one doesn't affect the others. */
export function carryOutEach(ids: readonly number[], work: (id: number) => Said, name = "id") {
  const results = ids.map((id): Said => {
    try {
      return { [name]: id, ...work(id) };
    } catch (error) {
      if (error instanceof Refusal) return { [name]: id, ...buildErrorBody(error.code, error.message) };
      throw error;
    }
  });
  return { success: results.every((one) => one.success === true), results };
}

/** @throws Refusal 400 for an invalid list. */
export function destroyAll(world: World, body: unknown) {
  return carryOutEach(readIds("instance_ids", readJsonObject(body).instance_ids), (id) => destroyInstance(world, id));
}

/** @throws Refusal 400 for an invalid list or state. */
export function setStateOfAll(world: World, body: unknown) {
  const { ids, state } = readJsonObject(body);
  const wanted = readState(state);
  return carryOutEach(readIds("ids", ids), (id) => setState(world, requireInstance(world, id), wanted));
}
