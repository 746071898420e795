// When a machine that began to run can be logged in to: what its row and the launch say until then, and never longer than that.
import assert from "node:assert/strict";
import { test } from "node:test";
import { InstanceId } from "../../../src/domain/base/id.ts";
import type { Instance } from "../../../src/domain/instance/instance.ts";
import type { LaunchMessage, LaunchStage } from "../../../src/domain/launch/launch-messages.ts";
import { calculatePlanPrice } from "../../../src/domain/launch/launch-plan.ts";
import { anySearch } from "../../../src/domain/offer/offer-search.ts";
import { realClock } from "../../../src/lib/clock.ts";
import type { SandboxOptions } from "../../../src/sandbox/start.ts";
import { listSshAddresses } from "../../../src/services/connection/addresses.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import type { LaunchPerson, Rental } from "../../../src/services/launch/launch-steps.ts";
import { clockAt, planFor } from "../editor-window.ts";
import { cheapest, cleanUp, editorWindow, eventually, showAs, signedIn } from "../support.ts";
import { rentElsewhere } from "../written.ts";

/** Three minutes in six seconds: a try still has time for a connection. */
const quick = clockAt(30);

/** Someone who launches, watches the progress, and leaves it once `leavesAt` is said. */
function watcher(leavesAt?: (stage: LaunchStage) => boolean) {
  const stages: LaunchStage[] = [];
  const told: LaunchMessage[] = [];
  const leaving = new AbortController();
  const who: LaunchPerson = {
    confirm: async () => assert.fail("nothing is asked"),
    tell: async (message) => void told.push(message),
    wait: (work) => work(),
    accompany: (_, work) =>
      work((stage) => {
        stages.push(stage);
        if (leavesAt?.(stage)) leaving.abort();
      }, leaving.signal),
  };
  const ssh = () => [...new Set(stages.map((stage) => (typeof stage === "string" ? undefined : stage.ssh)))];
  return { ...who, stages, told, ssh };
}

async function launching(options: SandboxOptions = {}, clock = quick) {
  const window = await signedIn({ ssh: true, ...options }, { clock });
  const { world } = window.service;
  for (const offer of world.offers) if (offer.fate !== "gone") world.setFate(offer.id, "runs");
  const plan = planFor(await cheapest(window));
  const rental: Rental = {
    account: window.me(),
    plan,
    search: { ...anySearch },
    intent: createIntent(),
    chain: { price: calculatePlanPrice(plan), tries: 0 },
    withoutTracking: false,
  };
  const polling = setInterval(() => void window.instances.collection.refresh(), 50);
  cleanUp(() => clearInterval(polling));
  return { ...window, rental, world };
}

test("a launch says “running” once the SSH server answers, and “starting SSH” before", async () => {
  const window = await launching({ faults: ["ssh-late"] });
  const who = watcher();
  await window.runner.run(who, window.rental);
  assert.deepEqual(
    who.told.map(({ kind }) => kind),
    ["running"],
  );
  assert.ok(who.ssh().includes("starting"));
  const [instance] = window.instances.rows;
  assert.ok(instance);
  assert.equal(window.readiness.getState(instance.value.id), "ready");
});

test("a server that stays silent is waited for as long as promised, and not claimed", async () => {
  const window = await launching({ faults: ["ssh-silent"] });
  const who = watcher();
  const started = quick.elapsed();
  await window.runner.run(who, window.rental);
  assert.deepEqual(
    who.told.map(({ kind }) => kind),
    ["silent"],
  );
  assert.ok(quick.elapsed() - started >= 180_000);
  const [instance] = window.instances.rows;
  assert.ok(instance);
  assert.equal(window.readiness.getState(instance.value.id), "silent");
});

test("who leaves the wait for SSH is told that it runs, and asked nothing", async () => {
  const window = await launching({ faults: ["ssh-silent"] }, realClock);
  const who = watcher((stage) => typeof stage !== "string" && stage.ssh === "starting");
  await window.runner.run(who, window.rental);
  assert.deepEqual(
    who.told.map(({ kind }) => kind),
    ["running"],
  );
});

test("a machine that is destroyed meanwhile is said to be gone", async () => {
  const window = await launching({ faults: ["ssh-silent"] }, realClock);
  const who = watcher((stage) => {
    const isReached = typeof stage !== "string" && stage.ssh === "starting";
    if (isReached) window.world.destroy(stage.id);
    return false;
  });
  await window.runner.run(who, window.rental);
  assert.deepEqual(
    who.told.map(({ kind }) => kind),
    ["gone"],
  );
});

test("a machine that dies meanwhile is said to be dead", async () => {
  const window = await launching({ faults: ["ssh-silent"] }, realClock);
  const who = watcher((stage) => {
    const isReached = typeof stage !== "string" && stage.ssh === "starting";
    if (isReached) for (const instance of window.world.listInstances()) showAs(instance, "exited");
    return false;
  });
  await window.runner.run(who, window.rental);
  assert.deepEqual(
    who.told.map(({ kind }) => kind),
    ["dead"],
  );
});

test("an account that is left meanwhile is said so, and its rows forget", async () => {
  const window = await launching({ faults: ["ssh-silent"] }, realClock);
  const who = watcher((stage) => {
    if (typeof stage !== "string" && stage.ssh === "starting") void window.session.signOut();
    return false;
  });
  await window.runner.run(who, window.rental);
  assert.deepEqual(
    who.told.map(({ kind }) => kind),
    ["left-account"],
  );
  const [instance] = window.world.listInstances();
  assert.ok(instance);
  assert.equal(window.readiness.getState(InstanceId.parse(instance.id)), undefined);
});

test("a machine that lists no address, and one that ran before the window opened, are not waited for", async () => {
  const silent = await launching({ ssh: false });
  const who = watcher();
  await silent.runner.run(who, silent.rental);
  assert.deepEqual(
    [who.told.map(({ kind }) => kind), who.ssh().filter((state) => state !== undefined)],
    [["running"], []],
  );

  const window = await launching({ faults: ["ssh-silent"] });
  const id = await rentElsewhere(window);
  await eventually(() => window.instances.find(id)?.value.actual_status === "running", "it runs");
  const other = editorWindow(undefined, { clock: quick });
  await other.session.signIn(window.service.url, window.service.apiKey);
  await other.instances.collection.refresh();
  assert.equal(other.instances.find(id)?.value.actual_status, "running");
  assert.equal(other.readiness.getState(id), undefined);
});

test("a machine that starts by itself is waited for, and one that stops is forgotten", async () => {
  const window = await launching({ faults: ["ssh-silent"] }, realClock);
  const id = await rentElsewhere(window);
  await eventually(() => window.readiness.getState(id) === "starting", "it is waited for");
  assert.equal(await window.stop(id), true);
  await eventually(() => window.readiness.getState(id) === undefined, "it is forgotten");
});

test("a service somewhere else has no machine on this computer", async () => {
  const window = await launching();
  const id = await rentElsewhere(window);
  await eventually(() => window.instances.find(id) !== undefined, "it is listed");
  const record = window.instances.find(id)?.value;
  assert.ok(record);
  const there = { sandbox: false, address: { ...window.me().address, origin: "https://gpu.example.com" } };
  for (const host of ["127.0.0.1", "127.9.9.9", "localhost", "x.localhost", "::1", "0.0.0.0"]) {
    const instance: Instance = { ...record, ports: undefined, ssh_host: host, ssh_port: 22 };
    assert.deepEqual(listSshAddresses(there, instance), []);
    assert.equal(listSshAddresses(window.me(), instance).length, 1);
  }
});
