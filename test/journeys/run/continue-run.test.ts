// A run whose instance is taken away goes on with another one: with what it had saved, once, and as one run.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { InstanceId, RunId } from "../../../src/domain/base/id.ts";
import { readFetchedFiles } from "../../../src/domain/run/fetched-files.ts";
import type { RunRecord } from "../../../src/domain/run/run-record.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import { buildRunLine } from "../../../src/present/run/run-rows.ts";
import { listRunEndLines } from "../../../src/present/run/run-text.ts";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import { Rehearsal } from "../../../src/sandbox/world/rehearsal.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { RunContinuations } from "../../../src/services/run/attempts/continue-run.ts";
import type { NextAttempt } from "../../../src/services/run/attempts/next-attempt.ts";
import { listEarlier } from "../../../src/services/run/results/earlier-results.ts";
import { RunJournal } from "../../../src/services/run/run-journal.ts";
import { lifeOf } from "../editor-window.ts";
import { ended, fetched, NEVER, skip } from "../run-machine.ts";
import { cheapest, cleanUp, eventually, signedIn } from "../support.ts";
import { rentElsewhere, writeLaunch } from "../written.ts";
import { confirmRun, type RentWish } from "./run-person.ts";
import { createHastyClock, DRAFT, losingAt, openWindow, TRAIN, type Window } from "./taken-away.ts";

/** One attempt, from the summary's confirmation to its end. `during` is told its record as soon as the command runs. */
async function attempt(window: Window, wish: RentWish, during: (run: RunRecord) => Promise<void> = async () => {}) {
  const confirmed = await confirmRun(window, { draft: DRAFT, ...wish });
  const { machine, run, list } = await confirmed.rent();
  const following = { account: window.me(), ...confirmed.watching };
  const running = window.runs.start(machine, run, list, following);
  running.catch(() => undefined);
  await during(run);
  return { over: await running, ...confirmed, machine };
}

describe("a run whose instance is taken away", { skip }, () => {
  test("goes on twice with what it had saved: the right sum, three instances, one run, one total", async () => {
    const window = await openWindow();
    const { continuations, me, runs } = window;
    const used: InstanceId[] = [];
    const wish = { files: { "train.sh": TRAIN }, command: "sh train.sh" };
    const first = await attempt(window, wish, losingAt(window, "10 55\n"));
    assert.equal(ended(first.over).rental?.kind, "gone");
    let last = first;
    let next: NextAttempt | undefined;
    for (const state of ["20 210\n", undefined]) {
      used.push(last.machine.id);
      next = await continuations.prepare(me(), last.over, NEVER);
      assert.deepEqual(
        [next.before, next.attempts.length, next.upload?.files.map(({ path }) => path)],
        ["gone", used.length, ["out/state"]],
      );
      last = await attempt(window, { next }, state === undefined ? undefined : losingAt(window, state));
    }
    used.push(last.machine.id);
    const { over } = last;
    const { place, files, isWhole, unmatched } = fetched(over);
    assert.deepEqual([ended(over).exit, isWhole, unmatched, files], [0, true, undefined, 2]);
    assert.equal(await readFile(join(place, "out/sum"), "utf8"), "465\n");
    assert.match(await readFile(join(place, "run.log"), "utf8"), /attempt 3 begins at 20/);
    assert.equal(place, fetched(first.over).place, "all of it is in one folder");
    assert.deepEqual((await readdir(place, { recursive: true })).sort(), ["out", "out/state", "out/sum", "run.log"]);
    assert.equal(ended(over).rental?.kind, "destroyed");
    assert.equal(new Set(used).size, 3);
    assert.deepEqual(window.service.world.listInstances(), []);
    // One row, and one total.
    const all = await runs.readAll(me());
    assert.deepEqual(
      all.map(({ id }) => id),
      [over.id],
    );
    assert.deepEqual(
      all[0]?.earlier?.map(({ instance }) => instance),
      used.slice(0, 2),
    );
    assert.match(buildRunLine(over, Date.now()).description, /attempt 3$/);
    assert.match(listRunEndLines(over, undefined).join(" "), /Cost: .* for 3 instances\./);
    await runs.remove(over);
    assert.deepEqual(await runs.readAll(me()), [], "the earlier ones went with it");
  });

  test("keeps what the person changed, and takes along what they left", async () => {
    const window = await openWindow();
    const files = {
      "a.sh": 'mkdir -p out; for f in a b key.pem; do echo "$CLOUD_GPU_ATTEMPT" >> "out/$f"; done; exit 1\n',
    };
    const first = await attempt(window, { files });
    const { place } = fetched(first.over);
    assert.equal(ended(first.over).rental?.kind, "destroyed");
    await writeFile(join(place, "out/a"), "mine\n");
    const next = await window.continuations.prepare(window.me(), first.over, NEVER);
    assert.deepEqual(next.upload?.files.map(({ path }) => path).sort(), ["out/a", "out/b"]);
    assert.deepEqual(next.upload?.secrets, ["out/key.pem"]);
    const { over } = await attempt(window, { next });
    const { beside } = fetched(over);
    assert.equal(fetched(over).place, place);
    assert.equal(await readFile(join(place, "out/a"), "utf8"), "mine\n");
    assert.equal(await readFile(join(place, "out/b"), "utf8"), "1\n2\n", "nobody changed it, so it is replaced");
    assert.equal(await readFile(join(beside ?? "", "out/a"), "utf8"), "mine\n2\n");
    assert.deepEqual((await readdir(place)).sort(), ["out", "run (2).log", "run.log"]);
    // The third begins with what came last, wherever that is; what was promised and is gone begins nothing.
    const third = await window.continuations.prepare(window.me(), over, NEVER);
    assert.equal(third.upload?.files.length, 2);
    await rm(join(place, "out/b"));
    await assert.rejects(attempt(window, { next: third }), {
      kind: "rejected",
      message: /that the command was to continue with/,
    });
    const [kept] = window.service.world.listInstances();
    assert.ok(kept, "it is kept, and the run says why");
    const [last] = await window.runs.readAll(window.me());
    assert.deepEqual([last?.instance, last && ended(last).rental?.kind], [kept.id, "kept"]);
  });
});

test("of results that are here, those go along that are files, on a way without links", { skip }, async () => {
  const place = await mkdtemp(join(tmpdir(), "cloud-gpu-place-"));
  const other = await mkdtemp(join(tmpdir(), "cloud-gpu-place-"));
  for (const folder of [place, other]) cleanUp(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(place, "in/deep"), { recursive: true });
  for (const path of [join(other, "a"), join(place, "in/deep/a"), join(place, "mine")]) await writeFile(path, "");
  await symlink(other, join(place, "away"));
  await symlink(join(place, "in/deep/a"), join(place, "link"));
  const names = ["in/deep/a", "away/a", "link", "gone", "in", "../a", "in/.env"];
  await writeFile(join(place, "in/.env"), "");
  const known = readFetchedFiles(names.map((name) => `${"0".repeat(64)} 0 1 ./${name}\n`).join(""));
  const upload = await listEarlier(place, known);
  assert.deepEqual(
    [upload?.files.map(({ path }) => path), upload?.folders, upload?.secrets],
    [["in/deep/a"], ["in", "in/deep"], ["in/.env"]],
  );
  assert.equal(await listEarlier(join(place, "link"), known), undefined);
  assert.equal(await listEarlier(undefined, known), undefined);
});

const MEMBER: RunRecord["member"] = {
  ...{ job: "job-a", group: "grp-aaaaaaaaaaaaaaaa", rank: 0, count: 1, engine: "each", onFailure: "stopAll" },
};
const PLAN = { name: "a.sh", command: "true", setup: "", folder: "/a", remote: "/workspace/a" };
const STARTED: RunRecord["state"] = { kind: "started" };
const LOST: RunRecord["state"] = { kind: "ended", at: 5, results: { kind: "none" }, rental: { kind: "gone" } };

/** A window, an instance that can be outbid, and runs on it as another window left them. */
async function leftWindow(clock: Clock = createHastyClock()) {
  const window = await signedIn({}, { clock, liveness: lifeOf("this") });
  const { world } = window.service;
  for (const { id, fate } of world.offers) if (fate !== "gone") world.setFate(id, "runs");
  world.account.credit = 1_000_000;
  const offer = await cheapest(window);
  const made = createInstance(world, offer.id, { image: "a/b", runtype: "ssh_direct", label: "mine", price: 5 });
  const instance = InstanceId.parse(made.id);
  await eventually(() => world.toRecord(made).actual_status === "running", "it runs");
  await window.instances.collection.refresh();
  let count = 0;
  const leave = async (state: RunRecord["state"], rest: Partial<RunRecord> = {}): Promise<RunRecord> => {
    count += 1;
    const { id = RunId.parse(`20260101-000000-a-${count}`) } = rest;
    const { address, tag } = window.me();
    const run: RunRecord = {
      ...{ version: 1, id, base: address.base, account: tag, instance, plan: PLAN, at: 1000, window: "gone", state },
      ...rest,
    };
    const folder = join(window.userData.root, "runs");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${id}.json`), JSON.stringify(run));
    return run;
  };
  const prepare = (run: RunRecord) => window.continuations.prepare(window.me(), run, NEVER);
  const sent = (method: string) =>
    window.lines.filter((line) => line.method === method && line.path.includes(`/instances/${instance}/`));
  return { ...window, world, made, instance, leave, prepare, sent };
}

describe("a run goes on elsewhere", () => {
  test("only if nothing works on it any longer, as far as the service proves", async () => {
    const { leave, prepare, world, instance, runs, me } = await leftWindow();
    const run = await leave(STARTED);
    await assert.rejects(prepare(run), {
      kind: "rejected",
      message: /^Instance \d+ may still be working on this run\./,
    });
    for (const [state, rest, message] of [
      [{ kind: "ended", at: 5, exit: 0, results: { kind: "none" } }, {}, /^“a\.sh” has finished\./],
      [{ kind: "uploading" }, {}, /^“a\.sh” is being prepared on instance \d+\.$/],
      [STARTED, { member: MEMBER }, /^“a\.sh” ran on a group/],
    ] as const)
      await assert.rejects(prepare(await leave(state, rest)), { kind: "rejected", message });
    const before = await runs.readAll(me());
    assert.ok(
      before.some(({ id, state }) => id === run.id && state.kind === "started"),
      "nothing was written down",
    );
    world.destroy(instance);
    assert.equal((await prepare(run)).before, "gone");
    // A list of runs may have been open while it ended.
    const { id } = await leave({ kind: "ended", at: 5, exit: 0, results: { kind: "none" } });
    await assert.rejects(prepare({ ...run, id }), { kind: "rejected", message: /has finished/ });
  });

  test("with what is on the disk of a stopped instance still in the list", async () => {
    const { leave, prepare, world, made, runs, me, continuations } = await leftWindow();
    const run = await leave(STARTED);
    world.stop(made);
    await eventually(() => world.toRecord(made).actual_status !== "running", "it has stopped");
    const next = await prepare(run);
    assert.deepEqual([next.before, next.early, next.upload], ["stopped", undefined, undefined]);
    assert.ok((next.diskPrice ?? 0) > 0);
    await continuations.claim(me(), next, createIntent().token, NEVER);
    await leave({ kind: "waiting" }, { earlier: [...next.attempts] });
    const all = await runs.readAll(me());
    assert.equal(all.length, 2, "what it left there can still be downloaded");
    const one = ended(all.find(({ id }) => id === run.id) ?? assert.fail());
    assert.deepEqual([one.results?.kind, one.rental?.kind], ["failed", "stopped"]);
  });

  test("after an instance was stopped that would start on its own", async () => {
    const { leave, prepare, world, instance, made, continuations, me, sent } = await leftWindow();
    const run = await leave(STARTED);
    assert.ok(new Rehearsal(world).outbid(instance));
    await eventually(() => world.toRecord(made).actual_status !== "running", "it waits for its GPU");
    const next = await prepare(run);
    assert.equal(next.before, "queued");
    assert.deepEqual(sent("PUT"), [], "nothing is done before the summary is confirmed");
    await continuations.claim(me(), next, createIntent().token, NEVER);
    assert.equal(sent("PUT").length, 1);
    assert.equal(world.toRecord(made).intended_status, "stopped");
  });

  test("by one launch: one before it that came to nothing never can again, and no other may be under way", async () => {
    const window = await leftWindow();
    const { leave, prepare, continuations, me, world, instance, instances, journal } = window;
    world.destroy(instance);
    const claim = async (run: RunRecord): Promise<string> => {
      const { token } = createIntent();
      await continuations.claim(me(), await prepare(run), token, NEVER);
      const [now] = (await window.runs.readAll(me())).filter(({ id }) => id === run.id);
      assert.equal(now?.next, token);
      return token;
    };
    const run = await leave(LOST);
    const first = await claim(run);
    await claim(run);
    await assert.rejects(journal.claim(first), /already sent/, "a window that only slept can't send it");
    for (const [facts, message] of [
      [[], undefined],
      [["claimed"], /may have been rented/],
      [["claimed", "refused"], undefined],
      [["claimed", "absent"], undefined],
      [["claimed", "dismissed"], undefined],
      [["not-sent"], undefined],
    ] as const) {
      const one = await leave(LOST, { next: await writeLaunch(window, facts) });
      if (message) await assert.rejects(claim(one), { kind: "rejected", message });
      else await claim(one);
    }
    // What was rented must be gone, with proof.
    const other = await rentElsewhere(window, "other");
    const token = await writeLaunch(window, ["claimed", ["rented", other]]);
    const rented = await leave(LOST, { next: token });
    await assert.rejects(claim(rented), { kind: "rejected", message: /was rented to continue this run/ });
    world.destroy(other);
    instances.whereabouts.noteGone(me(), other);
    await claim(rented);
  });

  test("from one window, where two claim it at once", async () => {
    const { leave, prepare, world, instance, continuations, me } = await leftWindow();
    world.destroy(instance);
    const next = await prepare(await leave(LOST));
    const claims = [1, 2].map(() => continuations.claim(me(), next, createIntent().token, NEVER));
    const ends = await Promise.allSettled(claims);
    assert.deepEqual(ends.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  });

  test("only as it was reviewed, and what is dropped changes nothing", async () => {
    const { leave, prepare, world, made, continuations, me, runs } = await leftWindow();
    const run = await leave(STARTED);
    world.stop(made);
    await eventually(() => world.toRecord(made).actual_status !== "running", "it has stopped");
    const next = await prepare(run);
    const [now] = await runs.readAll(me());
    assert.deepEqual(now?.state, STARTED, "the summary may be dropped");
    world.start(made);
    await eventually(() => world.toRecord(made).actual_status === "running", "it runs again");
    await assert.rejects(continuations.claim(me(), next, createIntent().token, NEVER), { kind: "rejected" });
  });

  test("where one answer lacks its instance only if the next one does", async () => {
    const window = await leftWindow();
    const { leave, me, instance } = window;
    const run = await leave(LOST);
    let answers = 0;
    const client = me().client;
    const actions = {
      ...window.actions,
      reread: async (...[account, id]: Parameters<typeof window.actions.reread>) => {
        answers += 1;
        return answers === 1 ? undefined : await window.instances.whereabouts.ask(account, id);
      },
    } as unknown as typeof window.actions;
    assert.ok(client);
    const continuations = new RunContinuations({
      liveness: lifeOf("this"),
      ...window,
      actions,
      runJournal: new RunJournal(join(window.userData.root, "runs"), window.clock),
    });
    await assert.rejects(continuations.prepare(me(), run, NEVER), { kind: "rejected", message: /may still be there/ });
    assert.ok(window.service.world.listInstances().some(({ id }) => id === instance));
  });

  test("from its latest attempt, and not while that is under way", async () => {
    const { leave, prepare, world, instance, continuations, me } = await leftWindow();
    world.destroy(instance);
    const run = await leave(LOST);
    const next = await prepare(run);
    const second = await leave({ kind: "waiting" }, { earlier: [...next.attempts] });
    await assert.rejects(prepare(run), { kind: "rejected", message: /is being prepared on instance/ });
    await assert.rejects(continuations.claim(me(), next, createIntent().token, NEVER), {
      kind: "rejected",
      message: /^“a\.sh” is already continued on instance/,
    });
    await leave(LOST, { id: second.id });
    const third = await leave(LOST, { earlier: [...next.attempts] });
    assert.equal((await prepare(run)).run.id, third.id);
    assert.deepEqual(
      (await prepare(run)).attempts.map(({ run: id }) => id),
      [run.id, third.id],
    );
  });
});
