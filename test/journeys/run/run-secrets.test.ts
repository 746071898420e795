// Secrets of a run, by the real `ssh` and real shells: the command has them, and nothing else on either side does.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { NO_SECRETS, TAKE_SECRETS } from "../../../src/domain/run/run-secrets.ts";
import { MASK } from "../../../src/lib/redact.ts";
import { createLazy } from "../../../src/lib/task.ts";
import { startRun } from "../../../src/services/run/machine-run.ts";
import { ended, fetched, makeProject, NEVER, openMachine, signInForRuns, skip } from "../run-machine.ts";
import { eventually, shareBetweenTests } from "../support.ts";

shareBetweenTests();

const CANARY = "hf_canary4711SecretOfARun";
const SECOND = `-----BEGIN KEY-----\ncanary'4712"$(touch never)\\0101\n-----END KEY-----\n\n`;
const LARGE = `canary4713 ${"0123456789abcde\n".repeat(4000)}`;
const SECRETS: ReadonlyMap<string, string> = new Map([
  ["HF_TOKEN", CANARY],
  ["DEPLOY_KEY", SECOND],
  ["LARGE", LARGE],
]);
const sha = (text: string): string => createHash("sha256").update(text).digest("hex");

const openOnce = createLazy(async () => await openMachine(await signInForRuns()));

async function makeSecretProject(command: string, files: Readonly<Record<string, string>> = { "a.sh": "" }) {
  const made = await makeProject(await openOnce(), files, command);
  const secrets = { project: made.folder, names: [...SECRETS.keys()] };
  for (const [name, value] of SECRETS) await made.runSecrets.keep({ project: made.folder, name }, value);
  const plan = { ...made.plan, secrets, limits: { maxHours: 1 } };
  const shown = () => Buffer.from(made.printed(), "latin1").toString();
  return { ...made, plan, start: () => made.start(plan), shown };
}

/** Processes whose argument list or first environment holds a text. */
function listHolders(text: string): readonly string[] {
  return readdirSync("/proc").flatMap((name) => {
    const read = (file: string) => {
      try {
        return readFileSync(`/proc/${name}/${file}`, "latin1").replaceAll("\0", " ");
      } catch {
        return "";
      }
    };
    const line = read("cmdline");
    if (line.includes(text)) return [`arguments: ${line}`];
    return read("environ").includes(text) ? [`environment: ${line.trim()}`] : [];
  });
}

/** Files below a folder that hold a text. */
function listFiles(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path, "latin1").includes(text));
}

describe("secrets of a run", { skip }, () => {
  test("are in the environment of what the command starts, as they were typed", async () => {
    const names = [...SECRETS.keys()];
    const print = names.map((name) => `printenv ${name} | sha256sum`).join("; ");
    const { start, printed, remote } = await makeSecretProject(print);
    assert.equal(ended(await start()).exit, 0);
    // `printenv` ends each with a line break.
    const said = [...SECRETS.values()].map((value) => `${sha(`${value}\n`)}  -\n`);
    assert.equal(printed(), `$ ${print}\n${said.join("")}`);
    assert.equal(existsSync(join(remote, "never")), false);
  });

  test("are nowhere else on the machine or here while it runs and afterward", async (context) => {
    if (process.platform !== "linux") return context.skip("processes can't be found");
    const home = (await openOnce()).home;
    const profile = join(home, ".profile");
    // One that writes down what it sees, and leaves a program behind.
    await writeFile(profile, "set -x; env > ~/seen; set > ~/seen.all; (sleep 300 & echo $! > ~/daemon)\n");
    try {
      const { start, remote, folder, printed, userData } = await makeSecretProject("sh a.sh", {
        "a.sh": "sleep 301 & touch up; while [ ! -e go ]; do sleep 0.1; done; kill $!\n",
      });
      const running = start();
      await eventually(() => existsSync(join(remote, "up")), "it runs");
      assert.ok(existsSync(join(home, "seen.all")), "the profile was read");
      const marks = [CANARY, "canary'4712", "canary4713"];
      for (const mark of marks) {
        const holders = listHolders(mark);
        assert.deepEqual(
          holders.filter((one) => one.startsWith("arguments")),
          [],
        );
        // What the command started has them, and neither the shells around it nor what the profile left.
        const started = new Set(["sh a.sh", "sleep 301", "sleep 0.1"].map((line) => `environment: ${line}`));
        assert.deepEqual(
          holders.filter((one) => !started.has(one)),
          [],
        );
        assert.ok(holders.includes("environment: sh a.sh"));
      }
      // Escapes that a shell reads would be as good as the values.
      for (const place of [home, folder, userData.root])
        for (const mark of ["canary4711", "canary\\047", "4712", "canary4713", "canary4713\\040"])
          assert.deepEqual(listFiles(place, mark), [], `${mark} in ${place}`);
      await writeFile(join(remote, "go"), "");
      assert.equal(ended(await running).exit, 0);
      assert.doesNotMatch(printed(), /4711|4712|4713/);
      for (const place of [home, folder, userData.root])
        for (const mark of ["canary4711", "4712", "canary4713"]) assert.deepEqual(listFiles(place, mark), []);
    } finally {
      spawnSync("sh", ["-c", 'kill "$(cat "$0")"', join(home, "daemon")]);
      await writeFile(profile, "");
    }
  });

  test("are masked where the command prints them, here and in its output, which still counts as whole", async () => {
    const { start, shown, plan } = await makeSecretProject(`echo "token $HF_TOKEN."; echo "$DEPLOY_KEY"; echo end`);
    const run = await start();
    assert.equal(shown(), `$ ${plan.command}\ntoken ${MASK}.\n${MASK}\nend\n`);
    const { place, log, logDigest, isWhole } = fetched(run);
    assert.equal(await readFile(join(place, log ?? ""), "utf8"), shown());
    const there = await readFile(join((await openOnce()).home, ".cloud-gpu/runs", run.id, "log"));
    assert.deepEqual([logDigest, isWhole], [createHash("sha256").update(there).digest("hex"), true]);
    assert.deepEqual(readdirSync(place), ["run.log"]);
  });

  test("that are replaced or forgotten while it goes on are masked all the same, and what isn't kept is named", async () => {
    const command = 'touch up; while [ ! -e go ]; do sleep 0.1; done; echo "token $HF_TOKEN"';
    const { start, leave, shown, remote, folder, runSecrets, runs, me, machine, following } =
      await makeSecretProject(command);
    const left = start().catch(() => undefined);
    await eventually(() => existsSync(join(remote, "up")), "it runs");
    leave();
    await left;
    await runSecrets.keep({ project: folder, name: "HF_TOKEN" }, "another-value-4714");
    await runSecrets.forget({ project: folder, name: "LARGE" });
    await writeFile(join(remote, "go"), "");
    const [run] = await runs.readAll(me());
    assert.ok(run);
    const ended = await runs.follow(machine, run, { ...following, signal: NEVER });
    assert.match(shown(), /^The value of LARGE isn't kept here, so it isn't masked in the output of this run\.$/m);
    assert.match(shown(), new RegExp(`^token ${MASK}$`, "m"));
    const { place } = fetched(ended);
    assert.match(await readFile(join(place, "run.log"), "utf8"), new RegExp(`^token ${MASK}$`, "m"));
  });

  test("don't begin a second command where the order is given again", async () => {
    const { start, machine, remote } = await makeSecretProject("echo again >> count");
    const run = await start();
    await startRun(machine, { ...run, secrets: SECRETS }, Date.now(), NEVER);
    assert.equal(await readFile(join(remote, "count"), "utf8"), "again\n");
  });

  for (const [what, profile, exit, said] of [
    ["closes what it doesn't know", "exec 3<&-", 1, /kept the secrets from the command/],
    ["reads what isn't its own", "cat <&3 > /dev/null", 1, /kept the secrets from the command/],
    ["ends the shell", "exit 0", 0, /without the profile/],
    ["exports a variable of that name", "cloud_gpu_line=1; export cloud_gpu_line", 0, /^token/m],
  ] as const)
    test(`on a machine whose profile ${what}`, async () => {
      const profilePath = join((await openOnce()).home, ".profile");
      await writeFile(profilePath, `${profile}\n`);
      try {
        const { start, shown } = await makeSecretProject(
          'echo "token $HF_TOKEN"; [ -z "$cloud_gpu_line" ] || echo "line=$cloud_gpu_line"',
        );
        assert.equal(ended(await start()).exit, exit);
        assert.match(shown(), said);
        if (exit === 0) assert.match(shown(), new RegExp(`^token ${MASK}$`, "m"));
        assert.doesNotMatch(shown(), /^token $|^line=/m);
      } finally {
        await writeFile(profilePath, "");
      }
    });

  test("that were forgotten in the meantime are named, and nothing is uploaded", async () => {
    const { start, runSecrets, folder, runs, me, kinds } = await makeSecretProject("echo never");
    await runSecrets.forget({ project: folder, name: "HF_TOKEN" });
    await assert.rejects(start(), /The run needs the value of HF_TOKEN\. Add it with Manage Run Secrets…/);
    const [run] = await runs.readAll(me());
    assert.match((run && ended(run).why) ?? "", /HF_TOKEN/);
    assert.deepEqual(kinds(), []);
    assert.deepEqual(
      (await runSecrets.list()).filter(({ project }) => project === folder).map(({ name }) => name),
      ["DEPLOY_KEY", "LARGE"],
    );
  });

  test("aren't passed by a shell that would start a program to print them", () => {
    const { stdout } = spawnSync("bash", ["-c", `enable -n printf; ${TAKE_SECRETS}`], {
      input: "x\n",
      encoding: "utf8",
    });
    assert.match(stdout, new RegExp(` ${NO_SECRETS}\n$`));
  });
});
