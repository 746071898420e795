// One launch from the click to the last look, under a drawn fate, and whether every promise was kept (P1 to P7,
// docs/promises.md).
import { existsSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { OfferId } from "../../src/domain/base/id.ts";
import { launchToken } from "../../src/domain/instance/instance.ts";
import type { LaunchPlan } from "../../src/domain/launch/launch-plan.ts";
import { isUnresolved, launchState } from "../../src/domain/launch/launch-record.ts";
import { anySearch } from "../../src/domain/offer/offer-search.ts";
import { sleep } from "../../src/lib/task.ts";
import { createInstance } from "../../src/sandbox/handlers/create-instance.ts";
import type { RequestLine } from "../../src/sandbox/http/request-line.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/start.ts";
import { type Intent, mintIntent } from "../../src/services/launch/intent.ts";
import type { Outcome } from "../../src/services/launch/launch.ts";
import type { LaunchNotice } from "../../src/services/launch/launch-notices.ts";
import { type Desk, newDesk, openWindow, planFor } from "../journeys/desk.ts";
import { drawFate, type Fate } from "./fate.ts";
import { type Breakage, Life, RATE } from "./life.ts";
import { onCreate } from "./wire.ts";

type Window = ReturnType<typeof openWindow>;

/** Real milliseconds until a story that never ends is called one. */
const PATIENCE_MS = 30_000;
/** Stands in what is sent and must never reach the journal. */
const CANARY = "canary-label";

/** What a network repeats later than this is found by the next refresh of the list. */
const SEEN_BY_SECOND_LOOKS = 285;

const modelSleep = (seconds: number) => sleep((seconds * 1000) / RATE);

interface Click {
  readonly intent: Intent;
  readonly life: Life;
  outcome: Outcome | "sent before" | undefined;
}

class Stage {
  readonly service: Sandbox;
  readonly desk: Desk;
  readonly fate: Fate;
  readonly breakage: Breakage;
  readonly windows: { window: Window; life: Life }[] = [];
  readonly clicks: Click[] = [];
  readonly violations: string[] = [];
  readonly sends = new Map<string, number>();
  /** What the network still has to deliver. */
  readonly deliveries: Promise<void>[] = [];

  constructor(service: Sandbox, desk: Desk, fate: Fate, breakage: Breakage) {
    this.service = service;
    this.desk = desk;
    this.fate = fate;
    this.breakage = breakage;
  }

  async open(steps = Number.POSITIVE_INFINITY): Promise<{ window: Window; life: Life }> {
    const life = new Life(this.breakage);
    const window = openWindow(this.desk, { clock: life.clock, disk: life.disk, connect: life.connect });
    const opened = { window, life };
    this.windows.push(opened);
    await window.session.restore();
    life.dieAfter(steps);
    return opened;
  }

  click({ window, life }: { window: Window; life: Life }, plan: LaunchPlan, intent: Intent): Promise<void> {
    const click: Click = { intent, life, outcome: undefined };
    this.clicks.push(click);
    const ended = window.rent(plan, intent).then(
      (outcome) => {
        click.outcome = outcome;
      },
      () => {
        click.outcome = "sent before";
      },
    );
    return Promise.race([ended, life.died]);
  }

  /** Whether the person was told this of the launch, in whichever window. */
  told(token: string, what: (notice: LaunchNotice) => boolean): boolean {
    return this.windows.some(({ window }) =>
      window.notices.some(
        (notice) => notice.record.token === token && what(notice) && this.breakage.mutes?.(notice) !== true,
      ),
    );
  }

  /** Every instance the service holds, by the token of its label. */
  ledger(): Map<string, number[]> {
    const ledger = new Map<string, number[]>();
    for (const { id, label } of this.service.world.instances()) {
      const token = launchToken(label ?? undefined);
      if (token !== undefined) ledger.set(token, [...(ledger.get(token) ?? []), id]);
    }
    return ledger;
  }

  /** Model seconds between the first and the last of these rentals. */
  secondsBetween(ids: readonly number[]): number {
    const times = ids.map((id) => this.service.world.instance(id)?.createdAt ?? 0);
    return Math.max(...times) - Math.min(...times);
  }

  check(holds: boolean, promise: string, what: string): void {
    if (!holds) this.violations.push(`${promise}: ${what}`);
  }
}

/** @returns what was violated; nothing for a protocol that keeps its word. */
export async function play(seed: number, breakage: Breakage = {}): Promise<readonly string[]> {
  const fate = drawFate(seed);
  let stage: Stage | undefined;
  const service = await startSandbox({
    seed: 1,
    speed: RATE,
    requests: (line) => stage && deliver(stage, line),
  });
  const desk = newDesk();
  stage = new Stage(service, desk, fate, breakage);
  const quiet = onCreate(service.url, ({ token }) => stage && sent(stage, token));
  try {
    await act(stage);
    await end(stage);
  } finally {
    quiet();
    for (const { window, life } of stage.windows) {
      life.kill();
      window.close();
    }
    await service.stop();
    await rm(desk.root, { recursive: true, force: true });
  }
  return stage.violations;
}

/** The first byte of a create leaves: that may happen one time an intent, and only after its claim is on the disk. */
function sent(stage: Stage, token: string): void {
  const { fate, service } = stage;
  const times = (stage.sends.get(token) ?? 0) + 1;
  stage.sends.set(token, times);
  stage.check(times === 1, "P1", `${token} was sent ${times} times`);
  stage.check(existsSync(join(stage.desk.folder, `${token}.claimed`)), "P5", `${token} was sent before it was claimed`);
  for (const fault of fate.reads) service.faults.add(fault);
  if (times === 1) {
    void modelSleep(fate.readsUntil).then(() => {
      for (const fault of fate.reads) service.faults.delete(fault);
    });
  }
}

/** What the network does with a create request beside delivering it once: later, or once more. */
function deliver(stage: Stage, { method, path, body }: RequestLine): void {
  const [, offer] = /^\/api\/v0\/asks\/(\d+)\/$/.exec(path) ?? [];
  if (method !== "PUT" || offer === undefined) return;
  const { delivered, repeated } = stage.fate;
  for (const seconds of [delivered, repeated]) {
    if (seconds === undefined) continue;
    // A request that was never carried out cannot be repeated.
    if (seconds === repeated && stage.fate.create?.includes("@") && delivered === undefined && !executes(stage.fate))
      continue;
    stage.deliveries.push(modelSleep(seconds).then(() => execute(stage.service, Number(offer), body)));
  }
}

function executes({ create }: Fate): boolean {
  return create === undefined || !/^(reset-before|silence|500|502-html|503-retry|429|401|403|redirect)@/.test(create);
}

function execute({ world }: Sandbox, offer: number, body: unknown): void {
  try {
    world.again(() => createInstance(world, OfferId.parse(offer), body));
  } catch {
    // The service refused what came late; then nothing was rented.
  }
}

async function act(stage: Stage): Promise<void> {
  const { fate, service } = stage;
  const first = await stage.open();
  await first.window.session.signIn(service.url, service.apiKey);
  const { offers } = await first.window.offers.search(anySearch);
  const offer = offers[fate.offer % offers.length];
  if (!offer) throw new Error("The market is empty.");
  const plan = planFor(offer, CANARY);
  if (fate.create) service.faults.add(fate.create);
  const intent = mintIntent();
  const second = fate.secondWindow && (await stage.open());
  first.life.dieAfter(fate.dies);
  const clicks = [stage.click(first, plan, intent)];
  if (fate.doubleClick) clicks.push(stage.click(first, plan, intent));
  if (second) clicks.push(stage.click(second, plan, fate.secondWindow === "same" ? intent : mintIntent()));
  await Promise.all(clicks);
  await modelSleep(fate.backAfter);
  const back = await stage.open(fate.diesAgain);
  void back.window.instances.collection.refresh();
  await modelSleep(60);
}

/** The faults end, what is late arrives, somebody opens a window: from then on everything must come right. */
async function end(stage: Stage): Promise<void> {
  const { service, clicks } = stage;
  if (stage.fate.create) service.faults.clear();
  await Promise.all(stage.deliveries);
  const last = await stage.open();
  const settled = await eventually(async () => {
    const records = await last.window.journal.read();
    return records.every((record) => !isUnresolved(record) && (record.ids.length === 0 || record.facts.has("looked")));
  });
  stage.check(settled, "liveness", "a launch never came to an end");
  // What the second looks must have found by now, before anybody refreshes anything.
  const found = new Set(
    (await last.window.journal.read()).flatMap(({ token, ids }) => (ids.length > 0 ? [token] : [])),
  );
  for (const [token, ids] of stage.ledger())
    if (found.has(token) && stage.secondsBetween(ids) <= SEEN_BY_SECOND_LOOKS)
      stage.check(ids.length < 2 || alarmed(stage, token, ids), "P4", `${token}: second looks missed one of ${ids}`);
  await last.window.instances.collection.refresh();
  await last.window.watch.look().catch(() => false);
  await judge(stage, last.window);
  for (const { life, outcome, intent } of clicks)
    stage.check(life.dead || outcome !== undefined, "P6", `${intent.token}: nothing was told`);
}

function alarmed(stage: Stage, token: string, ids: readonly number[]): boolean {
  return stage.told(
    token,
    ({ kind, record }) => kind === "doubled" && ids.every((id) => record.ids.some((one) => one === id)),
  );
}

async function judge(stage: Stage, last: Window): Promise<void> {
  const ledger = stage.ledger();
  const records = await last.journal.read();
  for (const token of new Set([...ledger.keys(), ...records.map((record) => record.token)])) {
    const held = ledger.get(token) ?? [];
    const record = records.find((one) => one.token === token);
    const told: readonly number[] = record?.ids ?? [];
    stage.check(same(told, held), "P2", `${token}: told ${told}, held ${held}`);
    const rows = last.instances.rows
      .filter(({ value }) => launchToken(value.label) === token)
      .map(({ value }) => value.id);
    stage.check(same(rows, held), "P2b", `${token}: shown ${rows}, held ${held}`);
    if (held.length > 1) stage.check(alarmed(stage, token, held), "P4", `${token}: no alarm for ${held}`);
    const final = stage.clicks.some(({ intent, outcome }) => intent.token === token && isFinalNo(outcome));
    stage.check(held.length === 0 || !final, "P3", `${token}: "nothing was rented" was said, and ${held} were`);
    const likelyNot = stage.clicks.some(({ intent, outcome }) => intent.token === token && isLikelyNo(outcome));
    const saidAbsent = stage.told(token, ({ kind }) => kind === "absent");
    const saidLate = stage.told(token, ({ kind }) => kind !== "absent");
    stage.check(
      !saidAbsent || held.length === 0 || saidLate,
      "P3b",
      `${token}: came after "not found" and was not told`,
    );
    stage.check(
      !likelyNot || held.length === 0 || saidLate,
      "P3c",
      `${token}: "most likely nothing was rented" was said, ${held} were, and nobody took it back`,
    );
    if (record) stage.check(launchState(record) !== "unresolved", "P6", `${token} is still open`);
  }
  for (const name of await readdir(stage.desk.folder)) {
    const text = await readFile(join(stage.desk.folder, name), "utf8");
    for (const secret of [stage.service.apiKey, CANARY])
      stage.check(!text.includes(secret), "P7", `${name} holds what must not be kept`);
  }
}

function isFinalNo(outcome: Click["outcome"]): boolean {
  return typeof outcome === "object" && outcome.kind === "not-rented" && outcome.proven;
}

/** The service said no, and the person heard so. */
function isLikelyNo(outcome: Click["outcome"]): boolean {
  return typeof outcome === "object" && outcome.kind === "not-rented" && !outcome.proven;
}

function same(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((id) => other.includes(id));
}

async function eventually(holds: () => Promise<boolean>): Promise<boolean> {
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await sleep(20))
    if (await holds()) return true;
  return false;
}
