// One command on all machines of a group, by real SSH servers.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { access, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { GroupRunEvent } from "../../../src/domain/group/group-run.ts";
import { runOnGroup } from "../../../src/services/group/run-on-group.ts";
import { type RunningGroup, runningGroup } from "../group-windows.ts";
import { cleanUp, eventually } from "../support.ts";

const HAS_SSH = ["ssh", "ssh-keygen"].every((name) => spawnSync(name, ["-?"], { stdio: "ignore" }).error === undefined);
const skip = !HAS_SSH && "OpenSSH is not installed";

async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-on-group-"));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs it, and gives what was told. */
function start(window: RunningGroup, command: string, group = window.group) {
  const events: GroupRunEvent[] = [];
  const stopping = new AbortController();
  const running = runOnGroup(
    window,
    window.me(),
    { group, command },
    (event) => void events.push(event),
    stopping.signal,
  );
  const lines = () => events.flatMap((event) => (event.kind === "line" ? [`${event.rank} ${event.line}`] : [])).sort();
  const ends = () =>
    events
      .flatMap((event) => (event.kind === "ended" ? [`${event.rank} ended ${event.code}`] : []))
      .concat(events.flatMap((event) => (event.kind === "failed" ? [`${event.rank} failed: ${event.why}`] : [])))
      .sort();
  return { running, stop: () => stopping.abort(), lines, ends };
}

const isGone = (path: string) =>
  access(path).then(
    () => false,
    () => true,
  );
const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe("a command on a group", { skip }, () => {
  test("runs on each of its machines, which know their number", async () => {
    const window = await runningGroup();
    const run = start(window, 'echo "$CLOUD_GPU_RANK of $CLOUD_GPU_COUNT"; echo and >&2; printf last');
    await run.running;
    assert.deepEqual(run.lines(), [
      "0 0 of 3",
      "0 and",
      "0 last",
      "1 1 of 3",
      "1 and",
      "1 last",
      "2 2 of 3",
      "2 and",
      "2 last",
    ]);
    assert.deepEqual(run.ends(), ["0 ended 0", "1 ended 0", "2 ended 0"]);
  });

  test("ends with the exit code of each, and one that fails ends no other", async () => {
    const window = await runningGroup();
    const run = start(window, 'if [ "$CLOUD_GPU_RANK" = 1 ]; then exit 7; fi; sleep 0.5; echo done');
    await run.running;
    assert.deepEqual(run.ends(), ["0 ended 0", "1 ended 7", "2 ended 0"]);
    assert.deepEqual(run.lines(), ["0 done", "2 done"]);
  });

  test("names the machines that it can't run on, and runs on the others", async () => {
    const window = await runningGroup();
    const [first] = window.group.members;
    assert.ok(first?.id);
    await window.stop(first.id);
    await window.instances.collection.refresh();
    const now = window.groups.find(window.group.id);
    assert.ok(now);
    const run = start(window, "echo here", now);
    await run.running;
    assert.deepEqual(run.ends(), ["0 failed: It isn't running.", "1 ended 0", "2 ended 0"]);
  });

  test("that is ended here ends there, with all that it started", async () => {
    const window = await runningGroup(2);
    const folder = await scratch();
    const run = start(window, `sleep 300 & echo $! > ${folder}/$CLOUD_GPU_RANK; echo begun; wait`);
    await eventually(() => run.lines().length === 2, "it began on both");
    const pids = await Promise.all(
      [0, 1].map(async (rank) => Number(await readFile(join(folder, String(rank)), "utf8"))),
    );
    assert.ok(pids.every(isAlive));
    run.stop();
    await run.running;
    assert.deepEqual(run.ends(), ["0 failed: Stopped.", "1 failed: Stopped."]);
    await eventually(() => !pids.some(isAlive), "nothing of it is left there");
  });

  test("ends where the account is left, and isn't begun in another one", async () => {
    const window = await runningGroup(2);
    const account = window.me();
    const run = start(window, "echo begun; sleep 300");
    await eventually(() => run.lines().length === 2, "it began on both");
    await window.session.signOut();
    await run.running;
    assert.equal(run.ends().length, 2);
    const folder = await scratch();
    const late = runOnGroup(
      window,
      account,
      { group: window.group, command: `touch ${folder}/x` },
      () => {},
      new AbortController().signal,
    );
    await assert.rejects(late, /switched accounts|signed/i);
    assert.equal(await isGone(join(folder, "x")), true);
  });

  test("prints nothing that a terminal would obey, and no line without end", async () => {
    const window = await runningGroup(2);
    const run = start(
      window,
      String.raw`printf 'a\033]0;title\007b\r50%%\r100%%\n'; head -c 20000 /dev/zero | tr '\0' x`,
    );
    await run.running;
    const lines = run.lines().filter((line) => line.startsWith("0"));
    assert.equal(lines.filter((line) => line === "0 100%").length, 1);
    assert.equal(
      lines.reduce((sum, line) => sum + (/^0 x+$/.test(line) ? line.length - 2 : 0), 0),
      20_000,
    );
    assert.ok(lines.every((line) => line.length <= 4002 && !line.includes("\u001b")));
  });
});
