// One launch from the click to the last look, under a drawn fate, and whether every promise was kept (P1 to P7,
// test/model/README.md).

import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { OfferId } from "../../src/domain/base/id.ts";
import { readLaunchToken } from "../../src/domain/instance/instance.ts";
import { getLaunchState, isUnresolved } from "../../src/domain/launch/launch-record.ts";
import { anySearch } from "../../src/domain/offer/offer-search.ts";
import { sleep } from "../../src/lib/clock.ts";
import { createInstance } from "../../src/sandbox/handlers/create-instance.ts";
import type { RequestLine } from "../../src/sandbox/http/request-line.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/start.ts";
import { createIntent } from "../../src/services/launch/intent.ts";
import { newUserData, planFor, removeUserData } from "../journeys/editor-window.ts";
import { levelTraffic } from "../journeys/support.ts";
import { CONFIGURED_SECRETS, judgeConfigured, spoilVolume, withConfigured } from "./configured.ts";
import { drawFate, type Fate } from "./fate.ts";
import { type Breakage, RATE, worldClock } from "./life.ts";
import { destroyedBy, judgeReplacement, rentWithReplacements, stopWaitedFor } from "./replacements.ts";
import { type Click, Stage, type Window } from "./stage.ts";
import { onCreate } from "./wire.ts";

/** Real milliseconds until a story that never ends is called one: a busy machine may take a minute for what takes seconds. */
const PATIENCE_MS = 240_000;
/** Real milliseconds from a window's last look until it must have told what it found. */
const TELLING_MS = 10_000;
/** Stands in what is sent and must never reach the journal. */
const CANARY = "canary-label";

/** What a network repeats later than this is found by the next refresh of the list. */
const SEEN_BY_SECOND_LOOKS = 285;

const modelSleep = (seconds: number) => sleep((seconds * 1000) / RATE);

/** @returns what was violated; nothing for a protocol that keeps its word. */
export async function play(seed: number, breakage: Breakage = {}): Promise<readonly string[]> {
  const fate = drawFate(seed);
  let stage: Stage | undefined;
  const service = await startSandbox({
    seed: 1,
    clock: worldClock,
    requests: (line) => stage && deliver(stage, line),
  });
  levelTraffic(service);
  const userData = newUserData();
  stage = new Stage(service, userData, fate, breakage);
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
    await removeUserData(userData);
  }
  return stage.violations;
}

/** The first byte of a create leaves: that may happen one time an intent, and only after its claim is on the disk. */
function sent(stage: Stage, token: string): void {
  const { fate, service } = stage;
  const times = (stage.sends.get(token) ?? 0) + 1;
  stage.sends.set(token, times);
  stage.check(times === 1, "P1", `${token} was sent ${times} times`);
  stage.check(
    existsSync(join(stage.userData.folder, `${token}.claimed`)),
    "P5",
    `${token} was sent before it was claimed`,
  );
  judgeReplacement(stage, token);
  if (stage.reviewed) spoilVolume(stage, "on its way", stage.reviewed);
  // Where machines die, the fault befalls a later request of the chain as often as the first.
  if (fate.create && stage.sends.size > fate.faultAfter) service.faults.add(fate.create);
  for (const fault of fate.reads) service.faults.add(fault);
  if (times === 1 && fate.stopsAt !== undefined && stage.stopped.size === 0)
    void modelSleep(fate.stopsAt).then(() => stopWaitedFor(stage, token));
  if (times === 1) {
    void modelSleep(fate.readsUntil).then(() => {
      for (const fault of fate.reads) service.faults.delete(fault);
    });
  }
}

/** What the network does with a create request beside delivering it once: later, or once more. */
function deliver(stage: Stage, { method, path, body }: RequestLine): void {
  for (const id of destroyedBy({ method, path, body })) stage.destroyed.add(id);
  const [, offer] = /^\/api\/v0\/asks\/(\d+)\/$/.exec(path) ?? [];
  if (method !== "PUT" || offer === undefined) return;
  const { delivered, repeated } = stage.fate;
  for (const seconds of [delivered, repeated]) {
    if (seconds === undefined) continue;
    // A request that was never carried out can't be repeated.
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
    world.repeat(() => createInstance(world, OfferId.parse(offer), body));
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
  const plan = withConfigured(stage, planFor(offer, CANARY));
  stage.reviewed = plan;
  if (fate.create && fate.faultAfter === 0) service.faults.add(fate.create);
  const intent = createIntent();
  const second = fate.secondWindow && (await stage.open());
  first.life.dieAfter(fate.dies);
  first.life.fillAt(fate.fullAt);
  spoilVolume(stage, "before", plan);
  const clicks = [
    fate.machinesDie > 0 ? rentWithReplacements(stage, first, offers, CANARY) : stage.click(first, plan, intent),
  ];
  if (fate.doubleClick && fate.machinesDie === 0) clicks.push(stage.click(first, plan, intent));
  if (second) clicks.push(stage.click(second, plan, fate.secondWindow === "same" ? intent : createIntent()));
  stage.check(await within(PATIENCE_MS, Promise.all(clicks)), "liveness", "a click never came to an end");
  await modelSleep(fate.backAfter);
  const back = await stage.open(fate.diesAgain);
  void back.window.instances.collection.refresh();
  await modelSleep(60);
}

/** The faults end, what is late arrives, someone opens a window: from then on everything must come right. */
async function end(stage: Stage): Promise<void> {
  const { service, clicks } = stage;
  if (stage.fate.create)
    for (const fault of service.faults) if (fault !== "stopped-is-exited") service.faults.delete(fault);
  await Promise.all(stage.deliveries);
  const last = await stage.open();
  const settled = await eventually(async () => {
    const records = await last.window.journal.read();
    return records.every((record) => !isUnresolved(record) && (record.ids.length === 0 || record.facts.has("looked")));
  });
  stage.check(settled, "liveness", "a launch never came to an end");
  // What the second looks must have found by now, before anyone refreshes anything.
  const found = new Set(
    (await last.window.journal.read()).flatMap(({ token, ids }) => (ids.length > 0 ? [token] : [])),
  );
  for (const [token, ids] of stage.ledger())
    if (found.has(token) && ids.length > 1 && stage.secondsBetween(ids) <= SEEN_BY_SECOND_LOOKS) {
      // The window that looked writes that down before it tells anyone.
      const isAlarmed = await eventually(async () => alarmed(stage, token, ids), TELLING_MS);
      stage.check(isAlarmed, "P4", `${token}: second looks missed one of ${ids}`);
    }
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
    // A dead machine that was replaced, and one that its person destroyed, are told and no longer there.
    const told: readonly number[] = (record?.ids ?? []).filter((id) => held.includes(id) || !stage.destroyed.has(id));
    stage.check(same(told, held), "P2", `${token}: told ${told}, held ${held}`);
    const rows = last.instances.rows
      .filter(({ value }) => readLaunchToken(value.label) === token)
      .map(({ value }) => value.id);
    stage.check(same(rows, held), "P2b", `${token}: shown ${rows}, held ${held}`);
    if (held.length > 1) stage.check(alarmed(stage, token, held), "P4", `${token}: no alarm for ${held}`);
    const final = stage.clicks.some(({ intent, outcome }) => intent.token === token && isFinalNo(outcome));
    stage.check(held.length === 0 || !final, "P3", `${token}: "nothing was rented" was said, and ${held} were`);
    const likelyNot = stage.clicks.some(({ intent, outcome }) => intent.token === token && isLikelyNo(outcome));
    const saidAbsent = stage.told(token, ({ kind }) => kind === "absent");
    // The launch itself may still have been waited for when another window gave it up.
    const saidRented = stage.clicks.some(({ intent, outcome }) => intent.token === token && isRented(outcome));
    const saidLate = saidRented || stage.told(token, ({ kind }) => kind !== "absent");
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
    if (record) stage.check(getLaunchState(record) !== "unresolved", "P6", `${token} is still open`);
  }
  if (stage.reviewed) judgeConfigured(stage, stage.reviewed);
  for (const id of stage.stopped)
    stage.check(!stage.destroyed.has(id), "S1", `${id} was destroyed though its owner had stopped it`);
  // A window may just be writing one that isn't there yet.
  for (const name of (await readdir(stage.userData.folder)).filter((one) => !one.startsWith("."))) {
    const text = await readFile(join(stage.userData.folder, name), "utf8");
    for (const secret of [stage.service.apiKey, CANARY, ...CONFIGURED_SECRETS])
      stage.check(!text.includes(secret), "P7", `${name} holds what must not be kept`);
  }
}

function isFinalNo(outcome: Click["outcome"]): boolean {
  return typeof outcome === "object" && outcome.kind === "not-rented" && outcome.proven;
}

function isRented(outcome: Click["outcome"]): boolean {
  return typeof outcome === "object" && outcome.kind === "rented";
}

/** The service said no, and the person heard so. */
function isLikelyNo(outcome: Click["outcome"]): boolean {
  return typeof outcome === "object" && outcome.kind === "not-rented" && !outcome.proven;
}

function same(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((id) => other.includes(id));
}

/** Whether it ended in so many real milliseconds. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const ended = new AbortController();
  const late = sleep(ms, ended.signal).then(
    () => false,
    () => true,
  );
  return Promise.race([work.then(() => true), late]).finally(() => ended.abort());
}

async function eventually(holds: () => Promise<boolean>, ms = PATIENCE_MS): Promise<boolean> {
  for (const until = performance.now() + ms; performance.now() < until; await sleep(20)) if (await holds()) return true;
  return false;
}
