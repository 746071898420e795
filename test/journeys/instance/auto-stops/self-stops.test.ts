// An instance that ends itself: rented so, shown to be armed over SSH, put off, and ended with no window open.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import type { InstanceId } from "../../../../src/domain/base/id.ts";
import type { AutoStopWish } from "../../../../src/domain/instance/auto-stop.ts";
import { getPhase } from "../../../../src/domain/instance/instance.ts";
import { SELF_END_FILE } from "../../../../src/domain/instance/self-stop.ts";
import { type Clock, sleep } from "../../../../src/lib/clock.ts";
import { createLog } from "../../../../src/lib/log.ts";
import { buildInstancePage } from "../../../../src/present/instance/instance-page.ts";
import { buildInstanceRow } from "../../../../src/present/instance/instances.ts";
import { startSsh } from "../../../../src/services/connection/ssh/ssh-program.ts";
import { createIntent } from "../../../../src/services/launch/intent.ts";
import { type Parts, planFor } from "../../editor-window.ts";
import { signInForRuns, skip } from "../../run-machine.ts";
import { cheapest, cleanUp, editorWindow, eventually } from "../../support.ts";

const HOUR = 3_600_000;

/** It waits a minute in a second: what is gone is asked for twice. */
const hasty: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now() * 60,
  sleep: (ms, signal) => sleep(ms / 60, signal),
};

/** A window with a key of its own in the account, which rents an instance with this end. */
async function rented(wish: AutoStopWish, parts: Parts = {}) {
  const window = await signInForRuns(parts);
  await window.accountKeys.add(window.me(), window.mine);
  const base = window.me().address.base;
  const plan = { ...planFor(await cheapest(window)), end: { ...wish, byItself: base } };
  const outcome = await window.rent(plan, createIntent());
  assert.ok(outcome.kind === "rented", JSON.stringify(outcome));
  const id = outcome.ids[0] as InstanceId;
  const instance = () => window.service.world.listInstances().find((one) => one.id === id);
  const guard = () => window.autoStops.findAutoStop({ id })?.guard;
  const home = () => homeOf(id, window.service.url);
  const file = async () => await readFile(join(await home(), SELF_END_FILE), "utf8");
  const beat = setInterval(() => void window.instances.collection.refresh(), 300).unref();
  cleanUp(() => clearInterval(beat));
  const close = () => {
    clearInterval(beat);
    window.close();
  };
  return { ...window, id, instance, guard, home, file, close, plan };
}

/** The scratch folder of a machine, by the environment of what ends it: one of this service, as others may have the same numbers. */
async function homeOf(id: InstanceId, service: string): Promise<string> {
  let home = "";
  await eventually(() => {
    for (const name of readdirSync("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      try {
        const env = readFileSync(`/proc/${name}/environ`, "utf8").split("\0");
        const found = env.find((one) => one.startsWith("HOME="))?.slice(5);
        if (!readFileSync(`/proc/${name}/cmdline`, "utf8").includes(`${service}/`)) continue;
        if (env.includes(`CONTAINER_ID=${id}`) && found && existsSync(join(found, SELF_END_FILE))) home = found;
      } catch {
        // It has ended, or belongs to someone else.
      }
    }
    return home !== "";
  }, "its end is written down");
  return home;
}

const noProc = process.platform !== "linux" && "needs /proc";

describe("an instance that ends itself", { skip: skip || noProc }, () => {
  test("is rented with it in front of its start script, and is armed once it has shown that it can", async () => {
    const window = await rented({ hours: 4, ending: "destroy" });
    const [create] = window.creates();
    const [, seconds] = /\(L=~.*echo (\d+) DELETE/.exec(JSON.stringify(create?.body)) ?? [];
    await eventually(() => window.guard() !== undefined, "its end is known");
    const end = window.autoStops.findAutoStop({ id: window.id });
    assert.equal(Number(seconds), Math.ceil((end?.until ?? 0) / 1000), "the same moment as is shown");
    assert.equal(end?.guard?.kind, "unverified", "before it runs");
    await eventually(() => window.guard()?.kind === "armed", "it is armed");
    const later = { hours: 8, ending: "stop" } as const;
    assert.equal(await window.autoStops.set(window.me(), { id: window.id }, later), "set");
    assert.equal(window.guard()?.kind, "armed", "proven again");
    assert.match(await window.file(), /^\d+ PUT \{"state":"stopped"\}\n2 \d+\n$/);
    assert.equal(await window.autoStops.set(window.me(), { id: window.id }, undefined), "set");
    assert.match(await window.file(), /^none\n3 \d+\n$/);
    assert.equal(window.autoStops.findAutoStop({ id: window.id }), undefined);
    window.close();
  });

  test("destroys itself with no window open, and the next window tells of it once", async () => {
    const window = await rented({ hours: 4, ending: "destroy" });
    await eventually(() => window.guard()?.kind === "armed", "it is armed");
    const until = Date.now() + 2500;
    assert.equal(await window.autoStops.set(window.me(), { id: window.id }, { until, ending: "destroy" }), "set");
    await window.instances.collection.refresh();
    window.close();
    await eventually(() => window.instance() === undefined, "it has destroyed itself");
    assert.ok(Date.now() >= until - 1000);
    const told: string[] = [];
    for (const _ of ["first", "second"]) {
      const next = editorWindow(window.userData, { clock: hasty });
      next.autoStops.onNotice(({ kind, instance }) => void told.push(`${kind} ${instance.id}`));
      await next.session.restore();
      await next.instances.collection.refresh();
      next.autoStops.wake();
      await eventually(
        () => next.autoStops.findAutoStop({ id: window.id }) === undefined && told.length > 0,
        "it is over",
      );
      await next.close();
    }
    assert.deepEqual(told, [`itself ${window.id}`]);
  });

  test("is ended at its end also by what runs on it alone while its window leaves it the time", async () => {
    const window = await rented({ hours: 4, ending: "stop" });
    const told: string[] = [];
    window.autoStops.onNotice(({ kind }) => void told.push(kind));
    await eventually(() => window.guard()?.kind === "armed", "it is armed");
    const until = Date.now() + 3000;
    await window.autoStops.set(window.me(), { id: window.id }, { until, ending: "stop" });
    await eventually(() => window.instance()?.intended === "stopped", "it has stopped itself");
    window.autoStops.wake();
    await eventually(() => told.includes("itself"), "that is told");
    const stops = window.lines.filter(
      ({ method, path }) => method === "PUT" && path.includes(`/instances/${window.id}/`),
    );
    assert.ok(stops.length >= 2, "proofs and the stop itself");
    assert.ok(!told.includes("ended"));
    window.close();
  });

  test("that can't be reached keeps its end, and nobody is told of a later one", async () => {
    const window = await rented({ hours: 4, ending: "destroy" });
    await eventually(() => window.guard()?.kind === "armed", "it is armed");
    const before = window.autoStops.findAutoStop({ id: window.id });
    const written = await window.file();
    window.sharedConnections.dispose();
    await rm(window.key);
    const change = await window.autoStops.set(window.me(), { id: window.id }, { hours: 9, ending: "destroy" });
    assert.ok(typeof change === "object" && change.kind === "held" && !change.isUnsure, JSON.stringify(change));
    assert.equal(change.until, before?.until);
    const none = await window.autoStops.set(window.me(), { id: window.id }, undefined);
    assert.ok(typeof none === "object" && none.kind === "held");
    assert.deepEqual(window.autoStops.findAutoStop({ id: window.id }), before);
    assert.equal(await window.file(), written);
    const sooner = await window.autoStops.set(window.me(), { id: window.id }, { hours: 2, ending: "destroy" });
    assert.ok(typeof sooner === "object" && sooner.kind === "partly");
    const guard = window.guard();
    assert.ok(guard?.kind === "unverified" && guard.until === before?.until, "the row says which end it keeps");
    window.close();
  });

  test("that was started again is asked again: a file that was edited by hand isn't called armed", async () => {
    const window = await rented({ hours: 4, ending: "destroy" });
    await eventually(() => window.guard()?.kind === "armed", "it is armed");
    const path = join(await window.home(), SELF_END_FILE);
    const seconds = Math.ceil(Date.now() / 1000) + 9 * 3600;
    await writeFile(path, `${seconds} DELETE {}\n`);
    await restart(window);
    await eventually(() => window.guard()?.kind === "unverified", "it keeps another end");
    const guard = window.guard();
    assert.ok(guard?.kind === "unverified" && guard.doubt === "other" && guard.until !== undefined);
    assert.ok(Math.abs(guard.until - seconds * 1000) < 3000, "and the row says which");
    assert.match(await window.file(), new RegExp(`^${seconds} DELETE`), "what the person wrote is left alone");
    assert.equal(await window.autoStops.set(window.me(), { id: window.id }, { hours: 3, ending: "destroy" }), "set");
    assert.equal(window.guard()?.kind, "armed", "until they set an end here");
    window.close();
  });

  test("whose clock is wrong is brought the end that was meant", async () => {
    const window = await rented({ hours: 4, ending: "destroy" });
    await eventually(() => window.guard()?.kind === "armed", "it is armed");
    const until = window.autoStops.findAutoStop({ id: window.id })?.until ?? 0;
    const date = join(await window.home(), ".local", "bin", "date");
    await writeFile(date, `#!/bin/sh\necho $(($(/bin/date +%s) + 3600))\n`, { mode: 0o755 });
    await restart(window);
    await eventually(async () => /^\d+ DELETE \{\}\n1 \d+\n$/.test(await window.file()), "it was told of it again");
    const [seconds] = (await window.file()).split(" ");
    assert.ok(Math.abs(Number(seconds) - 3600 - until / 1000) < 5, "by its own clock");
    await eventually(() => window.guard()?.kind === "armed", "it is armed again");
    window.close();
  });

  test("is never told of an end that was set before the one that it keeps", async () => {
    const window = await rented({ hours: 4, ending: "destroy" });
    await eventually(() => window.guard()?.kind === "armed", "it is armed");
    const machine = await window.selfStopAccess.ask(window.me(), window.id);
    assert.ok(machine !== "missing" && machine.lives && machine.isAccepted);
    const older = { count: 1, at: 5, wait: 60_000, ending: "stop" } as const;
    const first = await window.selfStopAccess.ask(window.me(), window.id, older);
    assert.ok(first !== "missing" && first.count === 1 && first.ending === "stop");
    const late = await window.selfStopAccess.ask(window.me(), window.id, { ...older, at: 4, wait: HOUR });
    assert.ok(late !== "missing" && late.at === 5, "what was set later isn't written over");
    assert.ok((late.until ?? 0) < Date.now() + 120_000);
    window.close();
  });

  test("that two windows put off at once keeps the end that all of them show", async () => {
    const window = await rented({ hours: 4, ending: "destroy" });
    await eventually(() => window.guard()?.kind === "armed", "it is armed");
    const other = editorWindow(window.userData);
    await other.session.restore();
    await other.instances.collection.refresh();
    const asked = Date.now();
    const first = window.autoStops.set(window.me(), { id: window.id }, { hours: 6, ending: "destroy" });
    // No one clicks in the same millisecond.
    await sleep(5);
    await Promise.all([first, other.autoStops.set(other.me(), { id: window.id }, { hours: 8, ending: "destroy" })]);
    for (const one of [window, other]) one.autoStops.wake();
    await eventually(() => {
      const [first, second] = [window, other].map(({ autoStops }) => autoStops.findAutoStop({ id: window.id }));
      return first?.until === second?.until && first?.guard?.kind === "armed" && second?.guard?.kind === "armed";
    }, "both show the same end");
    const [seconds] = (await window.file()).split(" ");
    const until = window.autoStops.findAutoStop({ id: window.id })?.until ?? 0;
    // The instance counts from when it is told, which is later than the person's click by what the login took.
    const later = Number(seconds) * 1000 - until;
    assert.ok(
      later > -2000 && later < Date.now() - asked + 2000,
      `the instance keeps ${seconds}, shown is ${until / 1000}`,
    );
    window.close();
  });

  test("keeps its key to itself: it is in no file, no log, no message and no request of the window", async () => {
    const said: string[] = [];
    const window = await rented(
      { hours: 4, ending: "destroy" },
      { log: createLog((level, line) => said.push(`${level} ${line}`)) },
    );
    window.autoStops.onNotice((notice) => void said.push(inspect(notice, { depth: 9 })));
    await eventually(() => window.guard()?.kind === "armed", "it is armed");
    await window.autoStops.set(window.me(), { id: window.id }, { hours: 5, ending: "stop" });
    const instance = window.instance();
    assert.ok(instance);
    const key = window.service.world.getInstanceKey(instance);
    const row = window.instances.find(window.id);
    assert.ok(row && key.length > 30);
    const end = window.autoStops.findAutoStop({ id: window.id });
    const facts = { ...row, tag: "t", staleSince: undefined, now: Date.now(), end };
    const view = buildInstanceRow(facts);
    const answer = await window.selfStopAccess.ask(window.me(), window.id);
    said.push(
      JSON.stringify([
        view,
        view.tooltip?.(),
        buildInstancePage({ ...facts, presence: "listed" }),
        answer,
        window.lines,
      ]),
    );
    const files = readdirSync(window.userData.root, { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    );
    for (const { parentPath, name } of files) said.push(name, readFileSync(join(parentPath, name), "latin1"));
    assert.ok(files.some(({ name }) => name.includes(".proof-")) && said.length > 20, "there is something to look at");
    for (const text of said) assert.ok(!text.includes(key), text.slice(0, 200));
    window.close();
  });

  test("that is being stopped isn't asked to start", async () => {
    const window = await rented({ hours: 4, ending: "destroy" });
    await eventually(() => window.guard()?.kind === "armed", "it is armed");
    const { sharedConnections: shared, id } = window;
    const open = shared.open.bind(shared);
    const me = window.me();
    Object.assign(shared, {
      find: () => undefined,
      open: async (...login: Parameters<typeof open>) => {
        const machine = await open(...login);
        // By whomever, while the login was under way. A machine runs on for a little while.
        await me.client.setInstanceState(id, "stopped");
        const start: typeof startSsh = (...command) => {
          ran.push("something");
          return startSsh(...command);
        };
        return { ...machine, start };
      },
    });
    const ran: string[] = [];
    await assert.rejects(window.selfStopAccess.ask(me, id), /isn't running/);
    assert.deepEqual(ran, []);
    assert.equal(window.instance()?.intended, "stopped");
    window.close();
  });

  test("isn't offered without a start script, nor sent by an address of another account", async () => {
    const window = await signInForRuns();
    const plan = planFor(await cheapest(window));
    const end = { hours: 4, ending: "destroy", byItself: window.me().address.base } as const;
    const refused = await window.rent({ ...plan, runtype: "args", end }, createIntent());
    assert.ok(refused.kind === "not-rented" && refused.proven);
    assert.match(refused.error.message, /the instance runs no start script\. Choose another auto-stop/);
    const other = await window.rent({ ...plan, end: { ...end, byItself: "https://other.example" } }, createIntent());
    assert.ok(other.kind === "not-rented" && other.proven);
    assert.equal(window.creates().length, 0);
  });
});

async function restart(window: Awaited<ReturnType<typeof rented>>): Promise<void> {
  assert.ok(await window.stop(window.id));
  await window.instances.collection.refresh();
  await eventually(() => phaseOf(window) === "stopped", "it is stopped");
  await window.actions.start(window.me(), window.id);
  await eventually(() => phaseOf(window) === "running", "it runs again");
}

const phaseOf = ({ instances, id }: Awaited<ReturnType<typeof rented>>) => {
  const row = instances.find(id);
  return row && getPhase(row.value);
};
