// What ends a run, and the machine that it rented, while no one is connected: on a real shell, by the machine's own key.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { InstanceId, RunId } from "../../../src/domain/base/id.ts";
import { buildGuardCommand, buildKeepScript, GUARDED, NO_CALL, NO_KEY } from "../../../src/domain/run/keep-script.ts";
import type { RentedForRun } from "../../../src/domain/run/run-record.ts";
import { buildDownloadCommand, buildDownloadFilesCommand } from "../../../src/domain/transfer/transfer-command.ts";
import { createLazy } from "../../../src/lib/task.ts";
import { describeStage, listRunEndLines } from "../../../src/present/run/run-text.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { guardRun } from "../../../src/services/run/machine-run.ts";
import { ended, fetched, makeProject, NEVER, openMachine, signInForRuns, skip } from "../run-machine.ts";
import { cleanUp, eventually, shareBetweenTests } from "../support.ts";

shareBetweenTests();

const signInOnce = createLazy(signInForRuns);
/** Hours: more than it takes to begin on a busy machine. */
const SOON = 8 / 3600;
/** Saves its work when it is asked to stop. */
const SAVES = `sh -c 'trap "echo saved > saved; exit 7" TERM; echo begun > begun; while :; do sleep 0.1; done'`;

async function runOn(command: string, rented?: Partial<RentedForRun>) {
  const { token } = createIntent();
  const window = await openMachine(await signInOnce(), `${token} mine`);
  const { world } = window.service;
  const record = () => {
    const instance = world.listInstances().find(({ id }) => id === window.machine.id);
    return instance && world.toRecord(instance);
  };
  const whole = rented && { token, at: Date.now(), price: 0.5, whenDone: "destroy" as const, ...rented };
  return { ...(await makeProject(window, { "a.sh": "true\n" }, command, whole)), record };
}

describe("a run with a limit", { skip }, () => {
  test("is asked to stop at its limit, may save its work, and counts as stopped by it", async () => {
    const project = await runOn(SAVES);
    const run = await project.start({ ...project.plan, limits: { maxHours: SOON } });
    assert.deepEqual([ended(run).exit, ended(run).isLimited], [7, true]);
    assert.equal(await readFile(join(fetched(run).place, "saved"), "utf8"), "saved\n");
  });

  test("is stopped also if nobody is connected", async () => {
    const project = await runOn(SAVES);
    const running = project.start({ ...project.plan, limits: { maxHours: SOON } });
    await eventually(() => existsSync(join(project.remote, "begun")), "it runs");
    project.leave();
    await assert.rejects(running);
    await eventually(() => existsSync(join(project.remote, "saved")), "it was asked to stop");
  });

  test("never begins if its limit has passed by then", async () => {
    const project = await runOn("echo begun > begun", { at: Date.now() - 3_600_000 });
    const late = project.start({ ...project.plan, limits: { maxHours: 0.5 } });
    await assert.rejects(late, { message: "The run reached its limit before the command started." });
    assert.equal(existsSync(join(project.remote, "begun")), false);
    assert.notEqual(project.record(), undefined, "the instance is kept, and told of");
  });

  test("costs no more than a sum at the price of its instance", async () => {
    const project = await runOn(SAVES, { price: 900, whenDone: "keep" });
    const run = await project.start({ ...project.plan, limits: { maxCost: 2 } });
    assert.equal(ended(run).isLimited, true);
  });
});

describe("a machine that is to stop itself", { skip }, () => {
  test("shows that it can, and says so, before the command goes on", async () => {
    const project = await runOn("echo result > result", { stopsItself: true });
    const run = await project.start();
    assert.deepEqual(run.guard, { kind: "armed" });
    assert.ok(project.kinds().includes("guarded"));
    const put = project.lines.filter(
      ({ method, path }) => method === "PUT" && path.includes(`/${project.machine.id}/`),
    );
    assert.deepEqual(
      put.map(({ body }) => body),
      [{ state: "running" }],
    );
    assert.equal(ended(run).rental?.kind, "destroyed", "a window was open");
  });

  test("does so some time after the command has ended", async () => {
    const project = await runOn("true", { whenDone: "keep", stopsItself: true });
    const running = project.start();
    const run = await running;
    const plan = { instance: project.machine.id, base: project.me().address.base, remote: project.remote, grace: 0 };
    assert.equal((await guardRun(project.machine, run.id, plan, NEVER)).kind, "armed");
    // The one of the run waits for an hour. This one takes its place.
    spawn("sh", [join(project.home, ".cloud-gpu/runs", run.id, "guard")], {
      env: { ...process.env, HOME: project.home, ...machineVariables(project) },
      detached: true,
      stdio: "ignore",
    }).unref();
    await eventually(() => project.record()?.intended_status === "stopped", "it has stopped itself");
  });

  test("is no longer said to once nothing there would do it, as after a restart", async () => {
    const project = await runOn("echo begun > begun; while [ ! -e go ]; do sleep 0.1; done", { stopsItself: true });
    const running = project.start();
    await eventually(() => project.stages.at(-1)?.kind === "running", "it runs");
    project.leave();
    await assert.rejects(running);
    const run = async () => {
      const [found] = (await project.runs.readAll(project.me())).filter(({ plan }) => plan.remote === project.remote);
      assert.ok(found);
      return found;
    };
    const follow = async () => {
      const leaving = new AbortController();
      project.stages.length = 0;
      const following = project.runs.follow(project.alone, await run(), {
        ...project.following,
        signal: leaving.signal,
      });
      await eventually(() => project.stages.at(-1)?.kind === "running", "it is followed");
      leaving.abort();
      await assert.rejects(following);
      return project.stages.map(({ kind }) => kind);
    };
    assert.deepEqual(await follow(), ["running"], "it still holds");
    assert.deepEqual((await run()).guard, { kind: "armed" });
    const [guard] = findProcesses(`${(await run()).id}/keep.sh`);
    assert.ok(guard);
    process.kill(guard, "SIGKILL");
    assert.deepEqual(await follow(), ["unguarded", "running"]);
    assert.deepEqual((await run()).guard, { kind: "off" });
    assert.deepEqual(await follow(), ["running"], "it is said once");
    await writeFile(join(project.remote, "go"), "");
  });

  test("is no longer said to if it was restarted while a window followed the run", async () => {
    const project = await runOn("echo begun > begun; sleep 600", { stopsItself: true });
    const running = project.start();
    await eventually(() => project.stages.at(-1)?.kind === "running", "it runs");
    const [run] = (await project.runs.readAll(project.me())).filter(({ plan }) => plan.remote === project.remote);
    assert.ok(run);
    for (const pid of findProcesses(`${run.id}/keep.sh`)) process.kill(pid, "SIGKILL");
    // What starts the script has its words for a moment, too.
    const pidFile = join(project.home, ".cloud-gpu/runs", run.id, "pid");
    await eventually(() => existsSync(pidFile) && readFileSync(pidFile, "utf8").trim() !== "", "its number is noted");
    process.kill(-Number(readFileSync(pidFile, "utf8")), "SIGKILL");
    const over = await running;
    assert.deepEqual([over.guard, ended(over).rental?.kind], [{ kind: "off" }, "kept"]);
    assert.doesNotMatch(listRunEndLines(over, 0.5).join(" "), /stops itself/);
  });

  test("because of an earlier run says so in the next one, until it is let run", async () => {
    const first = await runOn("true", { whenDone: "keep", stopsItself: true });
    const earlier = await first.start();
    const next = await makeProject(first, { "a.sh": "true\n" }, "true");
    const run = await next.start();
    const said = next.stages.find(({ kind }) => kind === "guarded");
    assert.deepEqual(
      [run.guard, said],
      [{ kind: "armed" }, { kind: "guarded", guard: { kind: "armed" }, isEarlier: true }],
    );
    assert.match(said ? describeStage(said, run, 0) : "", /^An earlier run set this instance to stop itself 1 hour/);
    assert.match(listRunEndLines(run, 0.5).join(" "), /The instance stops itself 1 hour after the command ends\./);
    await next.runs.keepRunning(next.me(), next.machine, NEVER);
    assert.equal(existsSync(join(next.home, ".cloud-gpu/runs", earlier.id, "guard")), false);
    const guards = (await next.runs.readAll(next.me())).filter(({ instance }) => instance === next.machine.id);
    assert.deepEqual(
      guards.map(({ guard }) => guard),
      [{ kind: "off" }, { kind: "off" }],
    );
    const last = await makeProject(first, { "a.sh": "true\n" }, "true");
    assert.equal((await last.start()).guard, undefined);
  });

  test("needs its own key, which opens nothing else", async () => {
    const project = await runOn("true");
    const { CONTAINER_API_KEY: key } = machineVariables(project);
    const other = await runOn("true");
    const ask = async (path: string, init: RequestInit) =>
      (await fetch(`${project.me().address.base}${path}`, { ...init, headers: { authorization: `Bearer ${key}` } }))
        .status;
    const stop = { method: "PUT", body: JSON.stringify({ state: "stopped" }) };
    assert.equal(await ask(`/api/v0/instances/${other.machine.id}/`, stop), 403);
    assert.equal(await ask("/api/v1/instances/", { method: "GET" }), 403);
    assert.equal(await ask(`/api/v0/instances/${project.machine.id}/`, stop), 200);
  });
});

/** The processes whose command line has this in it. */
const findProcesses = (words: string): readonly number[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(words);
      } catch {
        return false;
      }
    });

type Project = Awaited<ReturnType<typeof runOn>>;

const machineVariables = ({ machine, service }: Pick<Project, "machine" | "service">) => ({
  CONTAINER_ID: String(machine.id),
  CONTAINER_API_KEY: service.world.getInstanceKey(machine),
});

const id = RunId.parse("20260101-000000-train-abcd");
const instance = InstanceId.parse(42);

/** A service that takes what a machine asks for once it has refused a few times, or answers it with a status, and a machine's folder. */
async function makeMachine(refusals: number, status = 200) {
  const home = await mkdtemp(join(tmpdir(), "cloud-gpu-kept-"));
  const asked: { readonly path: string | undefined; readonly key: string | undefined; readonly body: string }[] = [];
  let left = refusals;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    asked.push({ path: request.url, key: request.headers.authorization, body });
    const isTaken = body.includes("running") || left <= 0;
    if (!isTaken) left -= 1;
    response.writeHead(isTaken ? status : 500, { location: "/elsewhere" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUp(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(home, { recursive: true, force: true });
  });
  const folder = join(home, ".cloud-gpu/runs", id);
  await mkdir(folder, { recursive: true });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { PATH: process.env.PATH, HOME: home, CONTAINER_ID: "42", CONTAINER_API_KEY: "the machine's" };
  const guard = (shell: Shell, given: NodeJS.ProcessEnv = env, remote = home) =>
    run(shell, buildGuardCommand(id, { instance, base, remote, grace: 0 }), given);
  return { home, folder, asked, env, guard };
}

/** A folder for `PATH` with what every machine has, and the given programs. */
async function makeTools(more: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-tools-"));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  const usual = ["sh", "dash", "busybox", "mkdir", "rm", "mv", "cat", "sed", "tr", "grep", "date", "sleep"];
  // BusyBox isn't everywhere.
  const found = [...usual, ...more].map((name) => ({ name, path: pathOf(name) })).filter(({ path }) => path !== "");
  for (const { name, path } of found) await symlink(path, join(folder, name));
  return folder;
}

/** Python is started by what it calls itself: a program that only looks for the right one needs more than a link. */
const pathOf = (name: string): string =>
  String(
    spawnSync("sh", [
      "-c",
      name === "python3" ? "python3 -c 'import sys; print(sys.executable)'" : `command -v ${name}`,
    ]).stdout,
  ).trim();

type Shell = readonly [file: string, ...rest: string[]];
const SHELLS: readonly Shell[] = [["sh"], ["dash"], ["busybox", "ash"]];
const isThere = ([file, ...rest]: Shell) => spawnSync(file, [...rest, "-c", "true"]).status === 0;

/** Whether something whose home folder this is waits for the next look. */
const hasSlept = (home: string): boolean =>
  readdirSync("/proc").some((name) => {
    try {
      const [comm, environment] = ["comm", "environ"].map((file) => readFileSync(`/proc/${name}/${file}`, "utf8"));
      return comm === "sleep\n" && environment?.split("\0").includes(`HOME=${home}`);
    } catch {
      return false;
    }
  });

/** What a shell prints. The command names `sh` itself, so the shell runs what that would get. */
async function run([file, ...rest]: Shell, command: string, env: NodeJS.ProcessEnv): Promise<string> {
  const inside = command.replace(/^exec sh -c /, "");
  const child = spawn(file, [...rest, "-c", `eval ${inside}`], { env, stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  for await (const chunk of child.stdout) printed += chunk;
  return printed.trim().replace("cloud-gpu-answer ", "");
}

for (const shell of SHELLS)
  describe(`the machine's own script by ${shell.join(" ")}`, {
    skip: skip || (!isThere(shell) && "isn't installed"),
  }, () => {
    test("stops the machine, and asks again until the service takes it", async () => {
      const { folder, asked, env, guard } = await makeMachine(1);
      assert.equal(await guard(shell), GUARDED);
      await writeFile(join(folder, "exit"), "0 1\n");
      await writeFile(join(folder, "keep.sh"), buildKeepScript(id, undefined));
      const [file, ...rest] = shell;
      const keeper = spawn(file, [...rest, join(folder, "keep.sh")], { env, detached: true, stdio: "ignore" });
      cleanUp(() => void (keeper.pid && process.kill(-keeper.pid, "SIGKILL")));
      await eventually(() => asked.length === 3, "it asked twice");
      assert.deepEqual(asked[2], {
        path: "/api/v0/instances/42/",
        key: "Bearer the machine's",
        body: '{"state":"stopped"}',
      });
    });

    test("stops the machine also if the command had ended before it was told to", async () => {
      const { folder, asked, guard } = await makeMachine(0);
      await writeFile(join(folder, "exit"), "0 1\n");
      cleanUp(() => rm(join(folder, "guard"), { force: true }));
      assert.equal(await guard(shell), GUARDED);
      await eventually(() => asked.length === 2, "it asked to be stopped");
    });

    test("doesn't take another process for a run, whose number it has since the machine was restarted", async () => {
      const { folder, asked, guard } = await makeMachine(0);
      const alike = spawn("sh", ["-c", "while :; do sleep 1; done", "/app/run.sh"], { stdio: "ignore" });
      cleanUp(() => void alike.kill("SIGKILL"));
      for (const [name, id] of [
        ["20260101-000000-other-abcd", process.pid],
        ["20260101-000000-another-abcd", alike.pid],
      ]) {
        await mkdir(join(folder, `../${name}`));
        await writeFile(join(folder, `../${name}`, "pid"), `${id}\n`);
      }
      await writeFile(join(folder, "exit"), "0 1\n");
      cleanUp(() => rm(join(folder, "guard"), { force: true }));
      assert.equal(await guard(shell), GUARDED);
      await eventually(() => asked.length === 2, "it asked to be stopped");
    });

    for (const [name, command] of [
      ["some files", buildDownloadFilesCommand],
      ["all files", buildDownloadCommand],
    ] as const)
      test(`doesn't stop the machine while ${name} of the run are downloaded`, async () => {
        const { home, folder, asked, guard } = await makeMachine(0);
        const remote = join(home, "project");
        await mkdir(remote);
        await writeFile(join(remote, "model"), Buffer.alloc(5_000_000));
        await writeFile(join(folder, "exit"), "0 1\n");
        cleanUp(() => rm(join(folder, "guard"), { force: true }));
        const reading = spawn("sh", ["-c", command(remote)], { stdio: ["pipe", "pipe", "inherit"] });
        cleanUp(() => void reading.kill("SIGKILL"));
        reading.stdin.end("./model\n");
        await once(reading.stdout, "readable");
        assert.equal(await guard(shell), GUARDED);
        await eventually(() => hasSlept(home), "it has looked");
        assert.equal(asked.length, 1, "only to show that it can");
        reading.stdout.resume();
        await eventually(() => asked.length === 2, "it asked to be stopped");
      });

    test("stops the machine while files are downloaded from a folder whose name only begins with the run's", async () => {
      const { home, folder, asked, env, guard } = await makeMachine(0);
      for (const name of ["project", "project-2"]) await mkdir(join(home, name));
      await writeFile(join(home, "project-2", "model"), Buffer.alloc(5_000_000));
      await writeFile(join(folder, "exit"), "0 1\n");
      cleanUp(() => rm(join(folder, "guard"), { force: true }));
      const reading = spawn("sh", ["-c", buildDownloadCommand(join(home, "project-2"))], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      cleanUp(() => void reading.kill("SIGKILL"));
      await once(reading.stdout, "readable");
      assert.equal(await guard(shell, env, join(home, "project")), GUARDED);
      await eventually(() => asked.length === 2, "it asked to be stopped");
    });

    test("does nothing once its file is gone", async () => {
      const { folder, asked, env, guard } = await makeMachine(0);
      assert.equal(await guard(shell), GUARDED);
      const text = await readFile(join(folder, "guard"), "utf8");
      await rm(join(folder, "guard"));
      const [file, ...rest] = shell;
      const over = spawn(file, [...rest, "-c", text], { env, stdio: "ignore" });
      await new Promise((resolve) => over.once("close", resolve));
      assert.equal(asked.length, 1, "only to show that it can");
    });

    for (const tool of ["curl", "python3", "wget"])
      test(`asks by ${tool} alone, and takes nothing but 200 for a yes`, async () => {
        const tools = await makeTools([tool]);
        for (const status of [200, 201, 302, 307, 403]) {
          const { asked, guard, env } = await makeMachine(0, status);
          assert.equal(await guard(shell, { ...env, PATH: tools }), status === 200 ? GUARDED : NO_CALL, String(status));
          assert.deepEqual(asked, [
            { path: "/api/v0/instances/42/", key: "Bearer the machine's", body: '{"state":"running"}' },
          ]);
        }
      });

    test("isn't relied on where no program can ask, as with the wget of BusyBox", async () => {
      const { guard, env, asked } = await makeMachine(0);
      assert.equal(await guard(shell, { ...env, PATH: await makeTools([]) }), NO_CALL);
      const [tools, busybox] = [await makeTools([]), pathOf("busybox")];
      if (busybox !== "") await symlink(busybox, join(tools, "wget"));
      assert.equal(await guard(shell, { ...env, PATH: tools }), NO_CALL);
      assert.deepEqual(asked, []);
    });

    test("isn't relied on if the machine isn't who it should be, or the service says no", async () => {
      const { guard, env } = await makeMachine(0);
      assert.equal(await guard(shell, { ...env, CONTAINER_ID: "43" }), NO_KEY);
      assert.equal(await guard(shell, { ...env, CONTAINER_API_KEY: "" }), NO_KEY);
      const nobody = buildGuardCommand(id, { instance, base: "http://127.0.0.1:9", remote: "/", grace: 0 });
      assert.equal(await run(shell, nobody, env), NO_CALL);
    });
  });
