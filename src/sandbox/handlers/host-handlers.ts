// Handlers for hosts and volumes: background jobs, unlisting, listing and searching volumes (interface 4.1, 4.9 and
// extras).

import { matchesFilters } from "../../domain/offer/filter.ts";
import { splitWords } from "../../lib/shell-words.ts";
import {
  type Check,
  checkEnvironment,
  checkField,
  checkFlag,
  checkNumber,
  checkText,
  checkWords,
  readJsonObject,
} from "../base/checks.ts";
import { type FieldKind, readFilters } from "../base/filters.ts";
import { isRecord, Refusal } from "../base/refusal.ts";
import { type StoredOverlay, toOverlayRecord } from "../world/overlays.ts";
import { toListingRecord, toVolumeRecord } from "../world/volumes.ts";
import type { World } from "../world/world.ts";
import type { Handlers } from "./handler.ts";
import { toHostMachineRecord } from "./host-machine.ts";

const price: Check = checkNumber("a number of dollars, 0 or more", (value) => Number.isFinite(value) && value >= 0);

const PRICES = ["price_gpu", "price_inetu", "price_inetd"] as const;
const OPTIONAL: Readonly<Record<string, Check>> = {
  args: checkWords,
  args_str: checkText(),
  use_ssh: checkFlag,
  onstart: checkText(),
  env: checkEnvironment,
};

function given(body: Readonly<Record<string, unknown>>, field: string): boolean {
  return body[field] !== undefined && body[field] !== null;
}

/** @throws Refusal 400 with the messages of interface 7. */
function checkJobs(body: Readonly<Record<string, unknown>>): void {
  if (!Number.isSafeInteger(body.machine))
    throw new Refusal(400, "invalid_args", "Missing or invalid machine id, must be integer");
  if (typeof body.image !== "string" || body.image === "")
    throw new Refusal(400, "invalid_args", "Missing or invalid image, must be string");
  if (given(body, "args") && given(body, "args_str"))
    throw new Refusal(400, "invalid_args", "Please only use args or args_str");
  for (const field of PRICES) checkField(field, body[field], price);
  for (const [field, check] of Object.entries(OPTIONAL)) if (given(body, field)) checkField(field, body[field], check);
  try {
    splitWords(typeof body.args_str === "string" ? body.args_str : "");
  } catch (error) {
    throw new Refusal(400, "invalid_args", `args_str cannot be parsed: ${(error as Error).message}`);
  }
}

const VOLUME_TYPES = ["local_volume", "network_volume", "all_volume"];

function listVolumes(world: World, type: string | undefined): Record<string, unknown>[] {
  if (type !== undefined && !VOLUME_TYPES.includes(type))
    throw new Refusal(400, "invalid_args", `type must be one of ${VOLUME_TYPES.join(", ")}`);
  const uses = (id: number) => world.listInstances().flatMap((one) => (one.volume?.id === id ? [one.id] : []));
  return world.volumes
    .list()
    .map((volume) => toVolumeRecord(volume, uses(volume.id)))
    .map(world.getDating())
    .filter((record) => type === undefined || type === "all_volume" || record.type === type);
}

const DEFAULT_LIMIT = 64;

function searchVolumes(world: World, body: unknown): Record<string, unknown>[] {
  const { limit, order: _, type: __, allocated_storage: storage, ...conditions } = readJsonObject(body ?? {});
  const records = world.volumes.listOffers().map(toListingRecord);
  const kinds = Object.fromEntries(
    Object.entries(records[0] ?? {}).map(([field, value]) => [
      field,
      field === "geolocation" ? "place" : (typeof value as FieldKind),
    ]),
  );
  const filters = readFilters(conditions, kinds);
  const read = (record: Record<string, unknown>, field: string) =>
    field === "geolocation" ? String(record[field]).slice(-2) : record[field];
  return records
    .filter((record) => given(conditions, "rentable") || record.rentable === true)
    .filter((record) => typeof storage !== "number" || Number(record.disk_space) >= storage)
    .filter((record) => matchesFilters(record, filters, read))
    .sort((a, b) => Number(a.storage_cost) - Number(b.storage_cost))
    .slice(0, Number.isInteger(limit) && Number(limit) > 0 ? Number(limit) : DEFAULT_LIMIT);
}

function membersOf(world: World, { id }: StoredOverlay): number[] {
  return world.listInstances().flatMap((one) => (world.overlays.listFor(one)?.id === id ? [one.id] : []));
}

export const hostHandlers = {
  createBackgroundJobs: ({ world, body: sent }) => {
    const body = readJsonObject(sent);
    checkJobs(body);
    const machine = Number(body.machine);
    // Not an HTTP error (interface 7).
    if (machine !== world.ownMachine.id)
      return { success: false, msg: "only the owner can create default bid contracts for a machine." };
    world.jobs.set(machine, body);
    return { success: true, machine_id: machine, user_id: world.account.id, you_sent: body };
  },

  unlistVolume: ({ world, body }) => {
    const id = isRecord(body) ? body.id : undefined;
    world.volumes.unlist(id);
    return { success: true, msg: `Unlisted Volume ${id}.` };
  },

  listVolumes: ({ world, query }) => ({ success: true, volumes: listVolumes(world, query.type) }),

  createVolume: ({ world, body }) => {
    if (world.calculateCredit() <= 0)
      throw new Refusal(400, "insufficient_credit", "You lack credit. Add some to the account to rent.");
    const { id } = world.volumes.create(readJsonObject(body), world.getNow());
    return { success: true, volume_name: `V.${id}` };
  },

  deleteVolume: ({ world, body, query }) => {
    // Public command lines put the ID into the address.
    const id = query.id === undefined ? readJsonObject(body).id : Number(query.id);
    world.volumes.delete(id, (volume) => world.listInstances().some((one) => one.volume?.id === volume.id));
    return { success: true, msg: `Deleted volume ${id}.` };
  },

  listOverlays: ({ world }) =>
    world.overlays.list().map((overlay) => toOverlayRecord(overlay, membersOf(world, overlay))),

  createOverlay: ({ world, body }) => {
    const clusters = new Set(world.offers.flatMap(({ machine }) => machine.clusterId ?? []));
    const { name } = world.overlays.create(readJsonObject(body), clusters);
    return { success: true, msg: `Created overlay ${name}.` };
  },

  deleteOverlay: ({ world, body }) => {
    const members = world.overlays.list().map((overlay) => ({ overlay, ids: membersOf(world, overlay) }));
    const deleted = world.overlays.delete(readJsonObject(body));
    for (const id of members.find(({ overlay }) => overlay.id === deleted.id)?.ids ?? []) world.destroy(id);
    return { success: true, msg: `Deleted overlay ${deleted.name} and its instances.` };
  },

  listMachines: ({ world }) => ({ success: true, machines: [toHostMachineRecord(world)].map(world.getDating()) }),

  searchVolumes: ({ world, body }) => ({ success: true, offers: searchVolumes(world, body) }),
} satisfies Partial<Handlers>;
