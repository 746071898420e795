// A machine that is rented for a run, from the confirmed summary to where the run can begin.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, test } from "node:test";
import { AppError } from "../../../src/domain/base/error.ts";
import { readLaunchToken } from "../../../src/domain/instance/instance.ts";
import type { RunRecord } from "../../../src/domain/run/run-record.ts";
import { Template } from "../../../src/domain/template/template.ts";
import { createManualClock } from "../../../src/sandbox/base/clock.ts";
import { probeTransfer } from "../../../src/services/transfer/probe-transfer.ts";
import { findAgreed } from "../../../src/services/transfer/upload-memory.ts";
import { lifeOf } from "../editor-window.ts";
import { ended, NEVER, signInForRuns, skip } from "../run-machine.ts";
import { breakFolder, eventually, sandbox } from "../support.ts";
import { confirmRun, type RentWish } from "./run-person.ts";

/** Seconds within which any machine of the market is up. */
const LONG = 3600;
const NOTHING_WAS_RUN = { kind: "cancelled", message: "Nothing was run." };

/** A confirmed run whose machine starts when the test says so. */
async function waitingRun(wish: RentWish = {}) {
  const clock = createManualClock(Date.now() / 1000);
  let begun = 0;
  const begin = () => {
    begun += 1;
    return () => {
      begun -= 1;
    };
  };
  const window = await signInForRuns({ liveness: { ...lifeOf("waiting"), begin } }, { clock });
  const run = await confirmRun(window, wish);
  const { world } = window.service;
  /** Rents, and waits until the run is written down. */
  const beginRun = async (...[other]: Parameters<typeof run.rent>) => {
    const renting = run.rent(other);
    // It may fail before it is looked at.
    renting.catch(() => undefined);
    await eventually(
      async () => (await run.runs.readAll(run.confirmed.rental.account)).length > 0,
      "it is written down",
    );
    const [record] = await run.runs.readAll(run.confirmed.rental.account);
    assert.ok(record);
    return { renting, record };
  };
  const startMachines = () => clock.advance(LONG);
  /** Whether other windows are kept from taking the run for abandoned. */
  const isHeld = () => begun > 0;
  return { ...run, world, begin: beginRun, startMachines, isHeld };
}

type Waiting = Awaited<ReturnType<typeof waitingRun>>;

const rentalOf = (run: RunRecord | undefined) => run && ended(run).rental;

describe("a machine that is rented for a run", { skip }, () => {
  test("is on disk with its run before it is up, and leads to where the run can begin", async () => {
    const waiting = await waitingRun();
    const { begin, startMachines, world, runs, me, kept, messages, steps, folder, watching } = waiting;
    const { renting, record } = await begin();
    const [instance] = world.listInstances();
    assert.ok(instance);
    assert.notEqual(world.toRecord(instance).actual_status, "running");
    assert.deepEqual([record.state, record.instance], [{ kind: "waiting" }, instance.id]);
    assert.equal(record.rented?.token, readLaunchToken(String(world.toRecord(instance).label)));
    assert.equal(record.rented?.whenDone, "destroy");
    startMachines();
    const { machine, run, list } = await renting;
    assert.deepEqual([run.id, run.state, machine.id], [record.id, { kind: "uploading" }, instance.id]);
    const home = await probeTransfer(machine, NEVER);
    assert.equal(run.plan.remote, `${home}/workspace/${basename(folder)}`);
    assert.equal(list.files.length, 1);
    const agreed = await findAgreed(waiting.sshMachines, machine.login.alias, folder);
    assert.deepEqual([agreed?.to, agreed?.files], [run.plan.remote, 1], "the same isn't asked again");
    assert.deepEqual(await runs.readAll(me()), [run], "one run, as it is now");
    assert.deepEqual([messages(), kept, steps], [[], [], []], "the summary has said it");
    assert.deepEqual(watching.kinds(), ["renting"]);
  });

  test("that fails is replaced where the run is watched, and the same run goes on with its limits and its end", async () => {
    const end = { ending: "destroy", hours: 8 } as const;
    const waiting = await waitingRun({ answers: { action: "replace" }, plan: { end }, gpu: "RTX 3090" });
    const { world, rent, startMachines, runs, me, messages, questions, kept, steps, confirmed } = waiting;
    world.setFate(confirmed.rental.plan.offer.id, "exited");
    const renting = rent();
    renting.catch(() => undefined);
    await eventually(() => {
      startMachines();
      return messages().includes("dead");
    }, "it is asked about");
    await eventually(() => {
      startMachines();
      return waiting.creates().length === 2;
    }, "another one is rented");
    const { machine, run } = await renting;
    const [instance] = world.listInstances();
    assert.ok(instance);
    assert.equal(world.listInstances().length, 1, "the failed one is gone");
    assert.deepEqual([machine.id, run.instance], [instance.id, instance.id]);
    assert.deepEqual(await runs.readAll(me()), [run]);
    assert.equal(run.rented?.token, readLaunchToken(String(world.toRecord(instance).label)));
    const [question] = questions;
    assert.ok(question?.kind === "replace");
    assert.deepEqual([question.run, question.plan.end?.ending], ["a.sh", "destroy"]);
    assert.deepEqual([messages(), kept, steps], [["dead"], [], []]);
  });

  test("that is replaced after the run was left is still rented as confirmed, and nothing is run on it", async () => {
    const waiting = await waitingRun({ answers: { action: "replace" }, gpu: "RTX 3090" });
    const { world, rent, startMachines, runs, me, messages, confirmed, watching, steps } = waiting;
    world.setFate(confirmed.rental.plan.offer.id, "exited");
    const ask = watching.watch.ask;
    // Whoever closes the terminal is asked by a notification.
    watching.watch.ask = async () => {
      watching.watch.ask = ask;
      watching.leave();
      return undefined;
    };
    const renting = rent();
    renting.catch(() => undefined);
    await eventually(() => {
      startMachines();
      return messages().includes("running");
    }, "another one runs");
    await assert.rejects(renting, NOTHING_WAS_RUN);
    assert.equal(waiting.creates().length, 2);
    assert.equal(world.listInstances().length, 1, "the failed one is gone, and the other is there");
    assert.deepEqual([messages(), await runs.readAll(me()), steps.length], [["dead", "running"], [], 1]);
  });

  test("isn't rented if its template no longer starts SSH", async () => {
    const { rent, creates, runs, me, messages, kept, steps } = await waitingRun({
      plan: {
        template: Template.parse({ hash_id: "c".repeat(32), image: "a/b", runtype: "args" }),
        runtype: undefined,
      },
    });
    await assert.rejects(rent(), {
      kind: "rejected",
      message: "The template no longer starts SSH, so nothing was rented.",
    });
    assert.deepEqual([creates(), await runs.readAll(me()), messages(), kept, steps], [[], [], [], [], []]);
  });

  test("isn't rented if a limit refuses it: then another offer is chosen, and nothing is left of the run", async () => {
    const window = await signInForRuns({ limits: { pricePerHour: 0.0001 } });
    const { rent, creates, runs, me, messages, steps } = await confirmRun(window, {
      answers: { action: "choose-again" },
    });
    await assert.rejects(rent(), NOTHING_WAS_RUN);
    assert.deepEqual([creates(), await runs.readAll(me())], [[], []]);
    assert.deepEqual([messages(), steps], [["not-rented"], [{ kind: "choose-again" }]]);
  });

  test("has nothing run on it by who stops waiting: the run is forgotten, and the launch goes on as any other", async () => {
    for (const [leaves, action] of [
      [(one: Waiting) => one.stopWaiting(), "connect"],
      [(one: Waiting) => one.watching.leave(), "show"],
    ] as const) {
      const connected: unknown[] = [];
      const run = await waitingRun({ answers: { action } });
      const { begin, startMachines, world, runs, me, questions, messages, steps, kept } = run;
      const { renting, record } = await begin({ connect: async () => void connected.push(true) });
      leaves(run);
      await eventually(() => questions.length > 0, "they are asked whether to keep it");
      startMachines();
      await assert.rejects(renting, NOTHING_WAS_RUN);
      assert.deepEqual(await runs.readAll(me()), []);
      assert.deepEqual([messages(), steps], [["running"], [{ kind: action, id: record.instance }]]);
      assert.deepEqual([connected, kept, world.listInstances().length], [[], [], 1]);
    }
  });

  test("has nothing run on it by who closes the terminal once it is up: it is kept, and that is told", async () => {
    for (const [when, prepared] of [
      ["connect", []],
      ["list", ["place"]],
    ] as const) {
      const { begin, startMachines, person, watching, runs, me, kept, world, folder, sshMachines } = await waitingRun();
      const steps: string[] = [];
      const leaving = async <T>(now: typeof when, work: Promise<T>): Promise<T> => {
        const done = await work;
        if (now === when) watching.leave();
        return done;
      };
      const { renting, record } = await begin({
        connect: (...given) => leaving("connect", person.connect(...given)),
        findPlace: (...given) => {
          steps.push("place");
          return person.findPlace(...given);
        },
        list: (draft) => leaving("list", person.list(draft)),
      });
      startMachines();
      await assert.rejects(renting, { kind: "cancelled" });
      assert.deepEqual(steps, prepared);
      assert.deepEqual(
        kept.map(({ id }) => id),
        [record.instance],
      );
      const [run] = await runs.readAll(me());
      assert.deepEqual([rentalOf(run)?.kind, world.listInstances().length], ["kept", 1]);
      const machine = await person.connect(me(), record.instance);
      assert.ok(machine);
      assert.equal(await findAgreed(sshMachines, machine.login.alias, folder), undefined, "nothing went there");
    }
  });

  test("is kept if there is much more to upload by then: nothing of it goes there, and that is told", async () => {
    const { begin, startMachines, folder, runs, me, kept, world, person } = await waitingRun();
    const { renting, record } = await begin();
    for (const name of ["b", "c"]) await writeFile(join(folder, name), "more\n");
    startMachines();
    const message = "There is much more to upload than you confirmed, so nothing was uploaded.";
    await assert.rejects(renting, { kind: "rejected", message });
    assert.deepEqual(
      kept.map(({ id, error }) => [id, error.message]),
      [[record.instance, message]],
    );
    const [run] = await runs.readAll(me());
    assert.deepEqual([run?.id, rentalOf(run)], [record.id, { kind: "kept", why: message }]);
    const machine = await person.connect(me(), record.instance);
    assert.ok(machine);
    assert.equal(existsSync(`${await person.findPlace(me(), machine)}/${basename(folder)}`), false);
    assert.equal(world.listInstances().length, 1);
  });

  test("is kept if it can't be logged in to, or the person doesn't want to", async () => {
    for (const [connect, message] of [
      [() => Promise.reject(new AppError("rejected", "The key is refused.")), "The key is refused."],
      [async () => undefined, "Nothing was run."],
    ] as const) {
      const { begin, startMachines, runs, me, kept } = await waitingRun();
      const { renting, record } = await begin({ connect });
      startMachines();
      await assert.rejects(renting, { message });
      assert.deepEqual(
        kept.map(({ id, error }) => [id, error.message]),
        [[record.instance, message]],
      );
      assert.deepEqual(rentalOf((await runs.readAll(me()))[0]), { kind: "kept", why: message });
    }
  });

  test("is kept and told of with the reason although the disk fails as that is written down", async () => {
    const { begin, startMachines, userData, kept } = await waitingRun();
    const connect = async () => {
      await breakFolder(join(userData.root, "runs"));
      throw new AppError("rejected", "The key is refused.");
    };
    const { renting, record } = await begin({ connect });
    startMachines();
    await assert.rejects(renting, { message: "The key is refused." });
    assert.deepEqual(
      kept.map(({ id, error }) => [id, error.message]),
      [[record.instance, "The key is refused."]],
    );
  });

  test("leads to what the person chose although the disk fails as its run is forgotten", async () => {
    const run = await waitingRun({ answers: { action: "show" } });
    const { begin, startMachines, userData, questions, steps } = run;
    const { renting, record } = await begin();
    run.stopWaiting();
    await eventually(() => questions.length > 0, "they are asked whether to keep it");
    await breakFolder(join(userData.root, "runs"));
    startMachines();
    await assert.rejects(renting);
    assert.deepEqual(steps, [{ kind: "show", id: record.instance }]);
  });

  test("has nothing run on it if the account is switched while it starts, and neither has the other account", async () => {
    const { begin, startMachines, session, service, runs, me, messages, steps, kept, world } = await waitingRun();
    const connected: unknown[] = [];
    const { renting } = await begin({ connect: async () => void connected.push(true) });
    const other = await sandbox({ seed: 7 });
    await session.enterSandbox(other.url, other.apiKey);
    startMachines();
    await assert.rejects(renting, NOTHING_WAS_RUN);
    assert.deepEqual([connected, kept, steps, messages()], [[], [], [undefined], ["left-account"]]);
    assert.deepEqual([await runs.readAll(me()), other.world.listInstances().length], [[], 0]);
    await session.signIn(service.url, service.apiKey);
    assert.deepEqual(
      [await runs.readAll(me()), world.listInstances().length],
      [[], 1],
      "it is forgotten, and still rented",
    );
  });

  test("has nothing run on it if the account is switched while it is logged in to: it is kept", async () => {
    const { begin, startMachines, session, service, runs, me, kept, person, folder, sshMachines } = await waitingRun();
    const other = await sandbox({ seed: 7 });
    let [place, alias] = ["", ""];
    const { renting, record } = await begin({
      findPlace: async (...given) => {
        alias = given[1].login.alias;
        place = await person.findPlace(...given);
        await session.enterSandbox(other.url, other.apiKey);
        return place;
      },
    });
    startMachines();
    await assert.rejects(renting, { kind: "rejected" });
    assert.deepEqual(
      kept.map(({ id }) => id),
      [record.instance],
    );
    assert.deepEqual(await runs.readAll(me()), []);
    assert.equal(await findAgreed(sshMachines, alias, folder), undefined);
    await session.signIn(service.url, service.apiKey);
    const [run] = await runs.readAll(me());
    assert.deepEqual([run?.id, rentalOf(run)?.kind], [record.id, "kept"]);
    assert.equal(existsSync(`${place}/${basename(folder)}`), false);
  });

  test("isn't taken for abandoned by another window while somebody here waits, however long that takes", async () => {
    const up = await waitingRun();
    const { renting } = await up.begin();
    assert.equal(up.isHeld(), true);
    up.startMachines();
    await renting;
    assert.equal(up.isHeld(), true, "until it is started");
    const refused = await waitingRun();
    const given = await refused.begin({ connect: async () => undefined });
    refused.startMachines();
    await assert.rejects(given.renting);
    const left = await waitingRun();
    const forgotten = await left.begin();
    left.stopWaiting();
    left.startMachines();
    await assert.rejects(forgotten.renting);
    assert.deepEqual([refused.isHeld(), left.isHeld()], [false, false], "nobody waits any more");
  });

  test("whose launch fails is told of also where the terminal is closed, and so is what fails after it", async () => {
    const failed = await waitingRun();
    const broken = new AppError("defect", "The progress can't be shown.");
    const { launching } = failed.person;
    const fails = { ...launching, confirm: () => Promise.reject(broken) };
    const { renting, record } = await failed.begin({ launching: fails });
    failed.watching.leave();
    await assert.rejects(renting, broken);
    assert.deepEqual(failed.errors, [broken]);
    const [run] = await failed.runs.readAll(failed.me());
    assert.deepEqual([run?.id, run?.state], [record.id, { kind: "waiting" }], "the next window tells of it");
    assert.equal(failed.isHeld(), false);

    const left = await waitingRun();
    const next = await left.begin({ takeNextStep: () => Promise.reject(broken) });
    left.stopWaiting();
    left.startMachines();
    await assert.rejects(next.renting, NOTHING_WAS_RUN);
    await eventually(() => left.errors.length > 0, "it is told");
    assert.deepEqual(left.errors, [broken]);
  });
});
