// What is said of an idle instance, and of what a person ordered for it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { IdleState } from "../../../../src/domain/instance/idle.ts";
import type { IdleKeeperDoubt, IdleKeeperGuard } from "../../../../src/domain/instance/idle-keeper.ts";
import { Instance } from "../../../../src/domain/instance/instance.ts";
import {
  describeIdleEnded,
  describeIdleInstances,
  describeIdleSoon,
} from "../../../../src/present/instance/idle-messages.ts";
import {
  describeIdle,
  describeIdleTimeout,
  describeIdleWish,
  describeKeeperUnreached,
  formatIdle,
  formatIdleWish,
} from "../../../../src/present/instance/idle-text.ts";
import { buildInstanceRow } from "../../../../src/present/instance/instances.ts";

const MINUTE = 60_000;
const state = (minutes: number, more: Partial<IdleState> = {}): IdleState => ({
  ...{ time: minutes * MINUTE, percent: 10, source: "service", gpus: undefined },
  ...more,
});
const instance = (id: number, more: object = {}) =>
  Instance.parse({
    id,
    label: `job ${id}`,
    dph_total: 0.4,
    actual_status: "running",
    intended_status: "running",
    ...more,
  });
const told = (id: number, more: object = {}) => ({
  instance: instance(id, more),
  state: state(34),
  launchPrice: undefined,
});

const stops = { minutes: 60, ending: "stop", isDoubted: false } as const;
const destroys = { minutes: 15, ending: "destroy", isDoubted: false } as const;

test("a row says how long, and its ID doesn't change", () => {
  const facts = { value: instance(7), launchPrice: undefined, staleSince: undefined, now: 1e12, tag: "t" };
  const row = buildInstanceRow({ ...facts, idle: state(34.9), idleWish: stops });
  assert.match(row.description, /^\$0\.400?\/h · idle 34 min · stops after 1 h idle/);
  assert.match(row.accessible ?? "", /idle 34 min/);
  assert.equal(row.id, buildInstanceRow(facts).id);
  assert.doesNotMatch(buildInstanceRow(facts).description, /idle/);
  const shown = Object.fromEntries(row.tooltip?.().facts ?? []);
  assert.equal(shown["Idle for"], "34 min, all GPUs below 10% (reported by the service)");
  assert.equal(shown["Idle timeout"], "stops after 1 h idle (if VS Code is open and signed in)");
});

test("its source is named", () => {
  assert.equal(formatIdle(state(200)), "idle 3 h");
  assert.equal(describeIdle(undefined), undefined);
  const gpus = { load: 1, memory: 20_480, watts: 30 };
  const machine = state(34, { source: "machine", gpus });
  assert.equal(describeIdle(machine), "34 min, all GPUs below 10%, 20.0 GB of GPU memory in use (nvidia-smi)");
  assert.equal(
    describeIdle(state(34, { source: "machine", gpus: { ...gpus, memory: undefined } })),
    "34 min, all GPUs below 10% (nvidia-smi)",
  );
  assert.equal(formatIdleWish(destroys), "destroys after 15 min idle");
  assert.match(describeIdleWish(destroys) ?? "", /\(if VS Code is open and signed in\)$/);
  const doubted = { ...destroys, isDoubted: true };
  assert.equal(formatIdleWish(doubted), "idle timeout unknown");
  assert.match(describeIdleWish(doubted) ?? "", /can't be read, so nothing is done\. Set it again\.$/);
});

test("an instance is said to do it itself only while it has shown that", () => {
  const now = 1e12;
  const armed = (lookedAt: number) => ({ ...stops, guard: { kind: "armed", lookedAt } as const });
  assert.equal(formatIdleWish(armed(now - 1.2 * MINUTE), now), "stops itself after 1 h idle (checked 2 min ago)");
  assert.equal(describeIdleWish(armed(now), now), "stops itself after 1 h idle (checked 1 min ago)");
  const orDestroy = { ...armed(now), orDestroy: true };
  const failing = "stops itself after 1 h idle, or destroys itself if that fails (checked 1 min ago)";
  assert.deepEqual([formatIdleWish(orDestroy, now), describeIdleWish(orDestroy, now)], [failing, failing]);
  const unproven = { ...orDestroy, guard: { kind: "unverified", doubt: "refused" } as const };
  assert.equal(formatIdleWish(unproven, now), "stops after 1 h idle", "nothing more is promised");
  assert.match(
    describeIdleWish(unproven, now) ?? "",
    /signed in\); destroyed if that fails only once self-stop is verified; no self-stop: the service doesn't accept/,
  );
  assert.match(describeIdleTimeout(orDestroy) ?? "", /Everything on its disk is lost if stopping fails for 30 min/);
  assert.doesNotMatch(describeIdleTimeout(stops) ?? "", /lost/);
  const ends = { ...destroys, guard: { kind: "armed", lookedAt: now } as const };
  assert.equal(describeIdleWish(ends, now), "destroys itself after 15 min idle (checked 1 min ago)");
  assert.equal(formatIdleWish({ ...ends, isDoubted: true }, now), "idle timeout unknown");
  assert.equal(formatIdleWish(ends), "destroys after 15 min idle", "without a time, nothing is known of now");

  const window = "stops after 1 h idle (if VS Code is open and signed in)";
  const said: Readonly<Record<IdleKeeperDoubt | "none", string>> = {
    none: window,
    starting: window,
    missing: `${window}; self-stop not verified`,
    ended: `${window}; self-stop not verified`,
    refused: `${window}; no self-stop: the service doesn't accept the instance's key`,
    blind: `${window}; no self-stop: the instance can't tell whether it's idle`,
    other: `${window}; the instance may follow another idle timeout`,
    unread: `${window}; the instance may still follow its previous idle timeout`,
  };
  for (const [doubt, text] of Object.entries(said)) {
    const guard = { kind: "unverified", ...(doubt === "none" ? {} : { doubt }) } as IdleKeeperGuard;
    assert.equal(describeIdleWish({ ...stops, guard }, now), text);
    assert.equal(formatIdleWish({ ...stops, guard }, now), "stops after 1 h idle");
  }
  assert.match(
    describeKeeperUnreached(instance(31245).id),
    /^Cloud GPU couldn't reach instance 31245, which may still/,
  );
});

test("the message names the price, and several are one", () => {
  assert.match(describeIdleInstances([told(7)]), /^job 7 \(7\) has been idle for 34 min\. It costs \$0\.400?\/h\.$/);
  assert.match(describeIdleInstances([told(7, { dph_total: null })]), /It costs \$\?\/h\.$/);
  const many = describeIdleInstances([7, 8, 9, 10, 11].map((id) => told(id)));
  assert.match(
    many,
    /^5 instances are idle: job 7 \(7\), job 8 \(8\), job 9 \(9\) and 2 more\. Together they cost \$2/,
  );
});

test("a warning and its outcome say what happens", () => {
  const wish = { minutes: 30, ending: "destroy" } as const;
  assert.match(describeIdleSoon(instance(7), wish, { left: 10 }), /destroy it and its disk in 10 min unless it's used/);
  const done = { id: 7, kind: "destroy", outcome: "done" } as const;
  assert.match(describeIdleEnded(instance(7), wish, done), /was destroyed after being idle for 30 min/);
  assert.match(describeIdleEnded(instance(7), wish, { ...done, kind: "stop" }), /Its disk still costs money\.$/);
  assert.match(
    describeIdleEnded(instance(7), wish, { ...done, outcome: "failed", reason: "No." }),
    /No\. Cloud GPU keeps trying/,
  );
});

test("a label with a link stays text", () => {
  const label = "[free](command:cloudGpu.instance.destroy) $(trash)";
  assert.ok(describeIdleInstances([told(7, { label })]).includes("(7)"));
});
