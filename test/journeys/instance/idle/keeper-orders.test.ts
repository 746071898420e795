// Which of two orders an instance keeps that several windows and computers give it: the same that a window takes for the latest.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import { IDLE_KEEPER } from "../../../../src/domain/base/own-folders.ts";
import { buildPlaceKeeperCommand } from "../../../../src/domain/connection/idle-keeper/keeper-command.ts";
import { IdleJournal } from "../../../../src/services/instance/idle/idle-journal.ts";
import { cleanUp } from "../../support.ts";

const skip = process.platform === "win32" && "needs a POSIX shell";
const id = InstanceId.parse(31245);
const NOW = Date.now();
const HOUR = 3_600_000;
const named = (letter: string) => `idl-${letter.repeat(20)}`;

async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-keeper-"));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A machine that has been told an order, as its file says it. */
async function machineWith(order?: string) {
  const home = await scratch();
  const file = join(home, IDLE_KEEPER, "order");
  if (order !== undefined) {
    await mkdir(join(home, IDLE_KEEPER), { recursive: true });
    await writeFile(file, `${order}\n`);
  }
  return async (at: number, name: string, now = NOW) => {
    const order = { wish: null, percent: 10, at, name };
    const { command, input } = buildPlaceKeeperCommand({ instance: id, base: "http://127.0.0.1" }, order, now);
    const { status, stderr } = spawnSync("sh", ["-c", command], {
      input,
      encoding: "utf8",
      env: { ...process.env, HOME: home },
    });
    assert.equal(status, 0, stderr);
    return (await readFile(file, "utf8")).trim();
  };
}

describe("of two orders", { skip }, () => {
  test("that were given at the same moment, an instance keeps the one whose name comes later, as windows do", async () => {
    const [first, last] = [`${NOW}-${"a".repeat(20)}`, `${NOW}-${"b".repeat(20)}`];
    const one = await machineWith();
    assert.deepEqual(
      [await one(NOW, named("a")), await one(NOW, named("b")), await one(NOW, named("a"))],
      [first, last, last],
    );
    const other = await machineWith();
    assert.deepEqual([await other(NOW, named("b")), await other(NOW, named("a"))], [last, last]);
  });

  test("an instance keeps the later one, also if it has it of an earlier release", async () => {
    const tell = await machineWith(`${NOW}`);
    assert.equal(await tell(NOW - 1, named("b")), `${NOW}`);
    assert.equal(await tell(NOW, named("a")), `${NOW}-${"a".repeat(20)}`);
    assert.equal(await tell(NOW - 1, named("b")), `${NOW}-${"a".repeat(20)}`);
    assert.equal(await tell(NOW + 1, named("0")), `${NOW + 1}-${"0".repeat(20)}`);
  });

  test("one that is more than a day ahead of all clocks holds nothing back", async () => {
    const ahead = (time: number) => `${time}-${"f".repeat(20)}`;
    for (const time of [8.64e15, NOW + 25 * HOUR])
      assert.equal(await (await machineWith(ahead(time)))(NOW, named("a")), `${NOW}-${"a".repeat(20)}`, `${time}`);
    assert.equal(await (await machineWith(ahead(NOW + 23 * HOUR)))(NOW, named("a")), ahead(NOW + 23 * HOUR));
    const later = NOW + 25 * HOUR;
    assert.equal(
      await (await machineWith(ahead(later)))(NOW, named("a"), later),
      ahead(later),
      "the machine's is behind",
    );
  });

  test("a window reads none of a file that is far ahead", async () => {
    const folder = await scratch();
    const journal = (now: number) => new IdleJournal(folder, { now: () => now });
    const account = { tag: "t", address: { base: "o" }, user: () => undefined } as never;
    const order = { version: 1, id, origin: "o", account: "t", wish: { minutes: 30, ending: "stop" } } as const;
    await journal(NOW).write({ ...order, at: NOW, count: 1 });
    await journal(NOW).write({ ...order, at: NOW + 25 * HOUR, count: 2 });
    const seen = async (now: number) =>
      (await journal(now).readAll(account)).map(({ order: { count }, isDoubted }) => [count, isDoubted]).sort();
    assert.deepEqual(await seen(NOW), [[1, true]], "it may hold instead");
    assert.deepEqual(await seen(NOW + HOUR), [
      [1, false],
      [2, false],
    ]);
    await journal(NOW).write({ ...order, at: NOW + 0.5, count: 3 });
    assert.deepEqual(await seen(NOW), [[1, true]], "no one gives it a part of a millisecond");
  });
});
