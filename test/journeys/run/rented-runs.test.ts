// The machine that a run rented: destroyed once all that the run left there is here, and kept wherever that can't be known.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { formatHourlyPrice } from "../../../src/domain/base/money.ts";
import type { WhenDone } from "../../../src/domain/base/when-done.ts";
import { isOpen, isStranded, type RunRecord, readRunRecord } from "../../../src/domain/run/run-record.ts";
import type { RunStage } from "../../../src/domain/run/run-stage.ts";
import { describeRunEnd } from "../../../src/present/run/run-text.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { readRunState } from "../../../src/services/run/machine-run.ts";
import { verifyResults } from "../../../src/services/run/results/verify-results.ts";
import type { Following } from "../../../src/services/run/run-watch.ts";
import { probeTransfer } from "../../../src/services/transfer/probe-transfer.ts";
import { ended, fetched, NEVER, signInForRuns, skip } from "../run-machine.ts";
import { cleanUp, eventually, sandbox } from "../support.ts";
import { confirmRun } from "./run-person.ts";
import { createHastyClock } from "./taken-away.ts";

interface Wish {
  readonly files?: Readonly<Record<string, string>>;
  readonly command?: string;
  readonly whenDone?: WhenDone;
}

const MAKES_A_FILE = { "a.sh": "echo result > result\n" };

/** A run on a machine that was rented for it, up to where it can begin. */
async function rentedRun({ files = MAKES_A_FILE, command = "sh a.sh", whenDone = "destroy" }: Wish = {}) {
  const confirmed = await confirmRun(await signInForRuns({ clock: createHastyClock() }), { files, command, whenDone });
  const { watching, service, userData, lines, me, runs } = confirmed;
  const { stages, kinds, asked, printed, leave } = watching;
  const { machine, run, list } = await confirmed.rent();
  const { id, program } = machine;
  const { world } = service;
  const exists = () => world.listInstances().some((one) => one.id === id);
  const destroys = () => lines.filter(({ method, path }) => method === "DELETE" && path.includes(`/${id}/`));
  const following: Following = { account: me(), ...watching };
  const start = async () => {
    stages.length = 0;
    return await runs.start(machine, run, list, following);
  };
  /** Its window is gone. */
  const leaveBehind = async () => {
    const path = join(userData.root, "runs", `${run.id}.json`);
    await writeFile(path, JSON.stringify({ ...run, window: crypto.randomUUID() }));
    return run;
  };
  const home = await probeTransfer(machine, NEVER);
  // By a connection of its own, as a window that comes later.
  const alone = { id, program, login: { ...machine.login, shared: undefined } };
  return {
    ...{ ...confirmed, machine, alone, home, plan: run.plan, remote: run.plan.remote },
    ...{ following, stages, kinds, asked, printed, leave, start, exists, destroys, leaveBehind },
  };
}

/** Someone gives an instance another label. */
const relabel = ({ me, machine }: Pick<Awaited<ReturnType<typeof rentedRun>>, "me" | "machine">) =>
  me().client.labelInstance(machine.id, `${createIntent().token} other`);

/** A command that is up until it is told to go on, and then makes a result. */
const WAITS = "echo up; while [ ! -e go ]; do sleep 0.1; done; echo made > result";

/** Leaves a run of it, which ends while no one follows it. */
async function leaveUntilOver(stage: Awaited<ReturnType<typeof rentedRun>>): Promise<RunRecord> {
  const { start, leave, runs, alone, me, remote, printed } = stage;
  const running = start();
  await eventually(() => printed().includes("up"), "it runs");
  leave();
  await assert.rejects(running, { name: "AbortError" });
  await writeFile(join(remote, "go"), "");
  const [left] = (await runs.readAll(me())).filter(({ plan }) => plan.remote === remote);
  assert.ok(left);
  await eventually(async () => (await readRunState(alone, left.id, NEVER)).kind === "ended", "it ends");
  return left;
}

/** Does something at the moment when a run comes to a stage. */
function whenAt(stages: RunStage[], kind: RunStage["kind"], work: () => void): void {
  const push = stages.push.bind(stages);
  stages.push = (...given) => {
    if (given.some((stage) => stage.kind === kind)) work();
    return push(...given);
  };
}

const OTHER = "Another run is in progress on the instance, or its results weren't downloaded.";
const rentalOf = (run: RunRecord) => ended(run).rental;

describe("an instance that a run rented", { skip }, () => {
  test("is destroyed once its results are here and compared, whatever the exit code", async () => {
    const { start, exists, kinds, asked } = await rentedRun({ command: "sh a.sh; exit 3" });
    const run = await start();
    assert.equal(ended(run).exit, 3);
    assert.equal(rentalOf(run)?.kind, "destroyed");
    assert.equal(exists(), false);
    assert.equal(await readFile(join(fetched(run).place, "result"), "utf8"), "result\n");
    assert.deepEqual(kinds(), ["uploading", "starting", "running", "fetching", "verifying", "destroying"]);
    assert.deepEqual(asked, [], "the summary has asked");
  });

  test("is kept if that was decided, or if the run didn't rent it", async () => {
    const kept = await rentedRun({ whenDone: "keep" });
    assert.equal(rentalOf(await kept.start()), undefined);
    assert.equal(kept.exists(), true);
    const other = await rentedRun();
    await relabel(other);
    const run = await other.start();
    assert.deepEqual(rentalOf(run), {
      kind: "kept",
      why: "The instance's label has changed, so Cloud GPU can't be sure that this run rented it.",
    });
    assert.deepEqual([other.exists(), other.destroys().length], [true, 0]);
  });

  test("is kept if a file can't be downloaded, or changes after it was", async () => {
    const odd = await rentedRun({ files: { "a.sh": "touch 'new\nline'\n" } });
    assert.deepEqual(rentalOf(await odd.start()), {
      kind: "kept",
      why: "Some of the run's files couldn't be downloaded.",
    });
    const growing = await rentedRun({ command: "echo first > result" });
    whenAt(growing.stages, "verifying", () => appendFileSync(join(growing.remote, "result"), "x"));
    assert.deepEqual(rentalOf(await growing.start()), {
      kind: "kept",
      why: "Not everything on the instance was downloaded.",
    });
    assert.deepEqual([odd.exists(), growing.exists()], [true, true]);
  });

  test("is kept as long as another run is in progress there", async () => {
    const first = await rentedRun();
    const other = await first.runs.prepare(first.me(), first.machine.id, { ...first.plan, name: "other.py" });
    assert.deepEqual(rentalOf(await first.start()), { kind: "kept", why: OTHER });
    await first.runs.forget(other.id);
  });

  test("is kept if a run that another computer started is in progress there", async () => {
    const { start, home } = await rentedRun();
    const elsewhere = join(home, ".cloud-gpu/runs/20260101-000000-other-abcd");
    await mkdir(elsewhere, { recursive: true });
    await writeFile(join(elsewhere, "run.sh"), "while :; do sleep 1; done\n");
    const other = spawn("sh", [join(elsewhere, "run.sh")], { stdio: "ignore" });
    cleanUp(() => void other.kill());
    await writeFile(join(elsewhere, "pid"), `${other.pid}\n`);
    assert.deepEqual(rentalOf(await start()), { kind: "kept", why: OTHER });
  });

  test("is kept if something that the command started still runs", async () => {
    const { start, exists } = await rentedRun({ command: "(sleep 60; echo late > late) & sleep 0.3" });
    const why = "A process that the command started is still running on the instance.";
    assert.deepEqual(rentalOf(await start()), { kind: "kept", why });
    assert.equal(exists(), true);
  });

  test("isn't kept for something that ends a moment after the command", async () => {
    const { start } = await rentedRun({ command: "(sleep 0.8; echo late > late) & sleep 0.1" });
    const run = await start();
    assert.equal(fetched(run).files, 1);
    assert.equal(rentalOf(run)?.kind, "destroyed");
  });

  test("is kept if results lie behind a link that leads out of the folder, but not for one that stays in it", async () => {
    const out = await rentedRun({ command: "mkdir ../big; ln -s ../big out; echo model > out/model.bin" });
    assert.deepEqual(rentalOf(await out.start()), {
      kind: "kept",
      why: "Some of the run's files couldn't be downloaded.",
    });
    const unlisted = await rentedRun({ command: "mkdir venv; echo model > venv/model.bin; ln -s venv/model.bin best" });
    assert.equal(rentalOf(await unlisted.start())?.kind, "kept", "nothing in that folder is downloaded");
    const inside = await rentedRun({ command: "mkdir run-1; echo model > run-1/model.bin; ln -s run-1 latest" });
    assert.equal(rentalOf(await inside.start())?.kind, "destroyed");
  });

  test("is kept if nobody knows how the command ended", async () => {
    const { start, exists, home, runs, me, remote, printed } = await rentedRun({ command: "echo up; sleep 600" });
    const running = start();
    await eventually(() => printed().includes("up"), "it runs");
    const [run] = (await runs.readAll(me())).filter(({ plan }) => plan.remote === remote);
    assert.ok(run);
    const pid = Number(await readFile(join(home, ".cloud-gpu/runs", run.id, "pid"), "utf8"));
    process.kill(-pid, "SIGKILL");
    assert.deepEqual(rentalOf(await running), {
      kind: "kept",
      why: "Cloud GPU couldn't determine how the command ended.",
    });
    assert.equal(exists(), true);
  });

  test("is kept if the run's script alone is killed, as for lack of memory, and what still runs is told of", async () => {
    const { start, home, runs, me, remote, printed } = await rentedRun({ command: "echo up; sleep 30" });
    const running = start();
    await eventually(() => printed().includes("up"), "it runs");
    const [run] = (await runs.readAll(me())).filter(({ plan }) => plan.remote === remote);
    assert.ok(run);
    const pid = Number(await readFile(join(home, ".cloud-gpu/runs", run.id, "pid"), "utf8"));
    process.kill(pid, "SIGKILL");
    const over = await running;
    assert.match(
      ended(over).why ?? "",
      /^The run's script was killed, .* The processes it started are still running\.$/,
    );
    assert.equal(rentalOf(over)?.kind, "kept");
    process.kill(-pid, "SIGKILL");
  });

  test("isn't destroyed without a question if the run ended while nobody followed it", async () => {
    const stage = await rentedRun({ command: WAITS });
    const { runs, following, alone, asked, exists } = stage;
    const left = await leaveUntilOver(stage);
    const again = { ...following, signal: NEVER };
    const refuses = { ...again, watch: { ...following.watch, mayDestroy: async () => false } };
    const kept = await runs.follow(alone, left, refuses);
    assert.deepEqual(rentalOf(kept), { kind: "kept", why: "You chose to keep the instance." });
    assert.equal(exists(), true);
    const pending = { ...kept, state: { ...ended(kept), rental: undefined } };
    assert.equal(rentalOf(await runs.follow(alone, pending, again))?.kind, "destroyed");
    assert.equal(asked.length, 1);
  });

  test("is destroyed without another question if somebody followed it again before it ended", async () => {
    const { start, leave, runs, following, alone, me, remote, asked, printed, kinds } = await rentedRun({
      command: "echo up; while [ ! -e go ]; do sleep 0.1; done",
    });
    const running = start();
    await eventually(() => printed().includes("up"), "it runs");
    leave();
    await assert.rejects(running, { name: "AbortError" });
    const [left] = (await runs.readAll(me())).filter(({ plan }) => plan.remote === remote);
    assert.ok(left);
    const following2 = runs.follow(alone, left, { ...following, signal: NEVER });
    await eventually(() => printed().split("\nup").length > 2, "it is followed again");
    await writeFile(join(remote, "go"), "");
    assert.equal(rentalOf(await following2)?.kind, "destroyed", kinds().join());
    assert.deepEqual(asked, []);
  });

  test("is kept if its files can't be listed", async () => {
    const { start, exists } = await rentedRun({ command: "echo made > made; rm -f ~/.cloud-gpu/runs/*/began" });
    const run = await start();
    assert.equal(ended(run).results?.kind, "failed");
    assert.deepEqual(rentalOf(run), { kind: "kept", why: "The run's results couldn't be downloaded." });
    assert.equal(exists(), true);
  });

  test("that ends while the run goes on is said to be gone", async () => {
    const { start, printed, service, machine } = await rentedRun({ command: "echo up; sleep 600" });
    const running = start();
    await eventually(() => printed().includes("up"), "it runs");
    service.world.destroy(machine.id);
    assert.deepEqual(rentalOf(await running), { kind: "gone" });
  });

  test("whose window is closed before the command starts is told of, and kept", async () => {
    for (const whenDone of ["keep", "destroy"] as const) {
      const { runs, me, plan, exists, leaveBehind } = await rentedRun({ whenDone });
      const { id } = await leaveBehind();
      const other = (await runs.findLeft(me())).left.filter((run) => run.id === id);
      assert.equal(other.length, 1, plan.name);
      const [left] = other;
      assert.ok(left && isStranded(left));
      await runs.giveUp(left, "told");
      assert.deepEqual((await runs.findLeft(me())).left.map((run) => run.id).includes(id), false, "told once");
      assert.equal(exists(), true);
    }
  });

  test("that the service doesn't say to be destroyed is never said to be", async () => {
    const { start, service } = await rentedRun();
    service.faults.add("500@destroyInstance");
    const run = await start().finally(() => service.faults.delete("500@destroyInstance"));
    assert.equal(rentalOf(run)?.kind, "unconfirmed");
  });

  test("of a run whose account was left is told of when it is back", async () => {
    const { start, printed, leave, runs, me, service, session } = await rentedRun({
      command: "echo up; sleep 600",
    });
    const running = start();
    await eventually(() => printed().includes("up"), "it runs");
    assert.deepEqual((await runs.findLeft(me())).left, [], "it is followed");
    const other = await sandbox({ seed: 7 });
    await session.enterSandbox(other.url, other.apiKey);
    leave();
    await assert.rejects(running);
    assert.deepEqual((await runs.findLeft(me())).left, [], "not the other account's");
    await session.signIn(service.url, service.apiKey);
    assert.equal((await runs.findLeft(me())).left.length, 1);
  });

  test("of a run whose upload failed is kept, and the record says why", async () => {
    const { start, leave, runs, me, remote, exists } = await rentedRun();
    leave();
    await assert.rejects(start());
    const [run] = (await runs.readAll(me())).filter(({ plan }) => plan.remote === remote);
    assert.ok(run);
    assert.equal(rentalOf(run)?.kind, "kept");
    assert.equal(exists(), true);
  });
});

describe("an instance that is to be stopped after its run", { skip }, () => {
  /** What became of it, and what the service was asked. */
  async function stoppedRun(wish: Wish = {}) {
    const run = await rentedRun({ ...wish, whenDone: "stop" });
    const { world } = run.service;
    const isStopped = () =>
      world
        .listInstances()
        .some((one) => one.id === run.machine.id && world.toRecord(one).intended_status === "stopped");
    return { ...run, isStopped };
  }

  test("is stopped once its results are here and compared, and its disk's price is known", async () => {
    const { start, exists, isStopped, destroys, kinds, asked } = await stoppedRun({ command: "sh a.sh; exit 3" });
    const run = await start();
    const rental = rentalOf(run);
    assert.ok(rental?.kind === "stopped" && (rental.price ?? 0) > 0 && rental.onlyThere === undefined);
    assert.deepEqual([exists(), isStopped(), destroys().length], [true, true, 0]);
    assert.equal(await readFile(join(fetched(run).place, "result"), "utf8"), "result\n");
    assert.deepEqual(kinds(), ["uploading", "starting", "running", "fetching", "verifying", "stopping"]);
    assert.deepEqual(asked, [], "the summary has asked");
  });

  test("is stopped also if results can't be downloaded: they are said to be on its disk", async () => {
    const odd = await stoppedRun({ files: { "a.sh": "touch 'new\nline'\n" } });
    const lost = await stoppedRun({ command: "echo made > made; rm -f ~/.cloud-gpu/runs/*/began" });
    for (const [{ start, isStopped }, why] of [
      [odd, "Some of the run's files couldn't be downloaded."],
      [lost, "The run's results couldn't be downloaded."],
    ] as const) {
      const run = await start();
      const rental = rentalOf(run);
      assert.ok(rental?.kind === "stopped", JSON.stringify(rental));
      assert.equal(rental.onlyThere, why);
      assert.equal(isStopped(), true);
      const { severity, text } = describeRunEnd(run, undefined);
      assert.equal(severity, "warning");
      assert.match(text, /was stopped\. Its disk costs \$.*[Ss]tart the instance/);
    }
  });

  test("is kept running as long as anything may run there, or if the run didn't rent it", async () => {
    const busy = await stoppedRun({ command: "(sleep 60; echo late > late) & sleep 0.3" });
    const why = "A process that the command started is still running on the instance.";
    assert.deepEqual(rentalOf(await busy.start()), { kind: "kept", why });
    const other = await stoppedRun();
    await relabel(other);
    const label = "The instance's label has changed, so Cloud GPU can't be sure that this run rented it.";
    assert.deepEqual(rentalOf(await other.start()), { kind: "kept", why: label });
    const shared = await stoppedRun();
    const next = await shared.runs.prepare(shared.me(), shared.machine.id, { ...shared.plan, name: "other.py" });
    const run = await shared.start();
    assert.deepEqual(rentalOf(run), { kind: "kept", why: "Another run is in progress on the instance." });
    await shared.runs.forget(next.id);
    assert.deepEqual([busy.isStopped(), other.isStopped(), shared.isStopped()], [false, false, false]);
    assert.match(describeRunEnd(run, 0.5).text, /The instance wasn't stopped\. .* costs \$0\.50\/h until/);
  });

  test("that somebody destroys as it stops is said to be gone, and to cost nothing", async () => {
    const { start, stages, me, machine, exists } = await stoppedRun();
    let destroying: Promise<unknown> | undefined;
    whenAt(stages, "stopping", () => {
      destroying = me().client.destroyInstance(machine.id);
    });
    assert.deepEqual(rentalOf(await start()), { kind: "gone" });
    await destroying;
    assert.equal(exists(), false);
  });

  test("that the service doesn't say to have stopped is said to cost what it costs", async () => {
    const { start, service } = await stoppedRun();
    service.faults.add("500@updateInstance");
    const run = await start().finally(() => service.faults.delete("500@updateInstance"));
    assert.equal(rentalOf(run)?.kind, "unconfirmed");
    const { severity, text } = describeRunEnd(run, undefined);
    assert.equal(severity, "warning");
    assert.ok(text.includes(`may still be running at ${formatHourlyPrice(run.rented?.price)}.`), text);
  });

  test("isn't stopped without a question if the run ended while nobody followed it", async () => {
    const stage = await stoppedRun({ command: WAITS });
    const { runs, following, alone, asked, isStopped } = stage;
    const left = await leaveUntilOver(stage);
    const again = { ...following, signal: NEVER };
    const refuses = { ...again, watch: { ...following.watch, mayDestroy: async () => false } };
    const kept = await runs.follow(alone, left, refuses);
    assert.deepEqual([rentalOf(kept), isStopped()], [{ kind: "kept", why: "You chose to keep the instance." }, false]);
    const pending = { ...kept, state: { ...ended(kept), rental: undefined } };
    assert.equal(rentalOf(await runs.follow(alone, pending, again))?.kind, "stopped");
    assert.deepEqual([isStopped(), asked.length], [true, 1]);
  });

  test("that has stopped itself meanwhile leaves nothing to do, if its results are here", async () => {
    const { start, runs, me } = await stoppedRun();
    const run = await start();
    const pending = { ...run, state: { ...ended(run), rental: undefined } };
    const over = await runs.noteStopped(pending, 0.01);
    assert.ok(over);
    assert.deepEqual([rentalOf(over)?.kind, (await runs.readAll(me())).filter(isOpen).length], ["stopped", 0]);
    const failed = { ...pending, state: { ...ended(pending), results: { kind: "failed", why: "no" } as const } };
    assert.equal(await runs.noteStopped(failed, 0.01), undefined, "they are only there");
    const { exit: _, ...unknown } = ended(pending);
    for (const state of [{ ...ended(pending), hasLeft: true }, unknown])
      assert.equal(await runs.noteStopped({ ...pending, state }, 0.01), undefined, "more may be there");
  });

  test("whose window is killed as it stops isn't said to have nothing but what is here, if that is different", async () => {
    const { start, runs, me, remote, stages, userData } = await stoppedRun({ command: "echo first > result" });
    let then: RunRecord | undefined;
    whenAt(stages, "verifying", () => appendFileSync(join(remote, "result"), "x"));
    whenAt(stages, "stopping", () => {
      const [name = ""] = readdirSync(join(userData.root, "runs")).sort().slice(-1);
      then = readRunRecord(readFileSync(join(userData.root, "runs", name), "utf8"));
    });
    const run = await start();
    const rental = rentalOf(run);
    assert.ok(rental?.kind === "stopped" && rental.onlyThere === "Not everything on the instance was downloaded.");
    assert.ok(then?.id === run.id && rentalOf(then) === undefined);
    assert.equal(await runs.noteStopped(then, 0.01), undefined);
    assert.equal((await runs.readAll(me())).filter(isOpen).length, 0);
  });
});

describe("what is here", { skip }, () => {
  test("is compared byte for byte with what is there, also files that came later", async () => {
    const { start, machine, remote } = await rentedRun({ whenDone: "keep" });
    const run = await start();
    assert.equal(await verifyResults(machine, run, NEVER), true);
    await appendFile(join(fetched(run).place, "result"), "x");
    assert.equal(await verifyResults(machine, run, NEVER), false, "changed here");
    await writeFile(join(fetched(run).place, "result"), "result\n");
    assert.equal(await verifyResults(machine, run, NEVER), true);
    const [log, { log: name = "" }] = [await readFile(join(fetched(run).place, "run.log")), fetched(run)];
    await appendFile(join(fetched(run).place, name), "x");
    assert.equal(await verifyResults(machine, run, NEVER), false, "another output");
    await writeFile(join(fetched(run).place, name), log);
    assert.equal(await verifyResults(machine, run, NEVER), true);
    await writeFile(join(remote, "later"), "");
    assert.equal(await verifyResults(machine, run, NEVER), false, "one more there");
  });
});
