// A job before it begins: which instances are reached, what is asked once, and what is written down after that.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, test } from "node:test";
import type { JobFacts } from "../../../src/domain/group/job-facts.ts";
import { type JobPerson, type JobWish, prepareJob } from "../../../src/services/group/prepare-job.ts";
import { listRun } from "../../../src/services/run/list-run.ts";
import { probeTransfer } from "../../../src/services/transfer/probe-transfer.ts";
import { networkGroup, type RunningGroup, runningGroup } from "../group-windows.ts";
import { NEVER, skip } from "../run-machine.ts";
import { cleanUp, sandbox } from "../support.ts";

const SWITCHED = { kind: "rejected", message: "You switched accounts. Nothing was changed." };
const NO_NETWORK = {
  kind: "rejected",
  message: "The machines can't reach each other. They must all be running and in the same overlay network.",
};

/** A job for a group that runs, and a person who agrees and remembers what they were asked. */
async function jobOn(window: RunningGroup) {
  const { groups, group, runs, session, service, me } = window;
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-job-"));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "train.py"), "");
  const asked: JobFacts[] = [];
  const steps: string[] = [];
  const reached: number[] = [];
  const person: JobPerson = {
    list: (draft) => {
      steps.push("list");
      return listRun(draft, NEVER);
    },
    accompany: (_, work) => {
      steps.push("reach");
      return work((count) => void reached.push(count), NEVER);
    },
    findPlace: async (_, machine) => {
      steps.push("place");
      return `${await probeTransfer(machine, NEVER)}/workspace`;
    },
    confirm: async (facts) => {
      steps.push("confirm");
      return asked.push(facts) > 0;
    },
  };
  const account = me();
  const draft = { name: "train.py", command: "python3 -u train.py", setup: "", folder };
  const usual: JobWish = { group, way: { engine: "each", onFailure: "continue" }, whenDone: "stop", draft };
  /** Takes what is different from the usual person and wish. */
  const prepare = (other: Partial<JobPerson> = {}, wish: Partial<JobWish> = {}) =>
    prepareJob(window, { ...person, ...other }, account, { ...usual, group: groups.find(group.id) ?? group, ...wish });
  const switchAccount = async () => {
    const other = await sandbox({ seed: 7 });
    await session.enterSandbox(other.url, other.apiKey);
  };
  /** The runs that are written down in the account that the job was for. */
  const written = async () => {
    if (session.current !== account) await session.signIn(service.url, service.apiKey);
    return await runs.readAll(me());
  };
  return { ...window, folder, draft, person, asked, steps, reached, prepare, switchAccount, written };
}

describe("a job on a group", { skip }, () => {
  test("is asked about once all of its instances are reached, and is written down for each rank", async () => {
    const { prepare, asked, steps, reached, group, folder, written } = await jobOn(await runningGroup(2));
    const prepared = await prepare();
    assert.deepEqual(steps, ["list", "reach", "place", "place", "confirm"]);
    assert.deepEqual(reached, [1, 2]);
    const [{ list, remote, group: shown, ...facts } = {} as JobFacts] = asked;
    assert.deepEqual([list.files.length, basename(remote), shown.id], [1, basename(folder), group.id]);
    assert.deepEqual(facts, {
      ...{ engine: "each", onFailure: "continue", whenDone: "stop" },
      ...{ command: "python3 -u train.py", setup: "", results: [], secrets: [], limits: {} },
      resultsEveryMinutes: undefined,
    });
    assert.deepEqual([prepared?.engine, prepared?.onFailure, prepared?.list], ["each", "continue", list]);
    assert.deepEqual(
      prepared?.runs.map(({ machine, run }) => [run.member?.rank, run.instance, machine.id, run.rented?.whenDone]),
      group.members.map(({ id }, rank) => [rank, id, id, "stop"]),
    );
    assert.equal(prepared?.runs[0]?.run.plan.remote, remote);
    const all = await written();
    assert.deepEqual(all.map(({ id }) => id).sort(), prepared?.runs.map(({ run }) => run.id).sort());
  });

  test("is refused if one of its instances can't be reached, which is named by its rank: nothing is asked", async () => {
    const window = await runningGroup(3);
    const { prepare, asked, written } = await jobOn(window);
    const id = window.group.members[1]?.id;
    assert.ok(id);
    await window.stop(id);
    await window.instances.collection.refresh();
    await assert.rejects(prepare(), {
      kind: "rejected",
      message: "This can't run on every instance of group “sweep-7”. [1] It isn't running.",
    });
    assert.deepEqual([asked, await written()], [[], []]);
  });

  test("is refused if its engine needs a network that the instances don't share: nothing is asked", async () => {
    const { prepare, asked, steps, written } = await jobOn(await runningGroup(2));
    for (const engine of ["torchrun", "ray"] as const)
      await assert.rejects(prepare({}, { way: { engine, onFailure: "stopAll" } }), NO_NETWORK);
    assert.deepEqual([asked, steps.includes("place"), await written()], [[], false, []]);
  });

  test("in a network may be joined by torchrun, which is given the script alone", async () => {
    const { prepare, asked } = await jobOn(await networkGroup());
    const prepared = await prepare({}, { way: { engine: "torchrun", onFailure: "stopAll" } });
    assert.deepEqual(
      asked.map(({ engine, command }) => [engine, command]),
      [["torchrun", "train.py"]],
    );
    assert.match(prepared?.runs[1]?.run.plan.command ?? "", /^torchrun .* train\.py$/);
  });

  test("is refused at once if its limit can't be kept at the price of all instances together", async () => {
    const window = await runningGroup(2);
    const { prepare, draft, steps, written } = await jobOn(window);
    const price = window.group.members[0]?.price ?? 0;
    assert.ok(price > 0);
    const limited = { ...draft, limits: { maxPricePerHour: price * 1.2 } };
    await assert.rejects(prepare({}, { draft: limited }), { kind: "rejected", message: /above the run's limit/ });
    assert.deepEqual([steps, await written()], [[], []]);
  });

  test("that the person doesn't want leaves nothing written", async () => {
    const { prepare, written } = await jobOn(await runningGroup(2));
    assert.equal(await prepare({ confirm: async () => false }), undefined);
    assert.deepEqual(await written(), []);
  });

  test("isn't asked about if the person stops waiting for its instances", async () => {
    const { prepare, asked, written } = await jobOn(await runningGroup(2));
    const leaving: JobPerson["accompany"] = (_, work) => work(() => {}, AbortSignal.abort());
    await assert.rejects(prepare({ accompany: leaving }), { name: "AbortError" });
    assert.deepEqual([asked, await written()], [[], []]);
  });

  test("goes nowhere if the account is switched while its folder is listed: nobody logs in", async () => {
    const { prepare, person, steps, switchAccount, written } = await jobOn(await runningGroup(2));
    const list: JobPerson["list"] = async (draft) => {
      await switchAccount();
      return await person.list(draft);
    };
    await assert.rejects(prepare({ list }), SWITCHED);
    assert.deepEqual([steps, await written()], [["list"], []]);
  });

  test("goes nowhere if the account is switched while its instances are reached: nothing is asked", async () => {
    const { prepare, person, asked, switchAccount, written } = await jobOn(await runningGroup(2));
    const accompany: JobPerson["accompany"] = async (group, work) => {
      await switchAccount();
      return await person.accompany(group, work);
    };
    await assert.rejects(prepare({ accompany }), SWITCHED);
    assert.deepEqual([asked, await written()], [[], []]);
  });

  test("goes nowhere if the account is switched while its places are looked for: nothing is asked", async () => {
    const { prepare, person, asked, switchAccount, written } = await jobOn(await runningGroup(2));
    let looked = 0;
    const findPlace: JobPerson["findPlace"] = async (...given) => {
      const place = await person.findPlace(...given);
      looked += 1;
      if (looked === 2) await switchAccount();
      return place;
    };
    await assert.rejects(prepare({ findPlace }), SWITCHED);
    assert.deepEqual([asked, await written()], [[], []]);
  });

  test("goes nowhere if the account is switched while the question is open", async () => {
    const { prepare, switchAccount, written } = await jobOn(await runningGroup(2));
    const confirm = async () => {
      await switchAccount();
      return true;
    };
    await assert.rejects(prepare({ confirm }), SWITCHED);
    assert.deepEqual(await written(), []);
  });
});
