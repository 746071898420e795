// A job on all machines of a group, by real SSH servers: uploaded to each, joined by an engine, and its results by rank.
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { WhenDone } from "../../../src/domain/base/when-done.ts";
import type { Engine, OnFailure } from "../../../src/domain/run/run-record.ts";
import { quoteWord } from "../../../src/lib/shell-words.ts";
import { describeRankEnd } from "../../../src/present/group/job-text.ts";
import { loginQuietly } from "../../../src/services/connection/quiet-login.ts";
import { withCommand } from "../../../src/services/connection/run-there.ts";
import type { FollowedJob, JobRun, RankEnd } from "../../../src/services/group/followed-job.ts";
import type { OrderedHost } from "../../../src/services/group/group-jobs.ts";
import { readHandOver } from "../../../src/services/group/read-hand-over.ts";
import { listRun } from "../../../src/services/run/list-run.ts";
import { probeTransfer } from "../../../src/services/transfer/probe-transfer.ts";
import { networkGroup, type RunningGroup, runningGroup } from "../group-windows.ts";
import { NEVER, skip } from "../run-machine.ts";
import { cleanUp, eventually } from "../support.ts";

async function makeFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-job-"));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

/** The machines of a group, logged in to. */
async function reachAll(window: RunningGroup): Promise<readonly OrderedHost[]> {
  const { given, left } = await readHandOver(window, window.me(), window.group, () => {}, NEVER);
  assert.deepEqual(left, []);
  return await Promise.all(
    given.hosts.map(async (host) => {
      const machine = await loginQuietly(window, window.me(), host.id, NEVER);
      return { ...host, machine, remote: `${await probeTransfer(machine, NEVER)}/uploads/project` };
    }),
  );
}

interface Given {
  readonly command: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly engine?: Engine;
  readonly onFailure?: OnFailure;
  readonly setup?: string;
  readonly whenDone?: WhenDone;
}

async function prepare(window: RunningGroup, hosts: readonly OrderedHost[], given: Given) {
  const {
    command,
    files = { "train.py": "" },
    engine = "each",
    onFailure = "stopAll",
    setup = "",
    whenDone = "keep",
  } = given;
  const folder = await makeFolder(files);
  const draft = { name: "train.py", command, setup, folder };
  const runs = await window.groupJobs.prepare(window.me(), {
    ...{ group: window.group, draft, engine, onFailure, whenDone, hosts },
  });
  return { folder, runs, list: await listRun(draft, NEVER) };
}

/** The same command on each, with nothing else agreed. */
const PLAIN = { engine: "each", onFailure: "stopAll", whenDone: "keep" } as const;

/** What a job says, and how it ended. */
function watch(window: RunningGroup, job: FollowedJob, signal = NEVER) {
  const lines: string[] = [];
  const endings: string[] = [];
  const over: number[] = [];
  const unstoppable: string[] = [];
  const ends = job.run(
    window.me(),
    {
      stage: () => {},
      line: (rank, line) => void lines.push(`${rank} ${line}`),
      over: (rank) => void over.push(rank),
      unstoppable: (rank, why) => void unstoppable.push(`${rank}: ${why}`),
      ending: (rank, why) => void endings.push(`${rank}: ${why}`),
      mayGoOn: async () => true,
      mayDestroy: async () => false,
    },
    signal,
  );
  ends.catch(() => undefined);
  return { lines, endings, over, unstoppable, ends };
}

async function runJob(window: RunningGroup, given: Given) {
  const hosts = await reachAll(window);
  const { folder, runs, list } = await prepare(window, hosts, given);
  return { hosts, folder, runs, ...watch(window, window.groupJobs.start(runs, list)) };
}

const exits = (ends: readonly RankEnd[]) =>
  ends.map(({ run }) => (run?.state.kind === "ended" ? run.state.exit : undefined));

/** Whether each command was seen to end, and not on its own. */
function assertStopped(ends: readonly RankEnd[]): void {
  const seen = exits(ends);
  assert.ok(
    seen.every((exit) => exit !== undefined && exit !== 0),
    JSON.stringify(seen),
  );
}

/** A stand-in for a program, on each machine: it notes how it was called. */
async function install(hosts: readonly OrderedHost[], name: string, script: string): Promise<void> {
  for (const { machine } of hosts) {
    const text = `#!/bin/sh\nprintf '%s\\n' "$*" >> "$HOME/${name}.asked"\n${script}\n`;
    const command = `mkdir -p "$HOME/.local/bin" && printf %s ${quoteWord(text)} > "$HOME/.local/bin/${name}" && chmod +x "$HOME/.local/bin/${name}"`;
    assert.equal((await withCommand(machine, command, NEVER, (running) => running.ended)).code, 0);
  }
}

/** How a stand-in was called, by rank. */
async function asked(hosts: readonly OrderedHost[], name: string): Promise<readonly (readonly string[])[]> {
  return await Promise.all(
    hosts.map(async ({ remote }) => {
      const text = await readFile(join(remote, "..", "..", `${name}.asked`), "utf8").catch(() => "");
      return text.split("\n").filter(Boolean);
    }),
  );
}

/** One that runs on two machines, and that no one watches any longer, with its runs as they are found again. */
async function leftJob(command: string) {
  const window = await runningGroup(2);
  const hosts = await reachAll(window);
  const { runs, list } = await prepare(window, hosts, { command });
  const leaving = new AbortController();
  const job = window.groupJobs.start(runs, list);
  const first = watch(window, job, leaving.signal);
  await eventually(() => first.lines.filter((line) => /^\d begun$/.test(line)).length === 2, "both run");
  leaving.abort();
  await assert.rejects(first.ends);
  assert.deepEqual(first.over, [], "they go on");
  const found = await window.groupJobs.find(window.me(), runs[0]?.run.member?.job ?? "");
  assert.deepEqual(
    found.map(({ member }) => member?.rank),
    [0, 1],
  );
  const again = found.flatMap((run, rank): JobRun[] => {
    const machine = hosts[rank]?.machine;
    return machine ? [{ machine, run }] : [];
  });
  return { window, job, again };
}

describe("a job on a group", { skip }, () => {
  test("is uploaded to each, runs on each with its number, and has results by rank", async () => {
    const window = await runningGroup(3);
    const { ends, lines, folder } = await runJob(window, {
      files: { "in.txt": "given\n" },
      command: 'cat in.txt; echo "$CLOUD_GPU_RANK of $CLOUD_GPU_COUNT" | tee out.txt',
    });
    assert.deepEqual(exits(await ends), [0, 0, 0]);
    for (const rank of [0, 1, 2]) assert.ok(lines.includes(`${rank} ${rank} of 3`), lines.join("\n"));
    assert.equal(lines.filter((line) => line.endsWith(" given")).length, 3);
    const places = (await readdir(join(folder, ".cloud-gpu", "runs"))).sort();
    assert.equal(places.length, 3);
    for (const [rank, place] of places.entries()) {
      assert.match(place, new RegExp(`-train-py-r${rank}$`));
      assert.equal(await readFile(join(folder, ".cloud-gpu", "runs", place, "out.txt"), "utf8"), `${rank} of 3\n`);
    }
  });

  test("ends everywhere with the first that fails, which is named", async () => {
    const window = await runningGroup(3);
    const { ends, endings } = await runJob(window, {
      command: 'if [ "$CLOUD_GPU_RANK" = 1 ]; then sleep 1; exit 3; fi; sleep 600',
    });
    const [zero, one, two] = exits(await ends);
    assert.equal(one, 3);
    assert.ok(zero !== 0 && two !== 0, `${zero} ${two}`);
    assert.deepEqual(endings, ["1: exit code 3"]);
  });

  test("says why it ends the others if it can't be set up on one", async () => {
    const { ends, endings } = await runJob(await runningGroup(2), {
      command: "sleep 600",
      setup: '[ "$CLOUD_GPU_RANK" != 1 ] || exit 4',
    });
    const [first, second] = await ends;
    assert.ok(first && second);
    assertStopped([first]);
    assert.match(describeRankEnd(second), /^\[1\] Setup failed with exit code 4, so the command didn't start\./);
    assert.deepEqual(endings, ["1: setup failed, exit code 4"]);
  });

  test("goes on if one fails, where that was agreed", async () => {
    const window = await runningGroup(2);
    const { ends, endings } = await runJob(window, {
      command: '[ "$CLOUD_GPU_RANK" = 1 ] && exit 4; sleep 1; echo done',
      onFailure: "continue",
    });
    assert.deepEqual(exits(await ends), [0, 4]);
    assert.deepEqual(endings, []);
  });

  test("never starts where an upload failed, and ends the others", async () => {
    const window = await runningGroup(2);
    const hosts = await reachAll(window);
    const broken = hosts.map((host, rank) => (rank === 1 ? { ...host, remote: "/proc/nowhere/project" } : host));
    const { runs, list } = await prepare(window, broken, { command: "sleep 600" });
    const { ends, endings } = watch(window, window.groupJobs.start(runs, list));
    const [first, second] = await ends;
    assert.ok(second?.error, "it couldn't be uploaded");
    assert.notEqual(first?.run?.state.kind === "ended" && first.run.state.exit, 0);
    assert.equal(endings.length, 1);
  });

  test("goes on without its window, and is found and followed again by any of its runs", async () => {
    const { window, again } = await leftJob("echo begun; sleep 3; echo last");
    const second = watch(window, window.groupJobs.follow(again));
    assert.deepEqual(exits(await second.ends), [0, 0]);
    assert.equal(second.lines.filter((line) => /^\d last$/.test(line)).length, 2);
  });

  test("is stopped on all of them by one word", async () => {
    const window = await runningGroup(2);
    const hosts = await reachAll(window);
    const { runs, list } = await prepare(window, hosts, { command: "echo begun; sleep 600" });
    const job = window.groupJobs.start(runs, list);
    const { ends, lines, endings } = watch(window, job);
    await eventually(() => lines.filter((line) => /^\d begun$/.test(line)).length === 2, "both run");
    await job.stop("TERM");
    assertStopped(await ends);
    assert.deepEqual(endings, [], "the person did that");
  });

  test("is stopped on all of them also after nobody watches it any more", async () => {
    const { window, job, again } = await leftJob("echo begun; sleep 600");
    await job.stop("TERM");
    const { ends } = watch(window, window.groupJobs.follow(again));
    assertStopped(await ends);
  });

  test("that can't be stopped on one of them says so, and can be told again", async () => {
    const { window, again } = await leftJob("echo begun; sleep 600");
    const job = window.groupJobs.follow(again);
    const { ends, unstoppable, over } = watch(window, job);
    const [, second] = again;
    assert.ok(second);
    const there = async (command: string) =>
      assert.equal((await withCommand(second.machine, command, NEVER, (running) => running.ended)).code, 0);
    const note = `"$HOME"/.cloud-gpu/runs/${second.run.id}/stopped`;
    // Where it notes that it was told.
    await there(`mkdir ${note}`);
    await job.stop("TERM");
    assert.equal(unstoppable.length, 1, unstoppable.join("\n"));
    assert.match(unstoppable[0] ?? "", /^1: \S/);
    await eventually(() => over.includes(0), "the other one is stopped");
    assert.deepEqual(over, [0]);
    await there(`rmdir ${note}`);
    await job.stop("TERM");
    assertStopped(await ends);
  });

  test("is stopped where it can be; where the address of an instance is another one by now, it may still run", async () => {
    const { window, again } = await leftJob("echo begun; sleep 600");
    const moved = again.map(({ machine, run }, rank): JobRun => {
      const { shared: _, ...login } = machine.login;
      const address = rank === 1 ? { ...login.address, port: 1 } : login.address;
      return { machine: { ...machine, login: { ...login, address } }, run };
    });
    const job = window.groupJobs.follow(moved);
    const { ends, over } = watch(window, job);
    await job.stop("TERM");
    const [first, second] = await ends;
    assert.ok(first && second);
    assertStopped([first]);
    assert.match(second.error?.message ?? "", /has another address now/);
    assert.ok(second.mayRun && !first.mayRun);
    assert.deepEqual([...over].sort(), [0, 1]);
  });

  test("ends each instance once its results are here, if that was agreed, and none that was given away", async () => {
    const window = await runningGroup(3);
    const [, second] = window.group.members;
    assert.ok(second?.id);
    await window.actions.rename(window.me(), second.id, "mine");
    const { world } = window.service;
    const renamed = world.findInstance(second.id);
    assert.ok(renamed);
    renamed.label = "somebody else's";
    const { ends, folder } = await runJob(window, {
      command: 'echo "$CLOUD_GPU_RANK" > out.txt',
      whenDone: "destroy",
    });
    const ended = await ends;
    assert.deepEqual(exits(ended), [0, 0, 0]);
    const rentals = ended.map(({ run }) => (run?.state.kind === "ended" ? run.state.rental : undefined));
    const kinds = rentals.map((rental) => rental?.kind);
    assert.deepEqual(kinds, ["destroyed", "kept", "destroyed"], JSON.stringify(rentals));
    assert.deepEqual(
      world.listInstances().map(({ id }) => id),
      [second.id],
    );
    assert.equal((await readdir(join(folder, ".cloud-gpu", "runs"))).length, 3);
  });

  test("is left alone once another account is signed in", async () => {
    const window = await runningGroup(2);
    const hosts = await reachAll(window);
    const account = window.me();
    await window.session.signOut();
    const draft = { name: "a", command: "true", setup: "", folder: "/" };
    const order = { ...PLAIN, group: window.group, draft, hosts };
    await assert.rejects(window.groupJobs.prepare(account, order));
  });

  test("counts a limit in dollars for all of them together", async () => {
    const window = await runningGroup(2);
    const hosts = await reachAll(window);
    const folder = await makeFolder({});
    const draft = { name: "a", command: "true", setup: "", folder, limits: { maxCost: 1 } };
    const order = { ...PLAIN, group: window.group, draft, hosts };
    const [one] = await window.groupJobs.prepare(window.me(), order);
    const sum = window.group.members.reduce((all, { price }) => all + (price ?? 0), 0);
    const hours = ((one?.run.until ?? 0) - (one?.run.at ?? 0)) / 3_600_000;
    assert.ok(Math.abs(hours - 1 / sum) < 0.01, `${hours} h at ${sum} $/h`);
  });
});

describe("an engine", { skip }, () => {
  test("torchrun is started on each machine with its rank, and they are told to meet at the first", async () => {
    const window = await networkGroup();
    const hosts = await reachAll(window);
    await install(hosts, "torchrun", 'echo "rank done on $NCCL_SOCKET_IFNAME"');
    const { runs, list } = await prepare(window, hosts, { engine: "torchrun", command: "train.py --name 'a b'" });
    const { ends, lines } = watch(window, window.groupJobs.start(runs, list));
    assert.deepEqual(exits(await ends), [0, 0]);
    assert.ok(lines.includes("1 rank done on eth0"), lines.join("\n"));
    const calls = await asked(hosts, "torchrun");
    for (const [rank, [call = ""]] of calls.entries())
      assert.match(
        call,
        new RegExp(
          `^--nnodes=2 --nproc-per-node=\\d+ --node-rank=${rank} --rdzv-backend=static --rdzv-endpoint=${hosts[0]?.overlayIp}:29500 --rdzv-id=job-[a-z0-9]+ train\\.py --name a b$`,
        ),
      );
  });

  /** Enough of Ray to see what it is asked: a cluster of two from the start, and a job that is run where it is submitted. */
  const RAY = 'case "$1 $2" in "job submit") shift 3; shift; "$@" ;; esac';
  const PYTHON = (version: string) =>
    `case "$2" in *sys.version*) echo "Ray ${version} Python 3.10.1";; *) echo 2;; esac`;

  test("Ray's head waits for all, its job runs in the uploaded folder, and the cluster ends with it", async () => {
    const window = await networkGroup();
    const hosts = await reachAll(window);
    await install(hosts, "ray", RAY);
    await install(hosts, "python3", PYTHON("2.9.0"));
    const { runs, list } = await prepare(window, hosts, {
      engine: "ray",
      files: { "in.txt": "given\n" },
      command: 'cat in.txt; echo "it\'s done"',
    });
    const { ends, lines, endings } = watch(window, window.groupJobs.start(runs, list));
    const ended = await ends;
    assert.equal(exits(ended)[0], 0, lines.join("\n"));
    assert.deepEqual(endings, []);
    assert.ok(lines.includes("0 given") && lines.includes("0 it's done"), lines.join("\n"));
    const [head = [], worker = []] = await asked(hosts, "ray");
    const [ip, other] = hosts.map(({ overlayIp }) => overlayIp);
    assert.match(
      head[0] ?? "",
      new RegExp(`^start --head --node-ip-address=${ip} --port=6379 --dashboard-host=127\\.0\\.0\\.1`),
    );
    assert.match(worker[0] ?? "", new RegExp(`^start --address=${ip}:6379 --node-ip-address=${other} `));
    assert.ok(head.includes("stop") && worker.includes("stop"), `${head} / ${worker}`);
  });

  test("Ray of two versions is refused, with both", async () => {
    const window = await networkGroup();
    const hosts = await reachAll(window);
    await install(hosts, "ray", RAY);
    await install(hosts.slice(0, 1), "python3", PYTHON("2.9.0").replace("echo 2", "echo 1"));
    await install(hosts.slice(1), "python3", PYTHON("2.8.1"));
    const { runs, list } = await prepare(window, hosts, { engine: "ray", command: "echo never" });
    const { ends, lines, endings } = watch(window, window.groupJobs.start(runs, list));
    await ends;
    assert.equal(endings.length, 1, endings.join("\n"));
    assert.match(endings[0] ?? "", /Ray 2\.(?:9\.0|8\.1) Python 3\.10\.1.*Ray 2\.(?:9\.0|8\.1) Python/);
    assert.ok(!lines.includes("0 never"));
  });

  test("Ray's job may print the versions of others", async () => {
    const window = await networkGroup();
    const hosts = await reachAll(window);
    await install(hosts, "ray", RAY);
    await install(hosts, "python3", PYTHON("2.9.0"));
    const command = "echo 'Ray Tune Python API'; echo 'Ray 1.0 Python 3.7'; sleep 1; echo done";
    const { runs, list } = await prepare(window, hosts, { engine: "ray", command });
    const { ends, lines, endings } = watch(window, window.groupJobs.start(runs, list));
    assert.equal(exits(await ends)[0], 0, lines.join("\n"));
    assert.deepEqual(endings, []);
    assert.ok(lines.includes("0 done"));
  });

  test("of Ray isn't begun beside another one, which would end with it", async () => {
    const window = await networkGroup();
    const hosts = await reachAll(window);
    await install(hosts, "ray", RAY);
    await install(hosts, "python3", PYTHON("2.9.0"));
    const first = await prepare(window, hosts, { engine: "ray", command: "sleep 1" });
    const again = () => prepare(window, hosts, { engine: "ray", command: "echo never" });
    await assert.rejects(again(), /“train\.py \[\d\]” is already using Ray on instance \d+/);
    await prepare(window, hosts, { command: "echo beside it" });
    await watch(window, window.groupJobs.start(first.runs, first.list)).ends;
    await again();
  });

  test("that needs a network is refused without one", async () => {
    const window = await runningGroup(2);
    const hosts = await reachAll(window);
    for (const engine of ["torchrun", "ray"] as const)
      await assert.rejects(prepare(window, hosts, { engine, command: "train.py" }), RangeError);
  });
});
