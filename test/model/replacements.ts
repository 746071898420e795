// Machines that die and are replaced on their own: one chain of launches, each with an intent of its own, within the
// person's policy (S1 and S2, test/model/README.md).
import type { InstanceId } from "../../src/domain/base/id.ts";
import { calculatePlanPrice, type LaunchPlan } from "../../src/domain/launch/launch-plan.ts";
import type { ReplacementPolicy } from "../../src/domain/launch/limits.ts";
import type { Offer } from "../../src/domain/offer/offer.ts";
import { anySearch, type OfferSearch } from "../../src/domain/offer/offer-search.ts";
import { setState } from "../../src/sandbox/handlers/instance-state.ts";
import type { Sandbox } from "../../src/sandbox/start.ts";
import { createIntent } from "../../src/services/launch/intent.ts";
import type { LaunchPerson } from "../../src/services/launch/launch-steps.ts";
import { planFor } from "../journeys/editor-window.ts";
import { spoilVolume, withConfigured } from "./configured.ts";
import type { Life } from "./life.ts";
import type { Stage, Window } from "./stage.ts";
import { watchList } from "./watch-list.ts";

/** What the person allowed. A broken variant may go further, and is judged by this. */
export const POLICY: ReplacementPolicy = { automatic: true, priceRise: 0.5, tries: 2 };

/** Statuses on the way up. */
const UNDER_WAY = new Set<unknown>([null, "created", "loading"]);

const SEARCH: OfferSearch = { ...anySearch };
const isOfTheKind = (offer: Offer) => offer.gpu_name === "RTX 3090" && offer.num_gpus === 1;

/** One launch whose first machines die, run to its end as the extension does it. Its person only listens. */
export async function rentWithReplacements(
  stage: Stage,
  { window, life }: { readonly window: Window; readonly life: Life },
  offers: readonly Offer[],
  label: string,
): Promise<void> {
  const kind = offers.filter(isOfTheKind);
  const offer = kind[stage.fate.offer % Math.min(2, kind.length)];
  if (!offer) throw new Error("The market has no such machine.");
  setFates(stage.service, "exited");
  const plan = withConfigured(stage, planFor(offer, label));
  stage.reviewed = plan;
  spoilVolume(stage, "before", plan);
  const price = calculatePlanPrice(plan);
  followChain(stage, window, life, price);
  const refresher = watchList(window);
  const account = window.me();
  const chain = { price, tries: 0 };
  const rental = { account, plan, search: SEARCH, intent: createIntent(), chain, withoutTracking: false };
  const ended = window.runner.run(listener(stage), rental).catch(() => undefined);
  await Promise.race([ended, life.died]);
  refresher.dispose();
}

/** No one answers: what is replaced is replaced by the policy. */
function listener(stage: Stage): LaunchPerson {
  return {
    confirm: async () => false,
    tell: async (message) => {
      if (message.kind === "replacing") stage.replaced.add(message.id);
      return undefined;
    },
    wait: (work) => work(),
    accompany: (_, work) => work(() => {}, new AbortController().signal),
  };
}

/** Notes every launch of the chain like a click, and judges its price by what the person confirmed. */
function followChain(stage: Stage, window: Window, life: Life, first: number | undefined): void {
  const rent = window.launches.rent.bind(window.launches);
  window.launches.rent = async (account, plan, intent, options) => {
    stage.chain.push(intent.token);
    stage.check(isWithin(plan, first), "S2", `${intent.token} costs more than the policy allows`);
    const click: Stage["clicks"][number] = { intent, life, outcome: undefined };
    stage.clicks.push(click);
    try {
      const outcome = await rent(account, plan, intent, options);
      click.outcome = outcome;
      return outcome;
    } catch (error) {
      click.outcome = "sent before";
      throw error;
    }
  };
}

function isWithin(plan: LaunchPlan, first: number | undefined): boolean {
  const price = calculatePlanPrice(plan);
  return price !== undefined && first !== undefined && price <= first * (1 + POLICY.priceRise) + 1e-9;
}

function setFates({ world }: Sandbox, fate: "exited" | "runs"): void {
  for (const offer of world.offers)
    if (offer.machine.gpu.name === "RTX 3090" && offer.gpuIds.length === 1 && offer.fate !== "gone")
      world.setFate(offer.id, fate);
}

/** The first byte of a create of the chain leaves. */
export function judgeReplacement(stage: Stage, token: string): void {
  if (!stage.chain.includes(token)) return;
  const sent = stage.chain.filter((one) => stage.sends.has(one)).length;
  stage.check(sent <= 1 + POLICY.tries, "S2", `${token} was the ${sent}th of its chain`);
  for (const dead of stage.replaced)
    stage.check(stage.service.world.findInstance(dead) === undefined, "S1", `${token} left while ${dead} was there`);
  if (sent > stage.fate.machinesDie) setFates(stage.service, "runs");
}

/** Someone stops what the chain waits for, which the service then calls exited. What is dead by then is none of it. */
export function stopWaitedFor(stage: Stage, token: string): void {
  const { world, faults } = stage.service;
  const [id] = stage.ledger().get(token) ?? [];
  const instance = id === undefined ? undefined : world.findInstance(id as InstanceId);
  const status = instance && world.toRecord(instance).actual_status;
  if (id === undefined || !instance || !UNDER_WAY.has(status)) return;
  faults.add("stopped-is-exited");
  setState(world, instance, "stopped");
  stage.stopped.add(id);
}

/** The instances that a request destroys. */
export function destroyedBy({
  method,
  path,
  body,
}: {
  method: string;
  path: string;
  body: unknown;
}): readonly number[] {
  if (method !== "DELETE") return [];
  const [, id] = /^\/api\/v0\/instances\/(\d+)\/$/.exec(path) ?? [];
  if (id !== undefined) return [Number(id)];
  const many = path === "/api/v0/instances/" ? (body as { instance_ids?: number[] } | null)?.instance_ids : undefined;
  return many ?? [];
}
