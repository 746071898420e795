// What an instance ends itself with, read by real shells, against a server that answers as a service, or as someone in between.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import {
  buildSelfStopScript,
  SELF_END_FILE,
  type SelfStopAction,
  withSelfStop,
} from "../../../../src/domain/instance/self-stop.ts";
import { packScript } from "../../../../src/domain/template/packed-script.ts";
import { sleep } from "../../../../src/lib/clock.ts";
import { eventually, shareBetweenTests } from "../../support.ts";
import { type Asked, boot, fine, KEY, startService } from "./started-machine.ts";

shareBetweenTests();

const SHELLS: Readonly<Record<string, readonly string[]>> = {
  sh: ["sh"],
  bash: ["bash"],
  dash: ["dash"],
  "busybox ash": ["busybox", "ash"],
};

const script = (base: string, inMs: number, ending: SelfStopAction = "destroy") =>
  buildSelfStopScript({ base, until: Date.now() + inMs, ending });
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

type Machine = Awaited<ReturnType<typeof boot>>;

/**
 * One whose file was changed, or removed, before its end came, and its service. A busy computer may take longer than that: then they
 * are others, and the end is further away.
 */
async function bootAndChange(
  t: TestContext,
  shell: readonly string[],
  change: (machine: Machine, until: number, wait: number) => Promise<void>,
  wait = 4000,
) {
  const service = await startService(fine);
  const until = Date.now() + wait;
  const onstart = script(service.base, wait);
  const machine = await boot(t, shell, onstart);
  await machine.exit;
  await change(machine, until, wait);
  await machine.lookAgain();
  // Its end is in whole seconds.
  if (Date.now() < until - 1000) return { machine, onstart, until, ...service };
  machine.end();
  return await bootAndChange(t, shell, change, wait * 3);
}

const sleepUntil = (at: number) => sleep(Math.max(0, at - Date.now()));

for (const [name, shell] of Object.entries(SHELLS)) {
  const isThere = spawnSync("sh", ["-c", `command -v ${shell[0]}`]).status === 0;
  const skip = (process.platform === "win32" || !isThere) && `${shell[0]} isn't installed`;

  describe(`an instance that ends itself, by ${name}`, { skip, concurrency: true }, () => {
    test("asks the service with its own key at its end, and not before, until it is gone", async (t) => {
      let answers = 0;
      const { base, asked, times } = await startService((response) => {
        answers += 1;
        if (answers < 3) response.writeHead(500).end();
        else fine(response);
      });
      const end = Date.now() + 2000;
      const machine = await boot(t, shell, `${script(base, 2000)}echo done\n`);
      assert.equal(await machine.exit, 0);
      assert.equal(machine.printed(), "done\n", "the start script goes on, and nothing else is printed");
      await eventually(() => asked.length >= 4, "it asks again and again");
      assert.ok(Number(times[0]) >= end, "and not before its end");
      const destroyed = { method: "DELETE", url: "/api/v0/instances/31245/", body: "{}" };
      assert.deepEqual(asked[0], { ...destroyed, key: `Bearer ${KEY}`, type: "application/json" });
    });

    test("stops instead, if that was chosen", async (t) => {
      const { base, asked } = await startService(fine);
      await boot(t, shell, script(base, 0, "stop"));
      await eventually(() => asked.length > 0, "it asks");
      const { method, body, type } = asked[0] as Asked;
      assert.deepEqual([method, body, type], ["PUT", '{"state":"stopped"}', "application/json"]);
    });

    test("obeys a later end that is written into its file, and another ending", async (t) => {
      let later = 0;
      const { asked, times } = await bootAndChange(t, shell, async ({ folder, write }, until) => {
        assert.ok(existsSync(join(folder, SELF_END_FILE)), "it was written down");
        later = Math.ceil(until / 1000) + 2;
        await write(`${later} PUT {"state":"stopped"}\n2 17\n`);
      });
      await sleepUntil(later * 1000);
      await eventually(() => asked.length > 0, "it ends then");
      assert.ok(Number(times[0]) >= later * 1000, "and not before");
      assert.equal(asked[0]?.method, "PUT");
    });

    test("lives on with no end, with nonsense and with an empty file, and obeys what is written next", async (t) => {
      const { machine, until, asked } = await bootAndChange(t, shell, ({ write }) => write("none\n"));
      for (const text of ["none\n", "", "* -gt 1\n", "99999999999999999999999 DELETE {}\n", "-5 DELETE {}\n"]) {
        await machine.write(text);
        await sleep(600);
      }
      await sleepUntil(until + 1500);
      assert.equal(asked.length, 0);
      await machine.write(`${inSeconds(0)} DELETE {}`);
      await eventually(() => asked.length > 0, "also without a line break");
    });

    test("does nothing any more once its file is gone", async (t) => {
      const { machine, until, asked } = await bootAndChange(t, shell, ({ remove }) => remove());
      await sleepUntil(until + 1500);
      assert.equal(asked.length, 0);
      await machine.write(`${inSeconds(0)} DELETE {}\n`);
      await sleep(1000);
      assert.deepEqual(asked, [], "the loop has ended");
    });

    test("keeps a later end over a restart, and leaves alone one that passed before it", async (t) => {
      let later = 0;
      const {
        machine: first,
        onstart,
        asked,
        times,
      } = await bootAndChange(t, shell, async ({ write }, until, wait) => {
        // The next one starts before this as well, however busy the computer is.
        later = Math.ceil((until + 1.5 * wait) / 1000);
        await write(`${later} DELETE {}\n2 17\n`);
      });
      first.end();
      const second = await boot(t, shell, onstart, undefined, first.folder);
      assert.match(await second.read(), /\n2 17\n$/);
      await sleepUntil(later * 1000);
      await eventually(() => asked.length > 0, "by the end that was written");
      assert.ok(Number(times[0]) >= later * 1000, "and not by the one before");
      second.end();
      // What the second was just asking may still arrive.
      const third = await boot(t, shell, onstart, undefined, first.folder, "third");
      const askedByThird = () => asked.filter(({ key }) => key === "Bearer third");
      await third.lookAgain();
      assert.deepEqual(askedByThird(), [], "whoever started it again wants it to run");
      await third.write(`${inSeconds(1)} DELETE {}\n`);
      await eventually(() => askedByThird().length > 0, "a new end holds");
    });

    test("has no end any more after a restart, either, once its file is gone or empty", async (t) => {
      const rounds = [undefined, ""].map(async (text) => {
        const change = (machine: Machine) => (text === undefined ? machine.remove() : machine.write(text));
        const { machine: first, onstart, until, asked } = await bootAndChange(t, shell, change);
        first.end();
        await sleepUntil(until + 1500);
        await boot(t, shell, onstart, undefined, first.folder);
        await sleep(1000);
        assert.deepEqual(asked, [], "the end that it was rented with doesn't come back");
      });
      await Promise.all(rounds);
    });

    test("carries its end out if starting took longer than that", async (t) => {
      const { base, asked } = await startService(fine);
      await boot(t, shell, script(base, -3_600_000));
      await eventually(() => asked.length > 0, "it ends at once");
    });

    test("is not fooled by a redirect or a refusal, and takes its key nowhere else", async (t) => {
      const other = await startService(fine);
      for (const [programs, least] of [
        [["curl"], 3],
        [["wget"], 3],
        [["python3"], 3],
      ] as const) {
        let answers = 0;
        const { base, asked } = await startService((response) => {
          answers += 1;
          if (answers === 1) response.writeHead(307, { location: `${other.base}/api/v0/instances/31245/` }).end();
          else if (answers === 2) response.writeHead(401).end();
          else fine(response);
        });
        const machine = await boot(t, shell, script(base, 0), programs);
        await eventually(() => asked.length >= least, `it goes on asking, by ${programs.at(-1)}`);
        machine.end();
        assert.ok(asked.every(({ method, key }) => method === "DELETE" && key === `Bearer ${KEY}`));
      }
      assert.deepEqual(other.asked, []);
    });

    test("goes on where the service doesn't answer for a while", async (t) => {
      let answers = 0;
      const { base, asked } = await startService((response) => {
        answers += 1;
        if (answers === 1) response.destroy();
        else fine(response);
      });
      await boot(t, shell, script(base, 0), ["curl"]);
      await eventually(() => asked.length >= 2, "it asks again");
    });

    test("works before a packed script and one that never returns", async (t) => {
      const { base, asked } = await startService(fine);
      const packed = await packScript(`#!/bin/sh\necho ${"x".repeat(5000)} | head -c 3\nexec sleep 30\n`);
      const machine = await boot(t, shell, withSelfStop(packed, script(base, 0)));
      await eventually(() => asked.length > 0, "it ends");
      assert.equal(machine.printed().slice(0, 3), "xxx");
    });
  });
}
