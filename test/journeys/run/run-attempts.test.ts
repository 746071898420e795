// A run that continues automatically on other instances: as often as was agreed to, within what was agreed to, and never where someone ended it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { RunLimits } from "../../../src/domain/run/run-limits.ts";
import type { RunRecord } from "../../../src/domain/run/run-record.ts";
import { Rehearsal } from "../../../src/sandbox/world/rehearsal.ts";
import { rentForAttempts, startAttempts } from "../../../src/services/run/attempts/run-attempts.ts";
import { RunJournal } from "../../../src/services/run/run-journal.ts";
import { ended, fetched, skip, type watchRun } from "../run-machine.ts";
import { cleanUp, eventually, levelTraffic } from "../support.ts";
import { confirmRun, type RentWish } from "./run-person.ts";
import { DRAFT, losingAt, openWindow, TRAIN_IN_PYTHON, type Window } from "./taken-away.ts";

type Watching = ReturnType<typeof watchRun>;

/** Waits for its instance to be taken away. */
const WAIT = { files: { "a.sh": "mkdir -p out; echo $CLOUD_GPU_ATTEMPT > out/state; sleep 600\n" } };

/** From the summary's one confirmation to the end of the last attempt. `during`: what happens to each as soon as its command runs. */
async function runToEnd(
  window: Window,
  { limits, ...wish }: RentWish & { readonly limits: RunLimits },
  during: readonly ((run: RunRecord, watching: Watching) => Promise<void>)[],
) {
  const polling = setInterval(() => void window.instances.collection.refresh(), 100);
  cleanUp(() => clearInterval(polling));
  const confirmed = await confirmRun(window, { gpu: "RTX A5000", draft: { ...DRAFT, limits }, ...wish });
  const { person, watching } = confirmed;
  const following = { account: window.me(), ...watching };
  const used: RunRecord[] = [];
  const meet = async (run: RunRecord) => {
    used.push(run);
    await during[used.length - 1]?.(run, watching);
  };
  const first = await rentForAttempts(window, person, confirmed.confirmed, watching);
  const running = startAttempts(window.runs, first, following, ({ run }) => void meet(run));
  running.catch(() => undefined);
  await meet(first.run);
  const end = await Promise.allSettled([running]);
  clearInterval(polling);
  const why = () => watching.stages.flatMap((stage) => (stage.kind === "not-continued" ? [stage.why] : []));
  return { ...confirmed, end: end[0], used, why, lost: () => watching.kinds().includes("lost") };
}

/** Once its command runs, something happens to its instance. */
const then =
  (happen: (run: RunRecord) => unknown) =>
  async (run: RunRecord, { stages }: Watching): Promise<void> => {
    await eventually(() => stages.at(-1)?.kind === "running", "its command runs");
    await happen(run);
  };

/** What the same script comes to if nothing happens to it. */
async function trainHere(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-train-"));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  const env = { ...process.env, CLOUD_GPU_ATTEMPT: "3" };
  const { status } = spawnSync("python3", ["-c", TRAIN_IN_PYTHON], { cwd: folder, env });
  assert.equal(status, 0);
  return await readFile(join(folder, "out/line.json"), "utf8");
}
const noPython = spawnSync("python3", ["--version"]).status !== 0 && "needs python3";

const THREE: RunLimits = { maxHours: 8, maxCost: 50, maxAttempts: 3 };
/** Wherever it is rented. */
const ANYWHERE: RunLimits = { ...THREE, maxPricePerHour: 5 };

describe("a run that continues automatically", { skip }, () => {
  test("trains on three instances after one confirmation, with the result of one", { skip: noPython }, async () => {
    const window = await openWindow();
    const wish = { files: { "train.py": TRAIN_IN_PYTHON }, command: "python3 train.py", limits: ANYWHERE };
    const losses = [10, 20].map((epoch) => losingAt(window, `{"epoch": ${epoch},`, "out/checkpoint.json"));
    const { end, used, watching } = await runToEnd(window, wish, losses);
    assert.ok(end.status === "fulfilled", String(end.status === "rejected" && end.reason));
    const over = end.value;
    assert.equal(ended(over).exit, 0);
    assert.equal(await readFile(join(fetched(over).place, "out/line.json"), "utf8"), await trainHere());
    assert.equal(new Set(used.map(({ instance }) => instance)).size, 3);
    assert.deepEqual(window.service.world.listInstances(), [], "and nothing is left that costs money");
    assert.deepEqual(
      watching.stages.flatMap((stage) => (stage.kind === "lost" ? [[stage.attempt, stage.most]] : [])),
      [
        [2, 3],
        [3, 3],
      ],
    );
    // What is left of the limits becomes less, and what was agreed to stays known.
    const { limits } = over.plan;
    assert.equal(limits?.maxAttempts, 1);
    assert.ok((limits?.maxHours ?? 9) < 8 && (limits?.maxCost ?? 99) <= 50);
    assert.deepEqual(over.agreed, ANYWHERE);
    assert.equal((await window.runs.readAll(window.me())).length, 1);
  });

  test("ends with the last attempt that was agreed to", async () => {
    const window = await openWindow();
    const { world } = window.service;
    const lose = then(({ instance }) => world.destroy(instance));
    const { end, used, why } = await runToEnd(window, { ...WAIT, limits: { ...ANYWHERE, maxAttempts: 2 } }, [
      lose,
      lose,
    ]);
    assert.ok(end.status === "fulfilled");
    assert.deepEqual([ended(end.value).rental?.kind, used.length, why()], ["gone", 2, []]);
    assert.deepEqual(world.listInstances(), []);
  });

  test("goes on from an instance that was outbid, which is stopped and kept", async () => {
    const window = await openWindow();
    const { world } = window.service;
    const bid = then(({ instance }) => assert.ok(new Rehearsal(world).outbid(instance)));
    const wish = { files: { "a.sh": 'mkdir -p out; [ "$CLOUD_GPU_ATTEMPT" = 2 ] || sleep 600\n' } };
    const { end, used } = await runToEnd(window, { ...wish, limits: THREE, plan: { type: "bid", bid: 5 } }, [bid]);
    assert.ok(end.status === "fulfilled", String(end.status === "rejected" && end.reason));
    assert.deepEqual([ended(end.value).exit, used.length], [0, 2]);
    const [left] = world.listInstances();
    assert.deepEqual([left?.id, left && world.toRecord(left).intended_status], [used[0]?.instance, "stopped"]);
  });

  for (const [name, happen, message] of [
    [
      "whose command was asked to stop",
      async (window: Window, run: RunRecord) => {
        const journal = new RunJournal(join(window.userData.root, "runs"), window.clock);
        await journal.change(run.id, { isStopAsked: true });
        window.service.world.destroy(run.instance);
      },
      undefined,
    ],
    [
      "whose instance the person destroyed here",
      async ({ orders, me }: Window, { instance: id }: RunRecord) =>
        await orders.carryOut(me(), "destroy", [{ value: { id } }]),
      /was stopped or destroyed from VS Code/,
    ],
    [
      "whose instance someone stopped elsewhere",
      async ({ service: { world } }: Window, { instance }: RunRecord) =>
        world.stop(world.listInstances().find(({ id }) => id === instance) ?? assert.fail()),
      /is still in your account/,
    ],
  ] as const)
    test(`isn't one ${name}`, async () => {
      const window = await openWindow();
      const { used, why } = await runToEnd(window, { ...WAIT, limits: THREE }, [then((run) => happen(window, run))]);
      assert.equal(used.length, 1);
      if (message) assert.match(why().join(), message);
      else assert.deepEqual(why(), []);
      assert.ok(window.service.world.listInstances().length <= 1, "nothing else was rented");
    });

  test("isn't one whose command failed, or for which nothing was agreed to", async () => {
    const window = await openWindow();
    const failed = await runToEnd(window, { files: { "a.sh": "exit 3\n" }, limits: THREE }, []);
    assert.deepEqual([failed.used.length, failed.lost(), failed.why()], [1, false, []]);
    const lose = then(({ instance }) => window.service.world.destroy(instance));
    const alone = await runToEnd(window, { ...WAIT, limits: { maxHours: 8 } }, [lose]);
    assert.deepEqual([alone.used.length, alone.lost(), alone.why()], [1, false, []]);
  });

  test("rents nothing beyond what was agreed to: neither dearer, nor with less than a start's time left", async () => {
    const window = await openWindow();
    const { world } = window.service;
    const lose = then(({ instance }) => world.destroy(instance));
    const price = (await confirmRun(window, { gpu: "RTX A5000" })).confirmed.rental.chain.price ?? assert.fail();
    const poor = await runToEnd(window, { ...WAIT, limits: { maxCost: price / 10, maxAttempts: 3 } }, [lose]);
    assert.match(poor.why().join(), /Too little is left/);
    const dearer = then(({ instance }) => {
      for (const offer of world.offers) offer.price *= 2;
      world.destroy(instance);
    });
    const dear = await runToEnd(window, { ...WAIT, limits: THREE }, [dearer]);
    assert.match(dear.why().join(), /No offer of the same kind/);
    assert.deepEqual(world.listInstances(), []);
  });

  test("takes the next offer where someone else has just taken one, and asks nobody", async () => {
    const window = await openWindow();
    levelTraffic(window.service);
    const { world } = window.service;
    const taken: number[] = [];
    const lose = then(({ instance }) => {
      world.destroy(instance);
      // Whoever is faster takes the first two that are chosen, after they were found and before they are read again.
      const reread = window.offers.reread.bind(window.offers);
      window.offers.reread = async (account, id, ...given) => {
        const offer = world.offers.find((one) => one.id === id);
        if (offer && taken.length < 2) {
          Object.assign(offer, { taken: true });
          taken.push(id);
        }
        return await reread(account, id, ...given);
      };
    });
    const wish = { files: { "a.sh": 'mkdir -p out; [ "$CLOUD_GPU_ATTEMPT" = 2 ] || sleep 600\n' } };
    const { end, used, why, messages } = await runToEnd(window, { ...wish, limits: ANYWHERE }, [lose]);
    assert.ok(end.status === "fulfilled", String(end.status === "rejected" && end.reason));
    assert.deepEqual([ended(end.value).exit, used.length, taken.length, why()], [0, 2, 2, []]);
    assert.equal(messages().includes("not-rented"), false, "no one was asked");
    const creates = window.lines.filter(({ method, path }) => method === "PUT" && path.includes("/asks/"));
    assert.equal(creates.length, 2, "nothing was sent for what was taken");
    assert.equal((await window.runs.readAll(window.me())).length, 1);
  });

  test("asks once three offers were taken", async () => {
    const window = await openWindow();
    levelTraffic(window.service);
    const { world } = window.service;
    const lose = then(({ instance }) => {
      world.destroy(instance);
      const reread = window.offers.reread.bind(window.offers);
      window.offers.reread = async (account, id, ...given) => {
        const offer = world.offers.find((one) => one.id === id);
        if (offer) Object.assign(offer, { taken: true });
        return await reread(account, id, ...given);
      };
    });
    const { used, why, messages } = await runToEnd(window, { ...WAIT, limits: ANYWHERE }, [lose]);
    assert.equal(used.length, 1);
    assert.deepEqual([messages().filter((kind) => kind === "not-rented").length, why()], [1, ["Nothing was run."]]);
    assert.deepEqual(world.listInstances(), []);
  });

  test("isn't one whose idle timeout may have destroyed its instance", async () => {
    const window = await openWindow();
    const { idleOrders, me, service } = window;
    const idle = then(async ({ instance }) => {
      await idleOrders.set(me(), instance, { minutes: 30, ending: "stop", orDestroy: true });
      service.world.destroy(instance);
    });
    const { used, why } = await runToEnd(window, { ...WAIT, limits: ANYWHERE }, [idle]);
    assert.equal(used.length, 1);
    assert.match(why().join(), /may have been destroyed by its idle timeout/);
  });

  for (const [how, take] of [
    ["gone", ({ service: { world } }: Window, { instance }: RunRecord) => world.destroy(instance)],
    ["outbid", ({ service: { world } }: Window, { instance }: RunRecord) => new Rehearsal(world).outbid(instance)],
  ] as const)
    for (const at of ["lost", "searching"] as const)
      test(`is called off when its instance is ${how}: ${at}`, async () => {
        const window = await openWindow();
        const { world } = window.service;
        const confirmed = await confirmRun(window, {
          ...{ ...WAIT, gpu: "RTX A5000", draft: { ...DRAFT, limits: ANYWHERE } },
          ...(how === "outbid" ? { plan: { type: "bid", bid: 5 } } : {}),
        });
        const { watch, leave } = confirmed.watching;
        const stage: typeof watch.stage = (now) => {
          watch.stage(now);
          if (now.kind === "lost" && at === "lost") leave();
        };
        const watching = { ...confirmed.watching, watch: { ...watch, stage } };
        const polling = setInterval(() => void window.instances.collection.refresh(), 100);
        cleanUp(() => clearInterval(polling));
        const first = await rentForAttempts(window, confirmed.person, confirmed.confirmed, watching);
        const search = window.offers.search.bind(window.offers);
        if (at === "searching")
          window.offers.search = async (...given) => {
            leave();
            return await search(...given);
          };
        const running = startAttempts(window.runs, first, { account: window.me(), ...watching }, () => assert.fail());
        running.catch(() => undefined);
        await then((run) => take(window, run))(first.run, watching);
        await Promise.allSettled([running]);
        assert.deepEqual(
          world.listInstances().map(({ id }) => id),
          how === "gone" ? [] : [first.run.instance],
          "nothing else was rented",
        );
        assert.equal(watching.kinds().includes("not-continued"), false);
        const creates = window.lines.filter(({ method, path }) => method === "PUT" && path.includes("/asks/"));
        assert.equal(creates.length, 1);
      });
});
