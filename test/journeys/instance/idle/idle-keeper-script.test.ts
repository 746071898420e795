// What stops a machine once it is idle, read by real shells: a service that answers as the test says, and a clock that it moves.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { cleanUp, shareBetweenTests } from "../../support.ts";
import { type Asked, fine, startService } from "../auto-stops/started-machine.ts";
import { findMissing, gpu, keepMachine, OWN_KEY, SHELLS } from "./kept-machine.ts";

shareBetweenTests();

const ORDER = { percent: 10, version: "5-a", wish: { minutes: 12, ending: "stop" } } as const;
const OR_DESTROY: Order = { wish: { ...ORDER.wish, orDestroy: true } };
/** Looks from the start on until one more would send the request. */
const ALMOST = 13;
const MANY = 30;

/** What it asked the service for, without the harmless request at its start. */
const listActs = (asked: readonly Asked[]) =>
  asked.map(({ method, body }) => `${method} ${body}`).filter((one) => one !== 'PUT {"state":"running"}');
const STOP = 'PUT {"state":"stopped"}';
const DESTROY = "DELETE {}";

/** Whether a process is one of the machine's: its number may be another's by now. */
function isOf(pid: string, folder: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").includes(folder);
  } catch {
    return false;
  }
}

type Answer = Parameters<typeof startService>[0];
type Order = Partial<Omit<Parameters<typeof keepMachine>[0]["plan"], "base">>;

async function keep(shell: readonly string[], order: Order = {}, answer: Answer = fine) {
  const { asked, base } = await startService(answer);
  const machine = await keepMachine({ shell, plan: { ...ORDER, ...order, base } });
  return { ...machine, base, asked, acts: () => listActs(asked) };
}

const answerWith =
  (status: number): Answer =>
  (response, { body }) =>
    body.includes("running") ? fine(response) : void response.writeHead(status).end();
const refused = answerWith(503);
/** For good. */
const never = answerWith(400);

const refusedAll: Answer = (response) => void response.writeHead(503).end();

for (const [name, shell] of Object.entries(SHELLS)) {
  describe(`what stops an idle machine, by ${name},`, { skip: findMissing(shell), concurrency: true }, () => {
    test("sends one request once it was idle for its time, and looked twice", async () => {
      const { look, lookTimes, acts, asked, seen, state } = await keep(shell);
      await lookTimes(ALMOST - 1);
      assert.deepEqual([acts(), await seen()], [[], "quiet"]);
      await look();
      assert.deepEqual(acts(), [], "it looks again first");
      await look();
      assert.deepEqual(acts(), [STOP]);
      assert.equal(asked[0]?.key, `Bearer ${OWN_KEY}`);
      assert.deepEqual((await state()).slice(7), ["yes", String(1000 + 20 + 12 * 60 + 20), "."]);
      await lookTimes(9);
      assert.deepEqual(acts(), [STOP], "it was accepted");
      await lookTimes(3);
      assert.deepEqual(acts(), [STOP, STOP], "but is still running");
    });

    test("destroys it where that was ordered", async () => {
      const { lookTimes, acts } = await keep(shell, { wish: { minutes: 12, ending: "destroy" } });
      await lookTimes(ALMOST + 1);
      assert.deepEqual(acts(), [DESTROY]);
    });

    test("repeats what the service refuses, and never destroys what was to be stopped", async () => {
      const { lookTimes, acts } = await keep(shell, {}, refused);
      await lookTimes(ALMOST + 1 + 80);
      assert.deepEqual([new Set(acts()), acts().length], [new Set([STOP]), 41]);
    });

    test("destroys what couldn't be stopped for half an hour, only where that was chosen", async () => {
      const [kept, chosen] = await Promise.all([keep(shell, {}, never), keep(shell, OR_DESTROY, never)]);
      // Two looks take 80 s.
      await Promise.all([kept, chosen].map(({ lookTimes }) => lookTimes(ALMOST + 1 + 2 * 22)));
      assert.deepEqual([new Set(chosen.acts()), chosen.acts().length], [new Set([STOP]), 23]);
      await Promise.all([kept, chosen].map(({ lookTimes }) => lookTimes(2)));
      assert.deepEqual(new Set(kept.acts()), new Set([STOP]));
      assert.deepEqual(chosen.acts().slice(-2), [STOP, DESTROY]);
    });

    test("stops what the service was out of reach for, however long, and destroys nothing", async () => {
      let answer: Answer = refusedAll;
      const { lookTimes, acts } = await keep(shell, OR_DESTROY, (response, asked) => answer(response, asked));
      await lookTimes(ALMOST + 1 + 2 * 22);
      // It is back, and still busy, and then it takes the stop.
      answer = refused;
      await lookTimes(4);
      answer = fine;
      await lookTimes(30);
      assert.deepEqual(new Set(acts()), new Set([STOP]));
    });

    test("destroys what still runs half an hour after its stop was taken, only where that was chosen", async () => {
      const [kept, chosen] = await Promise.all([keep(shell), keep(shell, OR_DESTROY)]);
      await Promise.all([kept, chosen].map(({ lookTimes }) => lookTimes(ALMOST + 1 + 36)));
      assert.deepEqual(new Set(kept.acts()), new Set([STOP]));
      assert.deepEqual(chosen.acts(), [STOP, STOP, STOP, DESTROY]);
    });

    test("counts the failures anew once it worked in between", async () => {
      const { look, lookTimes, acts, addTraffic } = await keep(shell, OR_DESTROY, never);
      await lookTimes(ALMOST + 1 + 2 * 20);
      await look(() => addTraffic(600_000));
      await lookTimes(ALMOST + 2 * 20);
      assert.deepEqual(new Set(acts()), new Set([STOP]));
    });

    const WORK: Readonly<Record<string, (machine: Awaited<ReturnType<typeof keep>>) => Promise<unknown>>> = {
      gpu: ({ setLoad }) => setLoad(gpu(0) + gpu(10, 1)),
      network: ({ addTraffic }) => addTraffic(500_100),
      terminal: ({ change }) => change("pts/0"),
      window: ({ change }) => change(".cloud-gpu/idle/used"),
    };
    for (const [seen, work] of Object.entries(WORK))
      test(`sends nothing while it works: ${seen}`, async () => {
        const machine = await keep(shell);
        await machine.lookTimes(MANY, () => work(machine));
        assert.deepEqual([machine.acts(), await machine.seen()], [[], seen]);
      });

    test("counts from the last work on", async () => {
      const { look, lookTimes, acts, addTraffic } = await keep(shell);
      await lookTimes(ALMOST - 2);
      await look(() => addTraffic(600_000));
      await lookTimes(ALMOST - 2, () => addTraffic(400_000));
      assert.deepEqual(acts(), []);
      await lookTimes(2);
      assert.deepEqual(acts(), [STOP]);
    });

    test("sends nothing if it works again just before", async () => {
      const { look, lookTimes, acts, change } = await keep(shell);
      await lookTimes(ALMOST);
      await look(() => change("pts/7"));
      await lookTimes(3);
      assert.deepEqual(acts(), []);
    });

    test("sends nothing while a run is in progress, and knows one whose number another process has", async () => {
      const machine = await keep(shell);
      const run = machine.at(".cloud-gpu/runs/run-1");
      await mkdir(run, { recursive: true });
      await writeFile(`${run}/run.sh`, "read x\n");
      const child = spawn("sh", [`${run}/run.sh`], { stdio: ["pipe", "ignore", "ignore"] });
      cleanUp(() => void child.kill());
      await writeFile(`${run}/pid`, `${child.pid}\n`);
      await machine.lookTimes(MANY);
      assert.deepEqual([machine.acts(), await machine.seen()], [[], "run"]);
      await writeFile(`${run}/pid`, `${process.pid}\n`);
      await machine.look();
      assert.equal(await machine.seen(), "quiet");
      await writeFile(`${run}/pid`, `${child.pid}\n`);
      await writeFile(`${run}/exit`, "0 9\n");
      await machine.look();
      assert.equal(await machine.seen(), "quiet");
    });

    for (const load of [
      gpu("[N/A]"),
      "",
      `${gpu(0)}nonsense\\n`,
      gpu(101),
      gpu(-1),
      gpu("08"),
      gpu("1e9"),
      `\\0033[31m${gpu(0)}`,
      "0\\n",
      "fail",
    ])
      test(`takes a load that can't be known for work: ${JSON.stringify(load)}`, async () => {
        const { look, lookTimes, acts, seen, setLoad } = await keep(shell);
        await setLoad(load);
        await look();
        await lookTimes(MANY);
        assert.deepEqual([acts(), await seen()], [[], "no-gpu"]);
      });

    test("takes no nvidia-smi for work, and one whose output doesn't end", async () => {
      const { look, lookTimes, acts, seen, setLoad, folder, at } = await keep(shell);
      await setLoad("endless");
      await look();
      await lookTimes(2);
      assert.equal(await seen(), "no-gpu");
      assert.ok((await stat(`${folder}/gpus`)).size <= 65_536);
      await rm(at("bin/nvidia-smi"));
      await lookTimes(MANY, undefined, { isMissing: true });
      assert.deepEqual([acts(), await seen()], [[], "no-gpu"]);
    });

    test("ends an nvidia-smi that hangs, and sees again once it doesn't", async () => {
      const { look, lookTimes, seen, setLoad, at } = await keep(shell);
      await setLoad("hang");
      await look();
      await look(undefined, { hangs: true });
      assert.equal(await seen(), "no-gpu");
      await setLoad(gpu(0));
      await look();
      assert.equal(await seen(), "no-gpu");
      await lookTimes(2);
      assert.equal(await seen(), "quiet");
      const left = readFileSync(at("loads"), "utf8")
        .split("\n")
        .filter((pid) => pid !== "" && isOf(pid, at("")));
      assert.deepEqual(left, []);
    });

    test("takes what it can't read for work, and a pause or a clock of its own that jumps", async () => {
      const { look, lookTimes, acts, seen, setUptime, uptime, setTraffic, replace, at } = await keep(shell);
      await lookTimes(3);
      await look(() => replace(at("proc/uptime"), "garbage\n"));
      assert.equal(await seen(), "no-clock");
      await look();
      await look(() => replace(at("proc/net/dev"), "  eth0: -5 0 0 0 0 0 0 0 99999999999999999999999 0\n"));
      assert.equal(await seen(), "no-network");
      await setTraffic(1000);
      await lookTimes(2);
      assert.equal(await seen(), "quiet");
      await look(() => setTraffic(10));
      assert.equal(await seen(), "network", "counters that begin anew");
      await look(() => setUptime(uptime() + 10_000));
      assert.equal(await seen(), "gap");
      await look(() => setUptime(5));
      assert.equal(await seen(), "gap");
      await look(() => rm(at("pts"), { recursive: true }));
      assert.equal(await seen(), "no-terminals");
      assert.deepEqual(acts(), []);
    });

    test("ends when its order is taken back, and when another one takes its place", async () => {
      const first = await keep(shell);
      await first.lookTimes(ALMOST);
      await rm(`${first.folder}/owner`);
      await first.look();
      await first.untilEnded();
      const [one, base] = [first.home, first.base];
      const second = await keepMachine({ shell, plan: { ...ORDER, base }, home: one });
      await second.ready();
      await writeFile(`${second.folder}/owner`, "another one\n");
      await second.look();
      await second.untilEnded();
      assert.deepEqual(first.acts(), []);
    });

    test("counts anew after it was killed and begun again", async () => {
      const first = await keep(shell);
      await first.lookTimes(ALMOST);
      first.kill();
      await first.untilEnded();
      const second = await keepMachine({ shell, plan: { ...ORDER, base: first.base }, home: first.home });
      await second.lookTimes(ALMOST);
      assert.deepEqual(first.acts(), []);
      await second.look();
      assert.deepEqual(first.acts(), [STOP]);
    });

    test("shows whether the service takes its key, and shows all of a line to itself alone", async () => {
      const { ready, state, folder } = await keep(shell, {}, (response) => void response.writeHead(401).end());
      await ready();
      const [, , at, , , , seen, ok, tried, end] = await state();
      assert.deepEqual([at, seen, ok, tried, end], ["5-a", "starting", "no", "0", "."]);
      assert.equal((await stat(`${folder}/state`)).mode % 0o1000, 0o600);
      assert.ok(!(await readFile(`${folder}/keeper.sh`, "utf8")).includes(OWN_KEY));
    });

    test("has its key in no list of processes", async () => {
      const shown: string[] = [];
      const { lookTimes, acts } = await keep(shell, {}, (response) => {
        for (const pid of readdirSync("/proc").filter((one) => /^\d+$/.test(one) && one !== String(process.pid)))
          try {
            const line = readFileSync(`/proc/${pid}/cmdline`, "latin1");
            if (line.includes(OWN_KEY)) shown.push(line);
          } catch {
            // It has ended.
          }
        fine(response);
      });
      await lookTimes(ALMOST + 1);
      assert.deepEqual([acts(), shown], [[STOP], []]);
    });
  });
}

describe("a look of what stops an idle machine", () => {
  const isTraced = spawnSync("sh", ["-c", "strace -o /dev/null -f true"]).status === 0;
  for (const [name, shell] of Object.entries(SHELLS))
    test(`takes three processes, by ${name}`, {
      skip: findMissing(shell) || (!isTraced && "strace isn't installed"),
    }, async () => {
      const { base } = await startService(fine);
      const log = `${process.env.TMPDIR ?? "/tmp"}/cloud-gpu-trace-${process.pid}-${name.replaceAll(/\W/g, "")}`;
      cleanUp(() => rm(log, { force: true }));
      // Of the script alone: what the test has in place of two programs are scripts as well.
      const under = ["strace", "-o", log, "-e", "trace=process"];
      const machine = await keepMachine({ shell, plan: { ...ORDER, base }, under });
      const count = async () =>
        (await readFile(log, "utf8"))
          .split("\n")
          .filter((line) => /^(?:clone3?|v?fork)\(.* = \d+$|^(?:clone3?|v?fork) resumed/.test(line)).length;
      await machine.look();
      const before = await count();
      await machine.lookTimes(10);
      assert.equal((await count()) - before, 30);
    });
});
