// What goes to a machine for a run beside its folder, and what comes back: chosen results, and data that stays there.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import type { RentedForRun, RunRecord } from "../../../src/domain/run/run-record.ts";
import { createLazy } from "../../../src/lib/task.ts";
import { describeStage, listRunEndLines } from "../../../src/present/run/run-text.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { listRun } from "../../../src/services/run/list-run.ts";
import { ended, fetched, makeProject, NEVER, openMachine, signInForRuns, skip } from "../run-machine.ts";
import { cleanUp, shareBetweenTests } from "../support.ts";

shareBetweenTests();

const signInOnce = createLazy(signInForRuns);
const openOnce = createLazy(async () => await openMachine(await signInOnce()));

type Files = Readonly<Record<string, string>>;

async function rentedRun(command: string, chosen: { results?: string[]; data?: string[] }, files: Files = {}) {
  const { token } = createIntent();
  const window = await openMachine(await signInOnce(), `${token} mine`);
  const rented: RentedForRun = { token, at: Date.now(), price: 0.5, whenDone: "destroy" };
  const project = await makeProject(window, { "a.sh": "true\n", ...files }, command, rented);
  const exists = () => window.service.world.listInstances().some(({ id }) => id === window.machine.id);
  return { ...project, exists, start: () => project.start({ ...project.plan, ...chosen }) };
}

const rentalOf = (run: RunRecord) => ended(run).rental;
const MAKES = "mkdir -p out/deep tmp; echo model > out/deep/model.bin; echo 1 > loss.csv; echo x > tmp/cache";

describe("of a run whose results were chosen", { skip }, () => {
  test("only those come back, and the rest is named before it is lost with the machine", async () => {
    const { start, exists, stages } = await rentedRun(MAKES, { results: ["out/**", "*.csv"] });
    const run = await start();
    const { place, files, others, isWhole } = fetched(run);
    assert.deepEqual((await readdir(place)).sort(), ["loss.csv", "out", "run.log"]);
    assert.equal(await readFile(join(place, "out/deep/model.bin"), "utf8"), "model\n");
    assert.deepEqual([files, isWhole, others], [2, true, { files: 1, names: ["tmp/cache"] }]);
    assert.equal(rentalOf(run)?.kind, "destroyed");
    assert.equal(exists(), false);
    const last = stages.at(-1);
    assert.ok(last);
    assert.match(describeStage(last, run, Date.now()), /Deleted with the instance, not downloaded: tmp\/cache\./);
    assert.match(listRunEndLines(run, undefined).join("\n"), /Results: 2 files .* Not downloaded: tmp\/cache\./);
  });

  test("nothing comes back that doesn't match, so the machine is kept, and why is said", async () => {
    const { start, exists } = await rentedRun(MAKES, { results: ["out/**", "model.pt"] });
    const run = await start();
    assert.equal(fetched(run).files, 1);
    const why = "No new or changed file matches “model.pt”.";
    assert.deepEqual(rentalOf(run), { kind: "kept", why });
    assert.equal(exists(), true);
    const none = await rentedRun(MAKES, { results: ["nothing/here"] });
    const over = await none.start();
    assert.deepEqual([rentalOf(over)?.kind, none.exists()], ["kept", true]);
    assert.match(listRunEndLines(over, undefined).join("\n"), /No results\. .*matches nothing\/here\./);
    assert.equal(await readFile(join(fetched(over).place, "run.log"), "utf8"), none.printed());
  });

  test("what can't be downloaded keeps the machine only if it was asked for", async () => {
    const odd = "mkdir out tmp ../big; echo a > out/a; touch 'tmp/new\nline'; ln -s ../big latest";
    assert.equal(rentalOf(await (await rentedRun(odd, { results: ["out/**"] })).start())?.kind, "destroyed");
    const asked = await rentedRun("mkdir ../large out; echo a > out/a; ln -s ../../large out/b", {
      results: ["out/**"],
    });
    assert.deepEqual(rentalOf(await asked.start()), {
      kind: "kept",
      why: "Some of the run's files couldn't be downloaded.",
    });
  });

  test("a link to what isn't among them keeps the machine: it comes back as a link alone", async () => {
    const why = "Some of the run's files couldn't be downloaded.";
    for (const command of [
      "mkdir ckpt; echo 1 > out/log; echo model > ckpt/7.pt; ln -s ../ckpt/7.pt out/best.pt",
      "mkdir ckpt; echo 1 > out/log; echo model > ckpt/7.pt; ln -s ../ckpt out/last",
      "mkdir ckpt; echo 1 > out/log; echo model > ckpt/7.pt; ln -s 7.pt ckpt/last; ln -s ../ckpt/last out/best.pt",
      `mkdir ckpt; echo 1 > out/log; n=$(printf 'a\\n\\tb\\nx'); n=\${n%x}; echo m > "ckpt/$n"; ln -s "../ckpt/$n" "out/$n"`,
      "mkdir ckpt; echo 1 > out/log; echo model > ckpt/7.pt; ln -sf ../ckpt/7.pt out/model.pt",
    ]) {
      const { start, exists } = await rentedRun(command, { results: ["out/**"] }, { "out/model.pt": "base\n" });
      assert.deepEqual(rentalOf(await start()), { kind: "kept", why }, command);
      assert.equal(exists(), true);
    }
    const whole = await rentedRun(
      "mkdir out; echo m > out/7.pt; ln -s 7.pt out/best.pt; ln -s out latest; ln -s . self",
      {
        results: ["out/**"],
      },
    );
    assert.equal(rentalOf(await whole.start())?.kind, "destroyed", "what it leads to came back");
  });
});

describe("a data folder", { skip }, () => {
  const files = { ".gitignore": "data/\n", "a.sh": "cat data/in.bin | wc -c\n", "data/in.bin": "x".repeat(1_500_000) };

  test("goes up although it is ignored, once for each machine, and isn't among the results", async () => {
    const { folder, plan, uploaded, remote, ...project } = await makeProject(
      await openOnce(),
      files,
      "sh a.sh; echo new > data/new; echo made > made",
    );
    const start = () => project.start({ ...plan, data: ["data"] });
    const run = await start();
    assert.equal(uploaded(), 3);
    assert.match(await readFile(join(fetched(run).place, "run.log"), "utf8"), /1500000/);
    assert.deepEqual((await readdir(fetched(run).place)).sort(), ["made", "run.log"]);
    assert.deepEqual(fetched(run).others, { files: 1, names: ["data/new"] });
    await start();
    assert.equal(uploaded(), 0, "it is kept there");
    await writeFile(join(folder, "data/in.bin"), "y".repeat(1_400_000));
    await start();
    assert.equal(uploaded(), 1);
    assert.equal((await readFile(join(remote, "data/in.bin"), "utf8")).length, 1_400_000);
  });

  test("that the command writes to keeps no machine: what is lost is named", async () => {
    const { start } = await rentedRun("echo a > data/new; echo b > b", { data: ["data"] }, { "data/in": "x" });
    const run = await start();
    assert.equal(rentalOf(run)?.kind, "destroyed");
    assert.deepEqual(fetched(run).others, { files: 1, names: ["data/new"] });
  });
});

describe("what goes up for a run", { skip: process.platform === "win32" && "makes links" }, () => {
  async function makeFolder(files: Files) {
    const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-list-"));
    cleanUp(() => rm(folder, { recursive: true, force: true }));
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    return folder;
  }

  test("is its folder and its data, each file once and each size by itself", async () => {
    const folder = await makeFolder({
      ...{ ".gitignore": "sets/b\n", "a.py": "1234", "sets/a/1": "12", "sets/a/.env": "S=1", "sets/b/x/2": "123" },
      "sets/c": "1",
    });
    const list = await listRun({ folder, data: ["sets/b", "sets/a"] }, NEVER);
    const paths = list.files.map(({ path }) => path).sort();
    assert.deepEqual(paths, [".gitignore", "a.py", "sets/a/1", "sets/b/x/2", "sets/c"]);
    assert.deepEqual(list.folders.filter((path) => path.startsWith("sets")).sort(), [
      ...["sets", "sets/a", "sets/b", "sets/b/x"],
    ]);
    assert.deepEqual(list.main, { files: 3, bytes: 12 });
    assert.deepEqual(list.data, [
      { path: "sets/b", files: 1, bytes: 3 },
      { path: "sets/a", files: 1, bytes: 2 },
    ]);
    assert.deepEqual([list.bytes, list.secrets], [17, ["sets/a/.env"]]);
    const alone = await listRun({ folder }, NEVER);
    assert.deepEqual([alone.main.files, alone.data], [4, []]);
  });

  test("is nothing if a data folder is missing, a link, secret, empty, or no folder", async () => {
    const folder = await makeFolder({ "a.py": "", "data/x": "1", ".ssh/config": "", "skipped/.gitignore": "*\n" });
    const elsewhere = await makeFolder({ "x/secret": "1" });
    await symlink(elsewhere, join(folder, "link"));
    await mkdir(join(folder, "empty"));
    for (const [path, says] of [
      ["missing", /The data folder “missing” doesn't exist\.$/],
      ["data/missing", /The data folder .* doesn't exist/],
      ["a.py", /The data folder .* doesn't exist/],
      ["link", /is a link, or inside one/],
      ["link/x", /is a link, or inside one/],
      [".ssh", /may contain secrets/],
      ["empty", /has no files to upload/],
      ["skipped", /has no files to upload/],
    ] as const)
      await assert.rejects(listRun({ folder, data: [path] }, NEVER), says, path);
  });
});
