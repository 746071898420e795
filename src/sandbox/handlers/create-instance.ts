// Create instance (interface 4.3): decides whether an offer can be rented, then creates the instance.

import { Refusal } from "../base/refusal.ts";
import type { MarketOffer } from "../market/market.ts";
import { toConfiguration } from "../world/configuration.ts";
import type { StoredInstance } from "../world/instance.ts";
import { toBootFate } from "../world/registries.ts";
import type { StoredTemplate } from "../world/templates.ts";
import { createBootTimeline } from "../world/timeline.ts";
import type { World } from "../world/world.ts";
import { readCreateRequest } from "./create-request.ts";

type Request = Readonly<Record<string, unknown>>;

function findTemplate(world: World, hash: unknown): StoredTemplate | undefined {
  if (typeof hash !== "string") return undefined;
  const template = world.templates.findByHash(hash);
  if (template === undefined)
    throw new Refusal(404, "no_such_template", `No template has the template_hash_id ${hash}`);
  return template;
}

/** With `cancel_unavail`: a 410 at once instead of an instance that waits (interface 4.3). */
function unavailable(why: string): Refusal {
  return new Refusal(410, "no_such_ask", `error 410/3603: no_such_ask ${why}`);
}

function findOffer(world: World, id: number, request: Request): MarketOffer {
  const offer = world.findOffer(id);
  if (offer === undefined)
    throw new Refusal(404, "invalid_args", `error 404/3603: no_such_ask Instance type by id ${id} is not available.`);
  if (offer.fate !== "gone" && world.isRentable(offer)) return offer;
  if (request.cancel_unavail === true) throw unavailable(`Ask by id ${id} is no longer available.`);
  throw new Refusal(404, "invalid_args", `error 404/3603: no_such_ask Instance type by id ${id} is not available.`);
}

/** Public clients' names for the interruptible market. */
const BID_TYPES: readonly unknown[] = ["bid", "interruptible"];

/**
 * Dollars per hour; undefined for on-demand. A bid without a price becomes the currently winning bid, as at public
 * services.
 */
function bidOf(world: World, offer: MarketOffer, request: Request): number | undefined {
  if (typeof request.price === "number") return request.price;
  return BID_TYPES.includes(request.type) ? (world.calculateBidPrice(offer) ?? undefined) : undefined;
}

function checkAgainstOffer(offer: MarketOffer, request: Request, disk: number): void {
  if (disk > offer.machine.disk)
    throw new Refusal(400, "invalid_args", `disk must be at most ${offer.machine.disk} GB, what this offer has`);
  if (offer.minBid !== null) return;
  if (request.price !== undefined)
    throw new Refusal(400, "invalid_price", "price must be left out: this offer is not interruptible");
  if (BID_TYPES.includes(request.type))
    throw new Refusal(400, "invalid_price", "type must be ondemand: this offer is not interruptible");
}

function checkAccount(world: World, request: Request): void {
  if (world.calculateCredit() <= 0)
    throw new Refusal(400, "insufficient_credit", "You lack credit. Add some to the account to rent.");
  if (request.vm === true && world.account.sshKeys.length === 0)
    throw new Refusal(400, "no_ssh_key_for_vm", "vm needs an SSH key registered before the instance is created");
}

/**
 * Rents the offer. A bid below the offer's minimum creates an instance that waits for its GPU instead of starting, or
 * is refused if `cancel_unavail` is set.
 * @throws Refusal 400 for the request, the disk, the price or the credit, 404 or 410 for a missing offer or template.
 */
export function createInstance(world: World, offerId: number, body: unknown): StoredInstance {
  const request = readCreateRequest(body);
  const template = findTemplate(world, request.template_hash_id);
  const offer = findOffer(world, offerId, request);
  const configuration = toConfiguration(template, request);
  checkAgainstOffer(offer, request, configuration.disk);
  checkAccount(world, request);
  world.overlays.checkJoin(configuration.env, offer.machine, request.vm === true);
  const bid = bidOf(world, offer, request);
  const outbid = bid !== undefined && bid < (world.calculateBidPrice(offer) ?? 0);
  const intended = request.target_state === "stopped" ? "stopped" : "running";
  const { image, runtype } = configuration;
  const fate = toBootFate(configuration, offer.fate);
  const aim = intended === "running" && outbid ? "queued" : intended;
  if (aim === "queued" && request.cancel_unavail === true)
    throw unavailable(
      `Ask by id ${offerId} cannot start now: the bid is below $${world.calculateBidPrice(offer)} per hour.`,
    );
  const instance = world.create({
    offer,
    type: bid === undefined ? "ondemand" : "bid",
    configuration,
    template: template && { id: template.id, hash_id: template.hash_id, name: template.name },
    gpuPrice: bid ?? offer.price,
    volume: world.volumes.attach(configuration.volume, offer.machine, world.getNow()),
    vm: request.vm === true,
    sshKeys: world.account.sshKeys,
    label: typeof request.label === "string" ? request.label : null,
    intended,
    held: aim === "running",
    timeline: createBootTimeline({ from: world.getNow(), image, runtype, fate, aim, speed: world.bootSpeed }),
  });
  if (template) {
    template.count_created += 1;
    template.recent_create_date = instance.createdAt;
  }
  return instance;
}
