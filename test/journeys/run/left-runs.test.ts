// Runs whose window is gone: told of once, and only where something is left to tell.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { AppError } from "../../../src/domain/base/error.ts";
import { type InstanceId, RunId } from "../../../src/domain/base/id.ts";
import type { WhenDone } from "../../../src/domain/base/when-done.ts";
import type { RentedForRun, RunRecord, RunState } from "../../../src/domain/run/run-record.ts";
import { sleep } from "../../../src/lib/clock.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import {
  type LeftRunAction,
  type LeftRunMessage,
  type LeftRunPerson,
  LeftRuns,
  tellStranded,
} from "../../../src/services/run/left-runs.ts";
import { fastClock, lifeOf, type Parts } from "../editor-window.ts";
import { breakFolder, cleanUp, eventually, sandbox, signedIn } from "../support.ts";
import { rentElsewhere } from "../written.ts";

/** The folder that is open. */
const HERE = "/a";
const PLAN = { name: "a.sh", command: "true", setup: "", folder: HERE, remote: "/workspace/a" };
const STARTED: RunState = { kind: "started" };
const FETCHED: RunState = {
  ...{ kind: "ended", at: 5, exit: 0 },
  results: { kind: "fetched", place: "/a/results", log: "run.log", files: 1, bytes: 1, isWhole: true },
};

/** A person who has one folder open, and what they choose of what they are offered. */
function createPerson(action?: LeftRunAction) {
  const told: LeftRunMessage[] = [];
  const offered: (readonly LeftRunAction[])[] = [];
  const carriedOut: (readonly [LeftRunAction, InstanceId])[] = [];
  const errors: unknown[] = [];
  const person: LeftRunPerson = {
    isOfThisWindow: ({ plan }) => plan.folder === HERE,
    tell: async (message, actions) => {
      told.push(message);
      offered.push(actions);
      return actions.find((one) => one === action);
    },
    carryOut: async (_, chosen, { instance }) => void carriedOut.push([chosen, instance]),
    tellError: (error) => void errors.push(error),
  };
  /** What was told of a run. */
  const of = ({ id }: RunRecord) => told.filter(({ run }) => run.id === id);
  return { person, told, offered, carriedOut, errors, of };
}

/** A window, and an instance of a market in which every machine runs. */
async function leftWindow(parts: Parts = {}) {
  const { token } = createIntent();
  const window = await signedIn({}, { liveness: lifeOf("this", "living"), ...parts });
  const { world } = window.service;
  for (const { id, fate } of world.offers) if (fate !== "gone") world.setFate(id, "runs");
  const instance = await rentElsewhere(window, `${token} mine`);
  const statusOf = () => {
    const found = world.listInstances().find(({ id }) => id === instance);
    return found && world.toRecord(found).actual_status;
  };
  await eventually(() => statusOf() === "running", "it runs");
  await window.instances.collection.refresh();
  const stop = async () => {
    for (const one of world.listInstances()) world.stop(one);
    await eventually(() => statusOf() !== "running", "it has stopped");
  };
  const rentedFor = (whenDone: WhenDone): RentedForRun => ({ token, at: Date.now(), whenDone });
  const folder = join(window.userData.root, "runs");
  let count = 0;
  /** A run as the window that began it left it. Looks come to the later ones first. */
  const leave = async (state: RunState, rest: Partial<RunRecord> = {}): Promise<RunRecord> => {
    count += 1;
    const id = RunId.parse(`20260101-000000-a-${count}`);
    const { address, tag } = window.me();
    const run: RunRecord = {
      ...{ version: 1, id, base: address.base, account: tag, instance, plan: PLAN, at: 1000 - count },
      ...{ window: "gone", state },
      ...rest,
    };
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${id}.json`), JSON.stringify(run));
    return run;
  };
  const rentalOf = async ({ id }: RunRecord) => {
    const now = (await window.runs.readAll(window.me())).find((run) => run.id === id);
    return now?.state.kind === "ended" ? now.state.rental : undefined;
  };
  const look = ({ person }: ReturnType<typeof createPerson>, actions = window.actions) => {
    const looking = new LeftRuns({ ...window, actions }, person);
    cleanUp(() => looking.dispose());
    window.runList.wake();
  };
  /** Until a look has come to all that was left before. */
  const lookedAtAll = async (who: ReturnType<typeof createPerson>) => {
    const last = await leave(STARTED);
    await eventually(() => {
      window.runList.wake();
      return who.of(last).length > 0;
    }, "it looked at all of them");
  };
  return { ...window, world, instance, stop, rentedFor, leave, rentalOf, look, lookedAtAll };
}

describe("a run whose window is gone", () => {
  test("is told of once, and reattached if the person wants to", async () => {
    const { leave, look, lookedAtAll, instance } = await leftWindow();
    const run = await leave(STARTED);
    const who = createPerson("reattach");
    look(who);
    await lookedAtAll(who);
    await lookedAtAll(who);
    assert.deepEqual(who.of(run), [{ kind: "left", run }]);
    assert.deepEqual([who.told.length, who.offered[0], who.errors], [3, ["reattach"], []]);
    assert.deepEqual(who.carriedOut[0], ["reattach", instance]);
  });

  test("isn't told of while its window lives, or where it concerns another folder, unless it rented what still costs", async () => {
    const { leave, look, lookedAtAll, rentedFor } = await leftWindow();
    const plan = { ...PLAN, folder: "/elsewhere" };
    const followed = await leave(STARTED, { window: "living" });
    const foreign = await leave(STARTED, { plan });
    const costs = await leave(STARTED, { plan, rented: rentedFor("destroy") });
    const who = createPerson();
    look(who);
    await lookedAtAll(who);
    assert.deepEqual([who.of(followed), who.of(foreign)], [[], []]);
    assert.deepEqual(who.of(costs), [{ kind: "left", run: costs }]);
    assert.deepEqual(who.carriedOut, []);
  });

  test("is told of with the others of its job, which began together", async () => {
    const { leave, look, lookedAtAll } = await leftWindow();
    const job = {
      job: "job-1",
      group: `grp-${"a".repeat(16)}`,
      count: 2,
      engine: "each",
      onFailure: "continue",
    } as const;
    const first = await leave(STARTED, { member: { ...job, rank: 0 } });
    const second = await leave(STARTED, { member: { ...job, rank: 1 } });
    const who = createPerson();
    look(who);
    await lookedAtAll(who);
    assert.deepEqual([who.of(first).length, who.of(second).length], [1, 0]);
  });

  test("whose instance is gone is noted, and told of if its command was running, with a way to continue it", async () => {
    const { leave, look, lookedAtAll, rentedFor, rentalOf, world, instance } = await leftWindow({
      clock: fastClock,
    });
    const run = await leave(STARTED, { rented: rentedFor("destroy") });
    const over = await leave({ ...FETCHED, exit: 1 } as RunState, { rented: rentedFor("destroy") });
    const elsewhere = await leave(STARTED, {
      rented: rentedFor("destroy"),
      plan: { ...PLAN, folder: "/another" },
    });
    world.destroy(instance);
    const who = createPerson("continue");
    look(who);
    await lookedAtAll(who);
    await eventually(async () => (await rentalOf(run)) !== undefined, "answers lack it for long enough");
    await eventually(() => who.carriedOut.length > 0, "it is told");
    assert.deepEqual([who.of(run).map(({ kind }) => kind), await rentalOf(run)], [["lost"], { kind: "gone" }]);
    assert.deepEqual(who.carriedOut, [["continue", instance]]);
    assert.deepEqual([who.of(over), who.of(elsewhere)], [[], []], "no one waits for these");
  });

  test("whose instance one answer lacks is looked at again", async () => {
    const { leave, look, lookedAtAll, rentedFor, rentalOf, world, instance } = await leftWindow();
    const run = await leave(STARTED, { rented: rentedFor("destroy") });
    world.destroy(instance);
    const who = createPerson();
    look(who);
    await lookedAtAll(who);
    assert.deepEqual([who.of(run), await rentalOf(run)], [[], undefined]);
  });

  test("whose instance has stopped as was decided is told of with its end", async () => {
    const { leave, look, lookedAtAll, rentedFor, rentalOf, stop } = await leftWindow();
    const run = await leave(FETCHED, { rented: rentedFor("stop") });
    await stop();
    const who = createPerson();
    look(who);
    await lookedAtAll(who);
    const rental = await rentalOf(run);
    assert.ok(rental?.kind === "stopped" && (rental.price ?? 0) > 0);
    const [message, ...more] = who.of(run);
    assert.ok(message?.kind === "over" && message.run.state.kind === "ended" && more.length === 0);
    assert.deepEqual([message.run.state.rental, message.price, who.offered[0]], [rental, rental.price, []]);
  });

  test("whose instance has stopped before all was done is told of, with what its disk costs", async () => {
    const { leave, look, lookedAtAll, rentedFor, rentalOf, stop, instances, instance } = await leftWindow();
    const run = await leave(STARTED, { rented: rentedFor("stop") });
    await stop();
    await instances.collection.refresh();
    const who = createPerson("start");
    look(who);
    await lookedAtAll(who);
    const [message, ...more] = who.of(run);
    assert.ok(message?.kind === "stopped" && (message.price ?? 0) > 0 && more.length === 0);
    assert.deepEqual([who.carriedOut, await rentalOf(run)], [[["start", instance]], undefined]);
    assert.ok(who.offered.some((actions) => actions.join() === "continue,start,destroy"));
  });

  test("that never began on what was rented for it is told of until the person has seen it", async () => {
    const { leave, look, lookedAtAll, rentedFor, rentalOf, instance } = await leftWindow();
    const run = await leave({ kind: "waiting" }, { rented: rentedFor("keep") });
    const seen = Promise.withResolvers<void>();
    const who = createPerson("destroy");
    const { tell } = who.person;
    const isStranded = ({ kind }: LeftRunMessage) => kind === "stranded";
    const slow: LeftRunPerson["tell"] = async (message, actions) => {
      const action = await tell(message, actions);
      if (isStranded(message)) await seen.promise;
      return action;
    };
    const waits = { ...who, person: { ...who.person, tell: slow } };
    look(waits);
    await lookedAtAll(waits);
    const [message] = who.of(run);
    assert.ok(message?.kind === "stranded" && (message.price ?? 0) > 0);
    assert.deepEqual([await rentalOf(run), who.carriedOut], [undefined, []], "the next window tells of it as well");
    seen.resolve();
    await eventually(() => who.carriedOut.length > 0, "they have seen it");
    assert.deepEqual(who.carriedOut, [["destroy", instance]]);
    assert.equal((await rentalOf(run))?.kind, "kept");
    assert.equal(who.of(run).length, 1);
  });

  test("and never began is destroyed if the person chooses that, although the disk fails", async () => {
    const { leave, rentedFor, instance, userData, me, session, runs, instances } = await leftWindow();
    const run = await leave({ kind: "waiting" }, { rented: rentedFor("keep") });
    const who = createPerson("destroy");
    await breakFolder(join(userData.root, "runs"));
    await tellStranded({ session, runs, instances }, who.person, me(), run);
    assert.deepEqual(who.carriedOut, [["destroy", instance]]);
    assert.equal(who.errors.length, 1, "and that it fails is told");
  });

  test("isn't judged while the service can't be asked, but a little later", async () => {
    const { leave, look, rentedFor, service, lines } = await leftWindow({ clock: fastClock });
    const run = await leave(STARTED, { rented: rentedFor("destroy") });
    service.faults.add("500@getInstance");
    const who = createPerson();
    look(who);
    const asked = () => lines.filter(({ method, path }) => method === "GET" && /\/instances\/\d+\//.test(path)).length;
    // More often than one look asks.
    await eventually(() => asked() > 12, "it looks again");
    assert.deepEqual(who.told, []);
    service.faults.delete("500@getInstance");
    await eventually(() => who.of(run).length > 0, "it is told once that is known");
  });

  test("that the person can't be led back to is told of with the reason", async () => {
    const { leave, look } = await leftWindow();
    await leave(STARTED);
    const who = createPerson("reattach");
    const broken = new AppError("rejected", "Another window follows it.");
    look({ ...who, person: { ...who.person, carryOut: () => Promise.reject(broken) } });
    await eventually(() => who.errors.length > 0, "it is told");
    assert.deepEqual(who.errors, [broken]);
  });

  for (const when of ["before", "after"] as const)
    test(`is told of once its account is back, left ${when} its instance was read`, async () => {
      const { leave, look, session, actions, rentedFor, service, runList } = await leftWindow();
      const all = [await leave({ kind: "waiting" }, { rented: rentedFor("destroy") }), await leave(STARTED)];
      const other = await sandbox({ seed: 7 });
      const switched = Promise.withResolvers<void>();
      let isFirst = true;
      const rereadOnce = async (...given: Parameters<typeof actions.reread>) => {
        if (!isFirst) return await actions.reread(...given);
        isFirst = false;
        const now = when === "after" ? await actions.reread(...given) : undefined;
        await session.enterSandbox(other.url, other.apiKey);
        switched.resolve();
        return now ?? (await actions.reread(...given));
      };
      const who = createPerson();
      look(who, Object.assign(Object.create(actions), { reread: rereadOnce }));
      await switched.promise;
      await sleep(200);
      assert.deepEqual(who.told, []);
      await session.signIn(service.url, service.apiKey);
      await eventually(() => {
        runList.wake();
        return all.every((run) => who.of(run).length > 0);
      }, "all are told of");
      assert.deepEqual(who.errors, []);
    });

  test("and that is over can't be told is told as an error", async () => {
    const { leave, look, stop, rentedFor } = await leftWindow();
    await leave(FETCHED, { rented: rentedFor("stop") });
    await stop();
    const who = createPerson();
    const broken = new Error("No notification can be shown.");
    look({ ...who, person: { ...who.person, tell: () => Promise.reject(broken) } });
    await eventually(() => who.errors.length > 0, "it is told");
    assert.deepEqual(who.errors, [broken]);
  });

  test("isn't told of in another account", async () => {
    const { leave, look, lookedAtAll, me, session, runs, instances, rentedFor } = await leftWindow();
    const run = await leave({ kind: "waiting" }, { rented: rentedFor("destroy") });
    const account = me();
    const other = await sandbox({ seed: 7 });
    await session.enterSandbox(other.url, other.apiKey);
    const who = createPerson();
    look(who);
    await lookedAtAll(who);
    await assert.rejects(tellStranded({ session, runs, instances }, who.person, account, run), { kind: "rejected" });
    assert.deepEqual(who.of(run), []);
  });
});
