// One budget of agents from its first moment to the last look at what was rented, under a drawn fate, and whether every promise was kept.
import type { Client } from "../../../src/api/client.ts";
import { InstanceId } from "../../../src/domain/base/id.ts";
import type { InstanceAutoStop } from "../../../src/domain/instance/auto-stop.ts";
import { readLaunchToken } from "../../../src/domain/instance/instance.ts";
import { calculatePlanPrice, type LaunchPlan } from "../../../src/domain/launch/launch-plan.ts";
import type { Offer } from "../../../src/domain/offer/offer.ts";
import { anySearch } from "../../../src/domain/offer/offer-search.ts";
import { sleep } from "../../../src/lib/clock.ts";
import { Emitter } from "../../../src/lib/event.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/start.ts";
import { AgentAsking } from "../../../src/services/agent/agent-asking.ts";
import { AgentLaunches, type AgentLaunchPerson } from "../../../src/services/agent/agent-launches.ts";
import type { SelfStopAccess } from "../../../src/services/instance/auto-stops/self-stop-access.ts";
import { newUserData, openWindow, planFor, removeUserData, type UserData } from "../../journeys/editor-window.ts";
import { type Breakage, Life, RATE, worldClock } from "../life.ts";
import { drawGrantFate, type GrantFate } from "./grant-fate.ts";

/** What a broken variant puts in the place of a sound part. */
export interface GrantBreakage extends Breakage {
  readonly grant?: Partial<GrantFate>;
  /** Whatever an instance keeps, it is taken for proven. */
  readonly trustsAll?: boolean;
  /** The person's answer to what goes beyond the budget is never waited for. */
  readonly agrees?: boolean;
}

/** Real milliseconds until a call that never ends is called one. */
const PATIENCE_MS = 60_000;
/** Real milliseconds between the last look at a budget and its request, on a busy machine. */
const ON_ITS_WAY_MS = 300;
const NEVER = new AbortController().signal;
const HOUR = 3_600_000;

const modelSleep = (seconds: number) => sleep((seconds * 1000) / RATE);

interface Rented {
  readonly token: string;
  readonly id: number;
}

class GrantStage {
  readonly violations: string[] = [];
  /** By launch token, what was quoted. */
  readonly quoted = new Map<string, LaunchPlan>();
  /** Whatever was there once. */
  readonly rented = new Map<number, Rented>();
  readonly sends = new Map<string, number>();
  readonly lives: { readonly life: Life; readonly close: () => void }[] = [];
  /** Dollars. */
  amount = 0;
  /** When it ends at last, in model milliseconds since the epoch. */
  until = 0;
  /** When it was closed, in real milliseconds. */
  closed = Number.POSITIVE_INFINITY;
  readonly service: Sandbox;
  readonly userData: UserData;
  readonly fate: GrantFate;
  readonly #breakage: GrantBreakage;

  constructor(service: Sandbox, userData: UserData, fate: GrantFate, breakage: GrantBreakage) {
    [this.service, this.userData, this.fate] = [service, userData, fate];
    this.#breakage = breakage;
  }

  check(holds: boolean, promise: string, what: string): void {
    if (!holds) this.violations.push(`${promise}: ${what}`);
  }

  hear(): void {
    for (const { id, label } of this.service.world.listInstances()) {
      const token = readLaunchToken(label ?? undefined);
      if (token !== undefined) this.rented.set(id, { token, id });
    }
  }

  /** Every create is judged before it leaves. */
  #watch(client: Client): Client {
    const createInstance: Client["createInstance"] = async (offer, body, leave) => {
      const token = readLaunchToken(body.label) ?? "";
      this.sends.set(token, (this.sends.get(token) ?? 0) + 1);
      this.check(
        performance.now() - this.closed < ON_ITS_WAY_MS,
        "B4",
        `${token} was sent after the budget was closed`,
      );
      this.check(/DELETE/.test(String(body.onstart)), "B5", `${token} can't destroy itself`);
      return await client.createInstance(offer, body, leave);
    };
    return new Proxy(client, {
      get: (target, name) => (name === "createInstance" ? createInstance : Reflect.get(target, name)),
    });
  }

  async open() {
    const breakage = this.#breakage;
    const life = new Life({ ...breakage, client: (client) => this.#watch(breakage.client?.(client) ?? client) });
    const keeps = (id: number) => breakage.trustsAll === true || this.fate.obeying?.includes(id % 10) === true;
    const selfStopAccess: SelfStopAccess = {
      isReady: () => true,
      onDidChange: () => ({ dispose: () => undefined }),
      ask: async (_account, id) => {
        const until = window.autoStops.findAutoStop({ id })?.until;
        if (!keeps(id) || until === undefined) return "missing";
        return {
          ...{ count: 1, at: 0, until, written: Math.ceil(until / 1000), ending: "destroy" },
          ...{ lives: true, isAccepted: true, wasDue: false },
        };
      },
    };
    const window = openWindow(this.userData, {
      ...{ clock: life.clock, disk: life.disk, connect: life.connect, selfStopAccess },
    });
    this.lives.push({ life, close: () => window.close() });
    const attention = { isFocused: () => true, onDidChange: new Emitter<void>().event };
    const asking = new AgentAsking({ clock: life.clock, attention, tellLate: () => undefined });
    await window.session.restore();
    return { window, life, agents: new AgentLaunches(window, asking) };
  }

  /** The person never agrees to more than their budget. */
  get person(): AgentLaunchPerson {
    return {
      confirm: async () => this.#breakage.agrees === true,
      launching: {
        confirm: async () => false,
        tell: async () => undefined,
        accompany: (_, work) => work(() => {}, NEVER),
        wait: (work) => work(),
      },
      takeNextStep: async () => {},
      tellError: () => {},
    };
  }
}

type Opened = Awaited<ReturnType<GrantStage["open"]>>;

/** @returns what was violated; nothing for a budget that keeps its word. */
export async function playGrant(seed: number, breakage: GrantBreakage = {}): Promise<readonly string[]> {
  const fate = { ...drawGrantFate(seed), ...breakage.grant };
  let stage: GrantStage | undefined;
  const service = await startSandbox({ seed: 1, clock: worldClock, speed: RATE * 4, requests: () => stage?.hear() });
  service.world.account.credit = 1_000_000;
  for (const { id } of service.world.offers) service.world.setFate(id, "runs");
  const userData = newUserData();
  stage = new GrantStage(service, userData, fate, breakage);
  try {
    await act(stage);
    service.faults.clear();
    stage.hear();
    await judge(stage);
  } finally {
    for (const { life, close } of stage.lives) {
      life.kill();
      close();
    }
    await service.stop();
    await removeUserData(userData);
  }
  return stage.violations;
}

async function act(stage: GrantStage): Promise<void> {
  const { fate, service } = stage;
  const first = await stage.open();
  await first.window.session.signIn(service.url, service.apiKey);
  const { offers } = await first.window.offers.search(anySearch);
  const same = offers.filter(({ gpu_name, num_gpus }) => gpu_name === "RTX A5000" && num_gpus === 1);
  const price = Math.max(...same.map((offer) => calculatePlanPrice(toPlan(offer, 1, service)) ?? 0));
  stage.amount = fate.amount * price;
  const terms = { amount: stage.amount, perHour: price * 1.01, launches: fate.launches };
  stage.until = first.window.clock.now() + fate.hours * HOUR;
  await first.window.grants.open(first.window.me(), terms, stage.until);
  const second = await stage.open();
  second.life.dieAfter(fate.dies);
  second.life.fillAt(fate.fullAt);
  for (const fault of [fate.create, fate.read]) if (fault) service.faults.add(fault);
  void modelSleep(fate.faultsUntil).then(() => service.faults.clear());
  const closing = closeInTime(stage, first);
  const calls = fate.calls.map(async (call, at) => {
    await modelSleep(call.at);
    const offer = same[at % same.length];
    if (offer) await callAgent(stage, call.window === 0 ? first : second, offer, call);
  });
  const isOver = await Promise.race([Promise.all(calls).then(() => true), sleep(PATIENCE_MS).then(() => false)]);
  stage.check(isOver, "liveness", "a call of an agent never ended");
  await closing;
}

const toPlan = (offer: Offer, hours: number, { url }: Pick<Sandbox, "url">): LaunchPlan => ({
  ...planFor(offer, ""),
  end: { hours, ending: "destroy", byItself: url },
});

async function closeInTime(stage: GrantStage, { window }: Opened): Promise<void> {
  if (stage.fate.closedAt === undefined) return;
  await modelSleep(stage.fate.closedAt);
  await window.grants.close(window.me());
  stage.closed = performance.now();
}

async function callAgent(
  stage: GrantStage,
  { window, life, agents }: Opened,
  offer: Offer,
  { hours, twice, priceMoves }: GrantFate["calls"][number],
): Promise<void> {
  if (life.dead) return;
  const plan = toPlan(offer, hours, { url: window.me().address.base });
  const { id } = agents.quote(window.me(), plan);
  stage.quoted.set(id.replace("quote-", "vsc-"), plan);
  if (priceMoves !== undefined) stage.service.world.setPrice(offer.id, (offer.dph_total ?? 1) * priceMoves);
  const launch = () =>
    Promise.race([agents.launch(window.me(), id, stage.person, NEVER).catch(() => undefined), life.died]);
  await Promise.all(twice ? [launch(), launch()] : [launch()]);
  if (priceMoves !== undefined) stage.service.world.setPrice(offer.id, offer.dph_total ?? 1);
}

async function judge(stage: GrantStage): Promise<void> {
  const { fate, rented, quoted, sends } = stage;
  const paid = [...rented.values()].map(({ token }) => {
    const plan = quoted.get(token);
    const hours = plan?.end && "hours" in plan.end ? plan.end.hours : Number.POSITIVE_INFINITY;
    return (calculatePlanPrice(plan as LaunchPlan) ?? Number.POSITIVE_INFINITY) * hours;
  });
  const sum = paid.reduce((all, one) => all + one, 0);
  stage.check(sum <= stage.amount + 1e-6, "B1", `instances for ${sum} were rented, of ${stage.amount}`);
  stage.check(rented.size <= fate.launches, "B2", `${rented.size} instances were rented, of ${fate.launches}`);
  const { window } = await stage.open();
  await window.watch.look().catch(() => false);
  const grant = await window.grants.read(window.me());
  // What a window claimed and died over counts as well, until it's clear that there is none.
  if (grant) stage.check(grant.spent >= sum - 1e-6, "B2", `${grant.spent} are noted of ${sum}`);
  for (const [token, count] of sends) stage.check(count === 1, "B3", `${token} was sent ${count} times`);
  await judgeEnds(stage);
}

/** What was rented has an auto-stop in time, and what doesn't show that it ends itself is destroyed by whoever comes next. */
async function judgeEnds(stage: GrantStage): Promise<void> {
  const { fate, service } = stage;
  if (stage.rented.size === 0) return;
  const { window } = await stage.open();
  await window.instances.collection.refresh();
  await window.watch.look().catch(() => false);
  const open = service.world.listInstances().map(({ id }) => InstanceId.parse(id));
  for (const id of open) {
    let end: InstanceAutoStop | undefined;
    const isKept = await eventually(() => {
      window.autoStops.wake();
      end = window.autoStops.findAutoStop({ id });
      return end?.ending === "destroy";
    }, 5000);
    stage.check(isKept, "B5", `instance ${id} has no auto-stop`);
    stage.check(!end || end.until <= stage.until, "B5", `instance ${id} outlives the budget`);
  }
  if (!fate.obeying) return;
  const unproven = open.filter((id) => fate.obeying?.includes(id % 10) !== true);
  const isThere = (id: number) => service.world.findInstance(id) !== undefined;
  const ends = new Map(open.map((id) => [id, window.autoStops.findAutoStop({ id })?.until ?? 0]));
  const isEnded = (id: InstanceId) => (ends.get(id) ?? 0) <= window.clock.now();
  const areGone = await eventually(async () => {
    await window.instances.collection.refresh().catch(() => undefined);
    return !unproven.some(isThere);
  }, 8000);
  stage.check(areGone, "B6", `${unproven.filter(isThere)} never showed that they end themselves`);
  for (const id of open.filter((one) => !unproven.includes(one)))
    stage.check(isThere(id) || isEnded(id), "B7", `instance ${id} showed that it ends itself, and was destroyed`);
}

async function eventually(holds: () => Promise<boolean> | boolean, ms: number): Promise<boolean> {
  for (const until = performance.now() + ms; performance.now() < until; await sleep(50)) if (await holds()) return true;
  return false;
}
