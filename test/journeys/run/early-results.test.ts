// Results that come while a command still runs, by the real `ssh`: each whole, none over what the person changed, and none twice.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { access, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { describe, test } from "node:test";
import { RUNS } from "../../../src/domain/base/own-folders.ts";
import { readFetchedFiles } from "../../../src/domain/run/fetched-files.ts";
import type { RentedForRun, RunRecord } from "../../../src/domain/run/run-record.ts";
import { type Clock, realClock } from "../../../src/lib/clock.ts";
import { listOutcomeLines } from "../../../src/present/run/run-text.ts";
import { startSsh } from "../../../src/services/connection/ssh/ssh-program.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { judgePlace } from "../../../src/services/run/results/settle-results.ts";
import { readScript } from "../../unit/support.ts";
import { lifeOf } from "../editor-window.ts";
import { ended, fetched, makeProject, NEVER, openMachine, signInForRuns, skip } from "../run-machine.ts";
import { cleanUp, eventually, shareBetweenTests } from "../support.ts";

shareBetweenTests();

const MINUTE = 60_000;
/** Waits for results are over soon, and are counted. */
function createClock() {
  const counted = { waits: 0 };
  const hooks: { onDigest?: () => void; hangs?: string | undefined } = {};
  let skipped = 0;
  const clock: Clock = {
    ...realClock,
    elapsed: () => realClock.elapsed() + skipped,
    sleep: async (ms, signal) => {
      if (ms >= 10 * MINUTE && hooks.hangs !== undefined) return await realClock.sleep(1000, signal);
      const isLong = ms > 40_000 && ms <= MINUTE && signal !== undefined;
      await realClock.sleep(isLong ? 200 : ms, signal);
      if (!isLong) return;
      counted.waits += 1;
      skipped += ms;
    },
  };
  return { clock, counted, hooks };
}

/** Goes on once there is a file of the name that it is told. */
const WAITS = 'w() { until [ -e "$1" ]; do sleep 0.1; done; }; mkdir -p out';

/** A run that waits for files in its folder, and whose results come every minute. */
async function workingRun(command: string) {
  const { clock, counted, hooks } = createClock();
  const { token } = createIntent();
  const window = await openMachine(await signInForRuns({ clock, liveness: lifeOf("this", "living") }), `${token} mine`);
  const rented: RentedForRun = { token, at: Date.now(), price: 0.5, whenDone: "destroy" };
  const project = await makeProject(window, { "a.sh": "true\n" }, `${WAITS}; ${command}`, rented);
  const scripts: string[] = [];
  const start = (program: string, args: readonly string[]) => {
    const script = readScript(args.at(-1) ?? "");
    scripts.push(script);
    if (script.includes("sha256sum")) hooks.onDigest?.();
    const hangs = hooks.hangs !== undefined && script.includes(hooks.hangs);
    return startSsh(program, hangs ? [...args.slice(0, -1), "exec sleep 60"] : args);
  };
  const machine = { ...window.machine, start };
  const run = () => project.start({ ...project.plan, results: ["out/**"], resultsEveryMinutes: 1 }, machine);
  const findAny = async (): Promise<RunRecord | undefined> =>
    (await window.runs.readAll(window.me())).find(({ plan }) => plan.remote === project.remote);
  const find = async () => (await findAny()) ?? assert.fail();
  const here = async (name: string) => {
    const early = (await findAny())?.early;
    return early && (await readFile(join(early.place, name), "utf8").catch(() => undefined));
  };
  const isHere = (name: string, text: string) =>
    eventually(async () => (await here(name)) === text, `${name} has come`);
  const tell = (name: string, text = "") => writeFile(join(project.remote, name), text);
  const count = (part: string) => scripts.filter((script) => script.includes(part)).length;
  /** Files and bytes that came at the end. */
  const last = () => project.stages.findLast((stage) => stage.kind === "fetching");
  const exists = () => window.service.world.listInstances().some(({ id }) => id === window.machine.id);
  const lates = () => project.stages.flatMap((stage) => (stage.kind === "late" ? [stage.names] : []));
  return { ...project, run, lates, find, here, isHere, tell, count, last, hooks, counted, exists };
}

describe("results of a run that goes on", { skip }, () => {
  test("come while it works, again if they change, and not again at its end", async () => {
    const { run, find, isHere, tell, last, stages, exists, count } = await workingRun(
      "echo one > out/1.pt; w next; echo two > out/2.pt; echo later > out/1.pt; w go; echo end > out/3.pt",
    );
    const running = run();
    await isHere("out/1.pt", "one\n");
    const first = await find();
    assert.deepEqual([first.state.kind, first.early?.files, first.early?.bytes], ["started", 1, 4]);
    assert.ok(Math.abs((first.early?.at ?? 0) - Date.now()) < 20 * MINUTE);
    await tell("next");
    await isHere("out/1.pt", "later\n");
    await isHere("out/2.pt", "two\n");
    const downloads = count("tar $h -cf - -T -");
    await tell("go");
    const over = await running;
    const { place, files, bytes, isWhole, until } = fetched(over);
    assert.deepEqual([place, files, bytes, isWhole, until], [first.early?.place, 3, 14, true, undefined]);
    assert.deepEqual(last(), { kind: "fetching", files: 1, bytes: 4 }, JSON.stringify(stages));
    assert.equal(count("tar $h -cf - -T -"), downloads + 1);
    assert.deepEqual((await readdir(place, { recursive: true })).sort(), [
      ...["out", "out/1.pt", "out/2.pt", "out/3.pt", "run.log"],
    ]);
    assert.equal(ended(over).rental?.kind, "destroyed");
    assert.equal(exists(), false);
  });

  test("aren't here as long as they change while they are downloaded", async () => {
    const { run, here, isHere, tell, hooks, remote, count } = await workingRun(
      "echo whole > out/a; echo begun > out/b; w go",
    );
    let cuts = 0;
    hooks.onDigest = () => {
      cuts += 1;
      if (cuts === 1) appendFileSync(join(remote, "out/b"), "more\n");
    };
    const running = run();
    await isHere("out/a", "whole\n");
    assert.ok(cuts > 0);
    assert.equal(await here("out/b"), undefined, "it was torn");
    await isHere("out/b", "begun\nmore\n");
    const asked = count("sha256sum");
    await tell("go");
    const over = await running;
    assert.equal(fetched(over).files, 2);
    assert.equal(count("sha256sum"), asked + 2, "what is here is compared at the end, and before the instance ends");
    assert.equal(ended(over).rental?.kind, "destroyed");
  });

  test("never replace what the person changed: the instance's versions lie beside it", async () => {
    const { run, find, here, isHere, tell } = await workingRun(
      "for f in a b c; do echo $f > out/$f; done; w next; for f in a b c; do echo $f$f > out/$f; done; w go",
    );
    const running = run();
    for (const name of ["a", "b", "c"]) await isHere(`out/${name}`, `${name}\n`);
    const place = (await find()).early?.place ?? assert.fail();
    await writeFile(join(place, "out/a"), "mine\n");
    await rm(join(place, "out/c"));
    await tell("next");
    await isHere("out/b", "bb\n");
    await isHere("out/c", "cc\n");
    assert.equal(await here("out/a"), "mine\n");
    await tell("go");
    const over = await running;
    const { beside, isWhole, files } = fetched(over);
    assert.deepEqual([isWhole, files], [true, 3]);
    assert.ok(beside !== undefined && beside !== place);
    assert.deepEqual((await readdir(beside, { recursive: true })).sort(), ["out", "out/a"]);
    assert.equal(await readFile(join(beside, "out/a"), "utf8"), "aa\n");
    assert.equal(await readFile(join(place, "out/a"), "utf8"), "mine\n");
    assert.equal(ended(over).rental?.kind, "destroyed", "all of it is on this computer");
    assert.match(listOutcomeLines(over).join(" "), /Some files here weren't replaced, .* are in \.cloud-gpu/);
  });

  test("stay where the instance is gone before the end, and the run says until when they go", async () => {
    const { run, isHere, service, machine, find } = await workingRun("echo one > out/1.pt; w never");
    const running = run();
    await isHere("out/1.pt", "one\n");
    const { early } = await find();
    service.world.destroy(machine.id);
    const over = await running;
    const { place, files, isWhole, until, log } = fetched(over);
    assert.deepEqual([place, files, isWhole, until, log], [early?.place, 1, false, early?.at, undefined]);
    assert.equal(ended(over).rental?.kind, "gone");
    assert.equal(await readFile(join(place, "out/1.pt"), "utf8"), "one\n");
    assert.match(listOutcomeLines(over).join(" "), /Results as of .*: 1 file \(4 B\) in \.cloud-gpu/);
  });

  test("go on after the window is loaded again, and never in two windows", async () => {
    const { run, find, isHere, tell, leave, runs, following, alone, count, counted, userData } = await workingRun(
      "echo one > out/1.pt; w next; echo two > out/2.pt; w go",
    );
    const running = run();
    await isHere("out/1.pt", "one\n");
    const record = await find();
    // Another window has it now.
    const path = join(userData.root, "runs", `${record.id}.json`);
    await writeFile(path, JSON.stringify({ ...(await find()), window: "living" }));
    const waited = counted.waits;
    await eventually(() => counted.waits > waited + 1, "a look that knows of it is over");
    const looks = count("-print0");
    await eventually(() => counted.waits > waited + 4, "more of them came");
    assert.equal(count("-print0"), looks, "this one asks nothing");
    leave();
    await assert.rejects(running, { name: "AbortError" });
    const again = runs.follow(alone, await find(), { ...following, signal: NEVER });
    await tell("next");
    await isHere("out/2.pt", "two\n");
    await tell("go");
    const over = await again;
    assert.deepEqual([fetched(over).files, fetched(over).place], [2, record.early?.place]);
  });

  test("that can't be looked at end nothing, and are looked at again", async () => {
    const { run, isHere, tell, home, remote, find, counted } = await workingRun("echo one > out/1.pt; w go");
    const running = run();
    await eventually(
      async () =>
        access(join(remote, "out/1.pt")).then(
          () => true,
          () => false,
        ),
      "it runs",
    );
    const began = join(home, RUNS, (await find()).id, "began");
    const { mtime } = await stat(began);
    await rm(began);
    const waited = counted.waits;
    await eventually(() => counted.waits > waited + 2, "looks failed");
    assert.equal((await find()).early, undefined);
    await writeFile(began, "");
    await utimes(began, mtime, mtime);
    await writeFile(join(remote, "out/1.pt"), "two\n");
    await isHere("out/1.pt", "two\n");
    await tell("go");
    assert.equal(ended(await running).exit, 0);
  });

  test("come again after a machine's answer never ended", async () => {
    const { run, isHere, tell, hooks, count, find } = await workingRun(
      "echo one > out/1.pt; w next; echo two > out/2.pt; w go",
    );
    // What lists, what compares, and what is downloaded.
    const asked = ["-print0", "stat -c", "tar $h -cf - -T -", "sha256sum"];
    hooks.hangs = asked[0];
    const running = run();
    for (const part of asked) {
      hooks.hangs = part;
      const before = count(part);
      await eventually(() => count(part) > before + 1, `${part} hangs, and is asked again`);
    }
    assert.equal((await find()).early, undefined);
    hooks.hangs = undefined;
    await isHere("out/1.pt", "one\n");
    await tell("next");
    await isHere("out/2.pt", "two\n");
    await tell("go");
    assert.equal(fetched(await running).files, 2);
  });

  const noGit = spawnSync("git", ["--version"]).status !== 0 && "git is not installed";
  test("may be a repository that comes in two parts: all of it but what would make git obey it", {
    skip: noGit,
  }, async () => {
    const { run, here, find, tell, lates, count, counted, isHere, folder, remote, exists } = await workingRun(
      [
        "git init -q --bare -b main out/r.git; w next; git init -q w; cd w",
        "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one; git push -q ../out/r.git HEAD:refs/heads/main",
        "cd ..; w more; echo late > out/late; w go",
      ].join("; "),
    );
    const running = run();
    await eventually(async () => (await here("out/r.git/HEAD")) !== undefined, "its first part has come");
    await tell("next");
    const main = "out/r.git/refs/heads/main";
    await eventually(async () => (await here(main)) !== undefined, "its second part has come");
    const place = (await find()).early?.place ?? assert.fail();
    const git = (at: string, ...args: readonly string[]) =>
      spawnSync("git", ["-C", at, ...args], { env: { ...process.env, GIT_CEILING_DIRECTORIES: dirname(at) } });
    const repository = join(place, "out/r.git");
    assert.notEqual(git(repository, "fsck").status, 0, "git takes it for none");
    const copy = await mkdtemp(join(tmpdir(), "cloud-gpu-place-"));
    cleanUp(() => rm(copy, { recursive: true, force: true }));
    await cp(repository, copy, { recursive: true });
    await cp(join(remote, "out/r.git/HEAD"), join(copy, "HEAD"));
    assert.equal(git(copy, "fsck", "--strict", "--no-dangling").status, 0, "nothing else is missing");
    assert.equal(`${git(copy, "rev-parse", "HEAD").stdout}`, await here(main));
    const waited = counted.waits;
    await tell("more");
    await isHere("out/late", "late\n");
    await eventually(() => counted.waits > waited + 8, "looks came");
    assert.ok(count("tar $h -cf - -T -") < counted.waits - 4, "what can't come isn't downloaded again and again");
    await tell("go");
    const over = await running;
    const { beside, isWhole } = fetched(over);
    assert.ok(isWhole && beside !== undefined);
    assert.deepEqual((await readdir(beside, { recursive: true })).sort(), ["out", "out/r.git", "out/r.git/HEAD"]);
    assert.notEqual(git(repository, "fsck").status, 0);
    assert.deepEqual((await readdir(dirname(place))).sort(), [basename(place), basename(beside)].sort());
    assert.ok(
      lates().every((names) => names.join() === "./out/r.git/HEAD") && lates().length <= 1,
      JSON.stringify(lates()),
    );
    assert.equal(folder, dirname(dirname(dirname(place))));
    assert.deepEqual([ended(over).rental?.kind, exists()], ["destroyed", false], "all of it is on this computer");
  });
});

test("a place with a link, a folder, or another file is the person's", { skip }, async () => {
  const place = await mkdtemp(join(tmpdir(), "cloud-gpu-place-"));
  cleanUp(() => rm(place, { recursive: true, force: true }));
  const other = await mkdtemp(join(tmpdir(), "cloud-gpu-place-"));
  cleanUp(() => rm(other, { recursive: true, force: true }));
  await mkdir(join(place, "folder"));
  await writeFile(join(other, "a"), "");
  for (const name of ["ours", "theirs"]) await writeFile(join(place, name), name === "ours" ? "" : "x");
  await symlink(other, join(place, "away"));
  await symlink(join(place, "ours"), join(place, "link"));
  const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  const names = ["ours", "theirs", "folder", "link", "away/a"];
  const known = readFetchedFiles(names.map((name) => `${empty} 0 1 ./${name}\n`).join(""));
  for (const [name, found] of [
    ["ours", "replaceable"],
    ["theirs", "theirs"],
    ["folder", "theirs"],
    ["link", "theirs"],
    ["away/a", "theirs"],
    ["ours/a", "theirs"],
    ["new/a", "free"],
  ] as const)
    assert.equal(await judgePlace(place, name.split("/"), known), found, name);
});
