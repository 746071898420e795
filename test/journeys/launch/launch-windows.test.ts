// Two windows and one launch: its end is told by the window that sent it, and by the next one where that window died.
import assert from "node:assert/strict";
import { mkdtemp, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type Clock, realClock } from "../../../src/lib/clock.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { Heartbeat } from "../../../src/services/core/heartbeat.ts";
import { Scheduler } from "../../../src/services/core/scheduler.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { fastClock, lifeOf, planFor } from "../editor-window.ts";
import { cheapest, editorWindow, eventually, pass, sandbox, serve, signedIn } from "../support.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("a launch that another window waits for", () => {
  test("is not told here while its request is under way, nor after it succeeded", async () => {
    const service = await sandbox();
    const url = await serve(async (request, body) => {
      const answer = await pass(service.url, request, body);
      if (request.method === "PUT" && request.url?.startsWith("/api/v0/asks/")) await pause(800);
      return answer;
    });
    const one = editorWindow(undefined, { clock: fastClock, liveness: lifeOf("one", "two") });
    await one.session.signIn(url, service.apiKey);
    const two = editorWindow(one.userData, { clock: fastClock, liveness: lifeOf("two", "one") });
    await two.session.restore();
    const renting = one.rent(planFor(await cheapest(one)), createIntent());
    await eventually(async () => {
      await two.watch.look();
      return two.watch.records.some(({ ids }) => ids.length > 0);
    }, "the other one found it first");
    const outcome = await renting;
    assert.equal(outcome.kind, "rented");
    two.watch.wake();
    await pause(300);
    assert.deepEqual([...one.notices, ...two.notices], []);
  });

  test("is told there and only there where its answer was lost", async () => {
    const one = await signedIn({}, { clock: fastClock, liveness: lifeOf("one", "two") });
    const plan = planFor(await cheapest(one));
    const two = editorWindow(one.userData, { clock: fastClock, liveness: lifeOf("two", "one") });
    await two.session.restore();
    one.service.faults.add("reset-after@createInstance");
    const outcome = await one.rent(plan, createIntent());
    assert.ok(outcome.kind === "rented" || outcome.kind === "unknown");
    await eventually(async () => (await one.journal.read())[0]?.facts.has("told") ?? false, "its person heard");
    two.watch.wake();
    await pause(300);
    assert.deepEqual(two.notices, []);
  });

  test("is told here once that window is gone", async () => {
    const one = await signedIn({}, { clock: fastClock, liveness: lifeOf("one") });
    const intent = createIntent();
    const offer = await cheapest(one);
    const { tag, address } = one.me();
    await one.journal.prepare(intent.token, {
      version: 1,
      origin: address.origin,
      account: tag,
      offer: offer.id,
      machine: "1× A",
      at: Date.now(),
      tracked: true,
      owner: "one",
    });
    await one.journal.claim(intent.token);
    await one
      .me()
      .client.createInstance(offer.id, { image: "a/b", runtype: "ssh_direct", label: intent.token } as never);
    one.close();
    let isAlive = true;
    const liveness = { ...lifeOf("two"), isAlive: async (id: string) => id === "two" || (id === "one" && isAlive) };
    const two = editorWindow(one.userData, { clock: fastClock, liveness });
    await two.session.restore();
    await eventually(() => two.watch.records.some(({ ids }) => ids.length === 1), "it was found");
    await pause(100);
    assert.deepEqual(two.notices, [], "the other window may be about to tell");
    isAlive = false;
    await eventually(() => two.notices.length > 0, "it was told");
    assert.deepEqual(
      two.notices.map(({ kind }) => kind),
      ["found"],
    );
  });
});

test("a window shows that it works for as long as it does, and is forgotten when it closes or falls silent", async () => {
  const folder = join(await mkdtemp(join(tmpdir(), "cloud-gpu-windows-")), "windows");
  const newHeartbeat = (clock: Clock) => new Heartbeat(folder, new Scheduler(clock, silentLog), silentLog);
  // The second is awake for long in little time.
  const [one, two] = [newHeartbeat(realClock), newHeartbeat({ ...realClock, sleep: fastClock.sleep })];
  assert.equal(await two.isAlive(one.id), false);
  const rest = one.begin();
  await eventually(() => two.isAlive(one.id), "it is seen");
  rest();
  assert.equal(await two.isAlive(one.id), true, "what it did last may not have been read yet");
  const past = new Date(Date.now() - 41_000);
  await utimes(join(folder, one.id), past, past);
  await eventually(async () => !(await two.isAlive(one.id)), "it fell silent");
  await two.tidy();
  const again = one.begin();
  await eventually(() => two.isAlive(one.id), "its file is made again");
  again();
  one.dispose();
  await eventually(async () => !(await two.isAlive(one.id)), "it closed");
  assert.equal(await two.isAlive("../one"), false);
  assert.equal(await one.isAlive(one.id), true, "of itself it knows");
  two.dispose();
});
