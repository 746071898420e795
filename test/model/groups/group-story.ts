// A group from its confirmation to the last look, in windows that die, under a drawn fate; and whether every promise was kept (G1 to G6,
// test/model/README.md).

import { type InstanceId, OfferId } from "../../../src/domain/base/id.ts";
import { listDistinctMachines } from "../../../src/domain/group/choose-machines.ts";
import { toGroupPlan } from "../../../src/domain/group/group-plan.ts";
import { findDecision, type GroupRecord } from "../../../src/domain/group/group-record.ts";
import { readLaunchToken } from "../../../src/domain/instance/instance.ts";
import { isUnresolved } from "../../../src/domain/launch/launch-record.ts";
import type { Offer } from "../../../src/domain/offer/offer.ts";
import { anySearch } from "../../../src/domain/offer/offer-search.ts";
import { sleep } from "../../../src/lib/clock.ts";
import { requireInstance, setState } from "../../../src/sandbox/handlers/instance-state.ts";
import type { RequestLine } from "../../../src/sandbox/http/request-line.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/start.ts";
import { createGroupId } from "../../../src/services/group/group-journal.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import {
  lifeOf,
  newUserData,
  openWindow,
  planFor,
  removeUserData,
  type UserData,
} from "../../journeys/editor-window.ts";
import { draftOf, listen, patient } from "../../journeys/group-windows.ts";
import { levelTraffic } from "../../journeys/support.ts";
import { type Breakage, Life, RATE, worldClock } from "../life.ts";
import { destroyedBy } from "../replacements.ts";
import { onCreate } from "../wire.ts";
import { drawGroupFate, type GroupFate } from "./group-fate.ts";

/** Looks without a trace of a group that was rented, until it counts as forgotten. */
const MOST_MISSES = 20;
/** Real milliseconds until a story that never ends is called one. */
const PATIENCE_MS = 40_000;
const modelSleep = (seconds: number) => sleep((seconds * 1000) / RATE);
const NEVER = new AbortController().signal;

interface Opened {
  readonly name: string;
  readonly life: Life;
  readonly window: ReturnType<typeof openWindow>;
  readonly heard: ReturnType<typeof listen>;
}

class GroupStage {
  readonly violations: string[] = [];
  readonly sends = new Map<string, number>();
  /** Instances that a request to destroy named, with the launch that each came from. */
  readonly destroyed = new Map<number, string>();
  readonly windows: Opened[] = [];
  readonly userData: UserData = newUserData();
  readonly id = createGroupId();
  readonly fate: GroupFate;
  readonly service: Sandbox;
  /** Launches of the group, as its files had them when anything was sent. */
  readonly tokens = new Set<string>();
  /** Of the instance that was rented before, and is none of it. */
  foreign = "";
  /** By token, dead instances that a replacement destroyed. */
  readonly replaced = new Set<string>();
  /** By token, what the person stopped while it ran. */
  readonly stopped = new Set<string>();
  readonly #breakage: Breakage;
  /** The launch of every instance that was there at any request. */
  readonly #rented = new Map<number, string>();

  constructor(fate: GroupFate, service: Sandbox, breakage: Breakage) {
    this.fate = fate;
    this.service = service;
    this.#breakage = breakage;
  }

  check(holds: boolean, promise: string, what: string): void {
    if (!holds) this.violations.push(`${promise}: ${what}`);
  }

  async open(steps = Number.POSITIVE_INFINITY): Promise<Opened> {
    const name = `window-${this.windows.length}`;
    const life = new Life(this.#breakage);
    const isAlive = async (other: string) => this.windows.some((one) => one.name === other && !one.life.dead);
    const window = openWindow(this.userData, {
      clock: life.clock,
      disk: life.disk,
      connect: life.connect,
      liveness: { ...lifeOf(name), isAlive },
      policy: { automatic: this.fate.replaces, priceRise: 1, tries: 2 },
      ...(this.fate.limit === undefined ? {} : { limits: { instances: this.fate.limit + 1 } }),
    });
    const opened = { name, life, window, heard: listen(window) };
    this.windows.push(opened);
    await window.session.restore();
    life.dieAfter(steps);
    return opened;
  }

  /** Instances that the service holds, by the launch that each came from; those of the group only. */
  get held(): readonly { readonly id: number; readonly token: string }[] {
    return this.service.world.listInstances().flatMap(({ id, label }) => {
      const token = readLaunchToken(label ?? undefined);
      return token !== undefined && token !== this.foreign ? [{ id, token }] : [];
    });
  }

  sent(token: string): void {
    if (token === this.foreign || token === "?") return;
    const times = (this.sends.get(token) ?? 0) + 1;
    this.sends.set(token, times);
    this.tokens.add(token);
    this.check(times === 1, "G1", `${token} was sent ${times} times`);
    const { create, createFrom, createFor, limit, count } = this.fate;
    this.check(this.held.length < count, "G1", `${token} left while ${this.held.length} of ${count} were there`);
    if (limit !== undefined) this.check(this.held.length < limit, "G1", `${token} exceeds the limit of ${limit}`);
    const { faults } = this.service;
    const at = this.sends.size - 1;
    if (create && at >= createFrom && at < createFrom + createFor) faults.add(create);
    else if (create) faults.delete(create);
  }

  /** A request that destroys is noted once its instance is gone. */
  note(line: RequestLine): void {
    for (const id of destroyedBy(line)) {
      const token = this.#rented.get(id);
      if (token !== undefined) this.destroyed.set(id, token);
    }
    for (const { id, label } of this.service.world.listInstances()) {
      const token = readLaunchToken(label ?? undefined);
      if (token !== undefined) this.#rented.set(id, token);
    }
  }
}

/** @returns what was violated; nothing for windows that keep their word. */
export async function playGroup(seed: number, breakage: Breakage = {}): Promise<readonly string[]> {
  let stage: GroupStage | undefined;
  const service = await startSandbox({ seed: 1, clock: worldClock, requests: (line) => stage?.note(line) });
  levelTraffic(service);
  stage = new GroupStage(drawGroupFate(seed), service, breakage);
  const quiet = onCreate(service.url, ({ token }) => stage?.sent(token));
  try {
    await act(stage);
  } finally {
    quiet();
    for (const { window, life } of stage.windows) {
      life.kill();
      window.close();
    }
    await service.stop();
    await removeUserData(stage.userData);
  }
  return stage.violations;
}

async function act(stage: GroupStage): Promise<void> {
  const { fate, service } = stage;
  const first = await stage.open();
  await first.window.session.signIn(service.url, service.apiKey);
  const { chosen, spares, other } = await chooseMachines(stage, first);
  // Something that is none of the group's business.
  const intent = createIntent();
  stage.foreign = intent.token;
  await first.window.rent(planFor(other, "mine"), intent);
  const foreignIds = service.world.listInstances().map(({ id }) => id);
  for (const fault of fate.others) service.faults.add(fault);
  const calm = modelSleep(fate.othersUntil).then(() => {
    for (const fault of fate.others) service.faults.delete(fault);
  });
  const wake = setInterval(() => {
    for (const { window, life } of stage.windows) if (!life.dead) window.groups.wake();
  }, 250);
  try {
    first.life.dieAfter(fate.windowDies[0]);
    first.life.fillAt(fate.fullAt);
    const renting = rent(stage, first, chosen, spares);
    const dying = modelSleep(fate.otherAt).then(() => stage.open(fate.windowDies[1]));
    const back = modelSleep(fate.backAt).then(() => stage.open());
    const stopping = fate.stopsFirst ? setInterval(() => stopFirst(stage), 1000 / RATE) : undefined;
    await Promise.all([renting, calm, dying]).finally(() => clearInterval(stopping));
    for (const fault of service.faults) if (fault !== "stopped-is-exited") service.faults.delete(fault);
    await settle(stage, await back);
    for (const id of foreignIds)
      stage.check(!stage.destroyed.has(id), "G3", "an instance of nobody's group was destroyed");
  } finally {
    clearInterval(wake);
  }
}

/** Only once it runs: what the last list calls loading may be decided on before the next one. */
function stopFirst({ fate, service: { faults, world }, held, stopped }: GroupStage): void {
  if (stopped.size > 0) return;
  const isRunning = (id: number) => {
    const instance = world.findInstance(id as InstanceId);
    return instance !== undefined && world.toRecord(instance).actual_status === "running";
  };
  const member = held.find(({ id }) => isRunning(id));
  if (!member) return;
  if (fate.callsExited) faults.add("stopped-is-exited");
  stopped.add(member.token);
  setState(world, requireInstance(world, member.id), "stopped");
}

async function chooseMachines({ fate, service }: GroupStage, { window }: Opened) {
  const { offers } = await window.offers.search(anySearch);
  const alike = offers.filter(({ gpu_name, num_gpus }) => gpu_name === "RTX 3090" && num_gpus === 1);
  const machines = listDistinctMachines(alike, { isApart: false });
  for (const { id } of offers) service.world.setFate(id, "runs");
  const chosen = machines.slice(0, fate.count).map((offer, rank): Offer => {
    if (fate.dies[rank]) service.world.setFate(offer.id, "exited");
    return fate.taken[rank] ? { ...offer, id: OfferId.parse(999_000_000 + rank) } : offer;
  });
  const other = offers.find(({ gpu_name }) => gpu_name !== "RTX 3090");
  if (chosen.length < fate.count || !other) throw new Error("The market has too few machines.");
  return { chosen, spares: machines.slice(fate.count), other };
}

async function rent(stage: GroupStage, { window, life }: Opened, offers: readonly Offer[], spares: readonly Offer[]) {
  const { fate, id } = stage;
  const leaving = new AbortController();
  const { leavesAt } = fate;
  if (leavesAt !== undefined) void modelSleep(leavesAt).then(() => leaving.abort());
  const person = {
    ...patient(leavesAt === undefined ? NEVER : leaving.signal),
    tellReplacing: (dead: number) => {
      const label = stage.service.world.findInstance(dead)?.label ?? undefined;
      stage.replaced.add(readLaunchToken(label) ?? "");
    },
  };
  const plan = toGroupPlan(draftOf(offers, { ...fate.policy, spares }));
  const confirmed = { account: window.me(), plan, id, withoutTracking: false, search: anySearch };
  await Promise.race([window.groupRunner.run(person, confirmed).catch(() => undefined), life.died]);
}

/** Until nothing more is to come, and then whether every promise was kept, as a window says that doesn't die. */
async function settle(stage: GroupStage, last: Opened): Promise<void> {
  const { window } = last;
  let record: GroupRecord | undefined;
  let misses = 0;
  const isOver = async () => {
    await window.instances.collection.refresh();
    record = await window.groupJournal.find(stage.id).catch(() => undefined);
    // It may never have been written down.
    if (!record) misses += 1;
    if (!record) return stage.sends.size === 0 || misses > MOST_MISSES;
    const launches = await window.watch.reread();
    const isOpen = launches.some((one) => isUnresolved(one) && !one.facts.has("refused"));
    return (
      findDecision(record) !== undefined &&
      record.facts.has("told") &&
      !isOpen &&
      unwantedThere(stage, record).length === 0
    );
  };
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end && !(await isOver()); ) await sleep(100);
  if (!record) return stage.check(stage.sends.size === 0, "G4", "a group that was rented is forgotten");
  judge(stage, record, last);
}

function unwantedThere(stage: GroupStage, record: GroupRecord): readonly string[] {
  if (record.prepared.rest !== "destroy" || record.facts.has("kept")) return [];
  const unwanted = new Set(record.decided?.unwanted ?? []);
  return stage.held.filter(({ token }) => unwanted.has(token)).map(({ token }) => token);
}

function judge(stage: GroupStage, record: GroupRecord, { window }: Opened): void {
  const { fate, service } = stage;
  const decision = findDecision(record);
  const described = JSON.stringify({ decision, facts: [...record.facts], held: stage.held.length, fate });
  const own = new Set(record.launches.flat());
  stage.check(decision !== undefined, "G5", `it is never decided: ${described}`);
  stage.check(record.facts.has("told"), "G6", `nobody was told: ${described}`);
  for (const token of stage.sends.keys()) stage.check(own.has(token), "G2", `${token} is in no file: ${described}`);
  stage.check(stage.held.length <= fate.count, "G1", `${stage.held.length} were rented: ${described}`);
  const listed = new Set<number>(window.groups.find(stage.id)?.listed ?? []);
  for (const { id, token } of stage.held)
    stage.check(listed.has(id), "G4", `${token} (${id}) is not shown: ${described}`);
  stage.check(unwantedThere(stage, record).length === 0, "G4", `what was to be destroyed is there: ${described}`);
  const mayEnd = fate.policy.rest === "destroy" && !record.facts.has("kept") && decision !== "complete";
  const unwanted = new Set(record.decided?.unwanted ?? []);
  for (const token of stage.destroyed.values())
    stage.check(
      (mayEnd && unwanted.has(token)) || stage.replaced.has(token),
      "G3",
      `${token} was destroyed: ${described}`,
    );
  for (const token of stage.stopped) {
    stage.check(!stage.replaced.has(token), "G3", `${token}, which was stopped, was replaced: ${described}`);
    const isKept = decision === "short" || !new Set(stage.destroyed.values()).has(token);
    stage.check(isKept, "G3", `${token}, which was stopped, was destroyed: ${described}`);
  }
  const isCalm =
    !fate.create &&
    fate.others.length === 0 &&
    !fate.dies.includes(true) &&
    !fate.taken.includes(true) &&
    stage.stopped.size === 0;
  const isLonged =
    fate.limit === undefined &&
    fate.leavesAt === undefined &&
    // Fewer are over in two real seconds, in which a busy computer may not get around to all of it.
    fate.policy.minutes >= 10 &&
    fate.windowDies[0] === Number.POSITIVE_INFINITY &&
    // What can't be written down isn't sent.
    fate.fullAt === Number.POSITIVE_INFINITY;
  if (isCalm && isLonged) stage.check(decision === "complete", "G5", `nothing went wrong: ${described}`);
  if (decision === "complete" && stage.stopped.size === 0) {
    const running = stage.held.filter(
      ({ id }) => service.world.toRecord(service.world.findInstance(id) as never).actual_status === "running",
    );
    stage.check(running.length === fate.count, "G5", `it isn't complete: ${described}`);
  }
  const told = stage.windows.reduce((sum, { heard }) => sum + heard.filter(({ kind }) => kind === "decided").length, 0);
  const died = stage.windows.filter(({ life }) => life.dead).length;
  stage.check(told <= 1 + died, "G6", `it was told ${told} times: ${described}`);
}
