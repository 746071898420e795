// The account's serverless endpoints in the sandbox's world, and the workergroups on them. Nothing runs on either.
import { type Check, checkNumber, checkOneOf, checkText, readFields } from "../base/checks.ts";
import { Refusal } from "../base/refusal.ts";
import { formatEndpointKey } from "./webhooks.ts";

type Row = Record<string, unknown>;

const amount = checkNumber("a number, 0 or more", (value) => Number.isFinite(value) && value >= 0);
const workers = checkNumber(
  "a whole number of workers, 0 or more",
  (value) => Number.isSafeInteger(value) && value >= 0,
);

/** What can be set, in the order in which it is listed. */
const CHECKS: Readonly<Record<string, Check>> = {
  min_load: amount,
  min_cold_load: amount,
  target_util: checkNumber("a fraction above 0, at most 1", (value) => value > 0 && value <= 1),
  cold_mult: amount,
  cold_workers: workers,
  max_workers: workers,
  max_queue_time: amount,
  target_queue_time: amount,
  endpoint_name: checkText(255, 1),
  endpoint_state: checkOneOf(["active", "suspended", "stopped"]),
  inactivity_timeout: amount,
};

const DEFAULTS: Readonly<Row> = {
  min_load: 0,
  min_cold_load: 0,
  target_util: 0.9,
  cold_mult: 2.5,
  cold_workers: 5,
  max_workers: 20,
  max_queue_time: 30,
  target_queue_time: 10,
  endpoint_name: "default-endpoint",
  endpoint_state: "active",
  inactivity_timeout: null,
};

export class EndpointStore {
  readonly #seed: number;
  readonly #userId: number;
  readonly #workergroups: Row[];
  readonly #endpoints = new Map<number, Row>();
  #next = 3400;

  /** The endpoints of these workergroups, which are deleted with them. */
  constructor(seed: number, userId: number, workergroups: Row[]) {
    this.#seed = seed;
    this.#userId = userId;
    this.#workergroups = workergroups;
    for (const { endpoint_id, endpoint_name, created_at } of workergroups)
      if (!this.#endpoints.has(Number(endpoint_id)))
        this.#put(Number(endpoint_id), { endpoint_name }, Number(created_at));
  }

  #put(id: number, settings: Readonly<Row>, createdAt: number): void {
    const rest = { api_key: formatEndpointKey(this.#seed, id), user_id: this.#userId, created_at: createdAt };
    this.#endpoints.set(id, { id, ...DEFAULTS, ...settings, ...rest });
  }

  #find(id: number): Row {
    const endpoint = this.#endpoints.get(id);
    if (endpoint) return endpoint;
    throw new Refusal(404, "not_found", `Endpoint ${id} for user ${this.#userId} not found.`);
  }

  /** @throws Refusal 400 if there is none, as at public services. */
  list(): readonly Row[] {
    if (this.#endpoints.size === 0)
      throw new Refusal(400, "invalid_args", `No endpoints for user ${this.#userId} found.`);
    return [...this.#endpoints.values()];
  }

  /** The ID of a new endpoint. `now` is UTC epoch seconds. @throws Refusal 400 naming the field. */
  create(body: Readonly<Row>, now: number): number {
    const settings = readFields(body, CHECKS);
    this.#next += 1;
    this.#put(this.#next, settings, Math.floor(now));
    return this.#next;
  }

  /** Sets what the body has. @throws Refusal 400 naming the field, 404 for an unknown endpoint. */
  change(id: number, body: Readonly<Row>): void {
    const { endpoint_name } = Object.assign(this.#find(id), readFields(body, CHECKS));
    for (const group of this.#workergroups) if (group.endpoint_id === id) group.endpoint_name = endpoint_name;
  }

  /** Deletes an endpoint with its workergroups. @throws Refusal 404. */
  delete(id: number): void {
    this.#find(id);
    this.#endpoints.delete(id);
    for (const group of this.#workergroups.filter((one) => one.endpoint_id === id)) this.deleteWorkergroup(group.id);
  }

  /** @throws Refusal 404. */
  deleteWorkergroup(id: unknown): void {
    const place = this.#workergroups.findIndex((one) => one.id === id);
    if (place < 0) throw new Refusal(404, "no_such_autojob", "No autojob by that id is available.");
    this.#workergroups.splice(place, 1);
  }
}
