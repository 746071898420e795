// What an instance that ends itself says when it is asked: by real shells, with what a login finds there.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import { findAnswer } from "../../../../src/domain/connection/machine-answer.ts";
import { buildSelfStopCommand, readSelfStopState } from "../../../../src/domain/connection/self-stop-command.ts";
import {
  buildSelfStopScript,
  judgeEnd,
  SELF_END_FILE,
  type SelfStopOrder,
} from "../../../../src/domain/instance/self-stop.ts";
import { cleanUp, eventually } from "../../support.ts";
import { boot, fine, startService } from "./started-machine.ts";

const HOUR = 3_600_000;
const SHELL = ["sh"];

let keys = 0;

/** A machine that is to destroy itself in an hour, and a login to it. */
async function started(t: TestContext, programs?: readonly string[]) {
  const { base, asked } = await startService(fine);
  keys += 1;
  const key = `canary-${process.pid}-${keys}`;
  const until = Date.now() + HOUR;
  const machine = await boot(
    t,
    SHELL,
    buildSelfStopScript({ base, until, ending: "destroy" }),
    programs,
    undefined,
    key,
  );
  await machine.exit;
  await eventually(() => existsSync(join(machine.folder, SELF_END_FILE)), "its end is written down");
  const ask = async (home = machine.folder, order?: SelfStopOrder) => {
    const command = buildSelfStopCommand({ instance: InstanceId.parse(31245), base }, order);
    const end = readSelfStopState(await run(command, { HOME: home, CONTAINER_API_KEY: key }), Date.now());
    assert.ok(end !== undefined);
    return end;
  };
  // The script ends as soon as what keeps the end was forked, which has another name until it is executed.
  await eventually(async () => {
    const end = await ask();
    return end !== "missing" && end.lives;
  }, "what keeps it runs");
  return { ...machine, base, asked, until, ask };
}

async function run(command: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn("sh", ["-c", command], { env: { PATH: process.env.PATH, ...env } });
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
  const found = findAnswer(Buffer.concat(chunks));
  assert.ok(found);
  return found.answer;
}

async function otherHome(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-login-"));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const skip = process.platform !== "linux" && "needs /proc";

describe("an instance that is asked about its own end", { skip }, () => {
  test("shows it, and has it moved, also where a login has another home folder than the start script", async (t) => {
    const { ask, read, until } = await started(t);
    const home = await otherHome();
    const end = await ask(home);
    assert.ok(end !== "missing", "an end that isn't seen would come all the same");
    assert.deepEqual(judgeEnd(end, { until, ending: "destroy" }, 0), { version: 1, at: 0 });
    const moved = await ask(home, { count: 2, at: 7, wait: 5 * HOUR, ending: "destroy" });
    assert.ok(moved !== "missing" && moved.count === 2);
    assert.match(await read(), /\n2 7\n$/);
  });

  test("says nothing of another one's", async (t) => {
    const { ask, remove } = await started(t);
    const other = await started(t);
    await remove();
    assert.equal(await ask(), "missing");
    assert.notEqual(await other.ask(), "missing");
  });

  test("keeps none that is written without its request", async (t) => {
    const { ask, write, until } = await started(t);
    const seconds = Math.ceil((until + HOUR) / 1000);
    for (const request of ["", " DELETE", " PUT", ' PUT {"state": "stopped"}', " GET {}"]) {
      await write(`${seconds}${request}\n`);
      const end = await ask();
      assert.ok(end !== "missing" && end.until === undefined, request);
    }
    await write(`${seconds} DELETE {}\n`);
    const end = await ask();
    assert.ok(end !== "missing" && Math.abs((end.until ?? 0) - until - HOUR) < 5000);
  });

  test("can't carry it out without a program that what keeps it can find", async (t) => {
    const { ask, asked } = await started(t, []);
    const end = await ask();
    assert.ok(end !== "missing" && end.lives);
    assert.ok(!end.isAccepted, "a login may have programs in other places");
    assert.deepEqual(asked, []);
  });
});
