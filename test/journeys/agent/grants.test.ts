// A budget that lets agents rent: within it nothing is asked, above it the person is, and what doesn't end itself is destroyed.
import assert from "node:assert/strict";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { AppError } from "../../../src/domain/base/error.ts";
import { InstanceId, OfferId } from "../../../src/domain/base/id.ts";
import type { SelfStopState } from "../../../src/domain/instance/self-stop.ts";
import type { LaunchPlan } from "../../../src/domain/launch/launch-plan.ts";
import { destroyPaid } from "../../../src/services/agent/destroy-paid.ts";
import { findLatestAutoStop } from "../../../src/services/instance/auto-stops/auto-stop-entry.ts";
import type { SelfStopAccess } from "../../../src/services/instance/auto-stops/self-stop-access.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import type { Parts } from "../editor-window.ts";
import { breakFolder, levelTraffic, sandbox } from "../support.ts";
import { agentPerson, agentWindow, NEVER } from "./agent-window.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TERMS = { amount: 5, perHour: 10, launches: 3 };

const notReached = () => {
  throw new AppError("rejected", "Cloud GPU couldn't log in to the instance.", { notSent: true });
};

/** How the instances of a test answer when they are asked for their own end. */
function machines(answer: () => SelfStopState | "missing") {
  const asked: number[] = [];
  const selfStopAccess: SelfStopAccess = {
    isReady: () => true,
    onDidChange: () => ({ dispose: () => undefined }),
    ask: async (_account, id) => {
      asked.push(id);
      return answer();
    },
  };
  return { asked, selfStopAccess };
}
const MISSING = machines(() => "missing");

type Window = Awaited<ReturnType<typeof grantWindow>>;

/** A window whose person gave agents a budget, with a plan of a dollar for an hour. */
async function grantWindow(terms: Partial<typeof TERMS> = {}, parts: Parts = { ...MISSING }) {
  const window = await agentWindow(parts);
  const { world } = window.service;
  levelTraffic(window.service);
  world.setPrice(window.plan.offer.id, 1);
  const offer = await window.offers.reread(window.me(), window.plan.offer.id, "ondemand", window.plan.diskGb);
  assert.ok(offer);
  const end = { hours: 1, ending: "destroy", byItself: window.me().address.base } as const;
  const plan: LaunchPlan = { ...window.plan, offer, end };
  await window.grants.open(window.me(), { ...TERMS, ...terms }, window.clock.now() + 4 * HOUR);
  const quote = (wanted: Partial<LaunchPlan> = {}, by = window) =>
    by.agentLaunches.quote(by.me(), { ...plan, ...wanted });
  const launch = async (id: string, who: ReturnType<typeof agentPerson>) => await window.settle(window.launch(id, who));
  return { ...window, world, plan, quote, launchIt: launch, folder: join(window.userData.root, "grants") };
}

describe("within a budget", () => {
  test("an agent rents without a question, and the budget counts it until its auto-stop", async () => {
    const window = await grantWindow();
    const who = agentPerson();
    const launch = await window.launchIt(window.quote().id, who);
    const [instance] = window.world.listInstances();
    assert.deepEqual(launch, { kind: "rented", ids: [instance?.id] });
    assert.deepEqual([who.asked, window.creates.length], [[], 1]);
    const grant = await window.grants.read(window.me());
    assert.deepEqual([grant?.used, grant?.spent.toFixed(2)], [1, "1.25"]);
    const id = InstanceId.parse(instance?.id);
    assert.deepEqual([window.grants.isByAgent(id), await window.grants.mayEnd(window.me(), id)], [true, true]);
  });

  test("one quote still rents once, whoever calls how often", async () => {
    const window = await grantWindow();
    const { id } = window.quote();
    const who = agentPerson();
    await window.settle(Promise.all([window.launch(id, who), window.launch(id, who)]));
    assert.equal((await window.launchIt(id, who)).kind, "rented");
    assert.deepEqual([who.asked.length, window.creates.length], [0, 1]);
  });

  test("what the person agrees to in a question is by an agent, too, and takes nothing of the budget", async () => {
    const window = await grantWindow({ amount: 1 });
    const reasons: (string | undefined)[] = [];
    const who = agentPerson();
    const person = {
      ...who.person,
      confirm: (...[question, why]: Parameters<typeof who.person.confirm>) => {
        reasons.push(why);
        return who.person.confirm(question, why);
      },
    };
    const launch = await window.settle(window.launch(window.quote().id, { person }));
    assert.equal(launch.kind, "rented");
    assert.match(reasons[0] ?? "", /may cost \$1\.25 until its auto-stop, and \$1\.00 is left/);
    const id = InstanceId.parse(window.world.listInstances()[0]?.id);
    assert.deepEqual([window.grants.isByAgent(id), await window.grants.mayEnd(window.me(), id)], [true, false]);
    assert.equal((await window.grants.read(window.me()))?.spent, 0);
  });
});

describe("beyond a budget, the person is asked", () => {
  const beyond: readonly [string, Partial<typeof TERMS>, Partial<LaunchPlan>, RegExp][] = [
    ["too dear", { perHour: 0.5 }, {}, /budget allows \$0\.50/],
    ["interruptible", {}, { type: "bid", bid: 1 }, /on-demand/],
    [
      "an auto-stop that a window has to keep",
      {},
      { end: { hours: 1, ending: "destroy" } },
      /Nothing on this instance/,
    ],
  ];
  for (const [what, terms, wanted, why] of beyond)
    test(`for what is ${what}`, async () => {
      const window = await grantWindow(terms);
      let reason: string | undefined;
      const who = agentPerson([false]);
      const person = {
        ...who.person,
        confirm: async (...[, said]: Parameters<typeof who.person.confirm>) => {
          reason = said;
          return false;
        },
      };
      const launch = await window.settle(window.launch(window.quote(wanted).id, { person }));
      assert.equal(launch.kind, "declined");
      assert.match(reason ?? "", why);
      assert.deepEqual(window.creates, []);
    });

  test("once it was closed, ran out of time, or the clock was set back to before it", async () => {
    for (const end of ["close", "time", "back"] as const) {
      const window = await grantWindow();
      if (end === "close") await window.grants.close(window.me());
      if (end === "time") window.shift(5 * HOUR);
      if (end === "back") window.shift(-HOUR);
      const who = agentPerson([false]);
      assert.equal((await window.launchIt(window.quote().id, who)).kind, "declined", end);
      assert.deepEqual([who.asked.length, window.creates], [1, []], end);
    }
  });

  test("while what was written of it can't be read", async () => {
    const window = await grantWindow();
    await breakFolder(window.folder);
    const who = agentPerson([false]);
    assert.equal((await window.launchIt(window.quote().id, who)).kind, "declined");
    assert.deepEqual([who.asked.length, window.creates], [1, []]);
  });

  test("in another account, and once the person signed out and came back", async () => {
    const window = await grantWindow();
    const { apiKey } = window.service;
    const { base } = window.me().address;
    const other = await sandbox({ seed: 7 });
    const of = window.me();
    await window.session.enterSandbox(other.url, other.apiKey);
    assert.equal(await window.grants.judge(window.me(), window.plan), undefined);
    await assert.rejects(window.grants.open(of, TERMS, window.clock.now() + HOUR), /switched accounts/);
    await window.session.signIn(base, apiKey);
    assert.equal(typeof (await window.grants.judge(window.me(), window.plan)), "object", "it waited there");
    await window.session.signOut(window.me());
    await window.settle(window.session.signIn(base, apiKey));
    await window.pass(1000);
    assert.equal(await window.grants.judge(window.me(), window.plan), undefined);
  });
});

describe("at the last moment before the request", () => {
  test("a budget that was closed pays for nothing", async () => {
    const window = await grantWindow();
    const who = agentPerson();
    const { launching } = who.person;
    const accompany: typeof launching.accompany = async (plan, work) => {
      await window.grants.close(window.me());
      return await launching.accompany(plan, work);
    };
    const person = { ...who.person, launching: { ...launching, accompany } };
    const launch = await window.settle(window.launch(window.quote().id, { person }));
    assert.ok(launch.kind === "not-rented" && launch.proven);
    assert.match(launch.error.message, /budget of agents is closed\. Nothing was rented\./);
    assert.deepEqual(window.creates, []);
  });

  test("what is about to leave hears at once of a budget that is being closed", async () => {
    const window = await grantWindow();
    const granted = await window.grants.judge(window.me(), {
      ...window.plan,
      end: { until: window.clock.now() + HOUR, ending: "destroy", byItself: window.me().address.base },
    });
    assert.ok(typeof granted === "object");
    const holds = await window.grants.assertGranted(window.me(), window.plan, granted, createIntent().token);
    assert.equal(holds(), true);
    const closing = window.grants.close(window.me());
    assert.equal(holds(), false);
    await closing;
  });

  test("an agent that stopped waiting rents nothing", async () => {
    const window = await grantWindow();
    const stop = new AbortController();
    const who = agentPerson();
    const { launching } = who.person;
    const accompany: typeof launching.accompany = async (plan, work) => {
      stop.abort();
      return await launching.accompany(plan, work);
    };
    const person = { ...who.person, launching: { ...launching, accompany } };
    const launch = await window.settle(window.launch(window.quote().id, { person }, stop.signal));
    assert.ok(launch.kind === "not-rented" && launch.proven);
    assert.deepEqual(window.creates, []);
  });

  test("two windows don't spend the same dollar: of two launches for all that is left, one is rented at most", async () => {
    const window = await grantWindow({ amount: 2 });
    const next = window.open(window.userData, "two", "one");
    await next.session.restore();
    const quotes = [window.quote(), next.agentLaunches.quote(next.me(), window.plan)] as const;
    const who = [agentPerson([false]), agentPerson([false])] as const;
    const launches = await window.settle(
      Promise.all([
        window.launch(quotes[0].id, who[0]),
        next.agentLaunches.launch(next.me(), quotes[1].id, who[1].person, NEVER),
      ]),
    );
    assert.ok(launches.filter(({ kind }) => kind === "rented").length <= 1);
    assert.ok(window.creates.length <= 1);
    const grant = await window.grants.read(window.me());
    assert.ok(grant && grant.spent <= grant.amount);
  });
});

describe("while a request waits for its turn", () => {
  for (const [what, end] of [
    ["a budget that is closed", (window: Window) => window.grants.close(window.me())],
    ["a budget whose time is over", async (window: Window) => window.shift(5 * HOUR)],
  ] as const)
    test(`${what} pays for nothing`, async () => {
      const window = await grantWindow({}, { ...MISSING, pace: 1 });
      const offer = window.world.offers.findLast((one) => window.world.isRentable(one));
      assert.ok(offer);
      window.world.setPrice(offer.id, 1);
      const another = await window.settle(
        window.offers.reread(window.me(), OfferId.parse(offer.id), "ondemand", window.plan.diskGb),
      );
      assert.ok(another);
      const quotes = [window.quote(), window.quote({ offer: another })];
      const first = await window.launchIt(quotes[0]?.id ?? "", agentPerson());
      assert.equal(first.kind, "rented");
      const second = window.launch(quotes[1]?.id ?? "", agentPerson());
      // It is claimed, and the one before was sent less than 4.5 s ago.
      while ((await window.watch.reread()).filter(({ facts }) => facts.has("claimed")).length < 2)
        await window.pass(500);
      assert.equal(window.creates.length, 1);
      await end(window);
      const launch = await window.settle(second);
      assert.ok(launch.kind === "not-rented" && launch.proven, launch.kind);
      assert.equal(window.creates.length, 1);
      const records = await window.watch.reread();
      assert.deepEqual(
        records.map(({ facts }) => facts.has("not-sent")),
        [false, true],
      );
      const [, { token } = { token: "" }] = records;
      const last = findLatestAutoStop(await window.autoStopJournal.readAll(), { token });
      assert.equal(last?.autoStop.until, null, "no window waits for its end");
    });
});

describe("an instance that an agent rented from a budget", () => {
  /** Runs, and its list is read as if its view were open. */
  const runFor = async (window: Window, minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      await window.pass(MINUTE);
      await window.instances.collection.refresh();
    }
  };
  const rent = async (parts?: Parts) => {
    const window = await grantWindow({}, parts);
    await window.launchIt(window.quote().id, agentPerson());
    const id = InstanceId.parse(window.world.listInstances()[0]?.id);
    const told: string[] = [];
    window.grantWatch.onNotice(({ end }) => void told.push(`${end.id} ${end.outcome}`));
    return { window, id, told };
  };

  test("is destroyed if it doesn't show that it ends itself, and the person is told", async () => {
    const { window, id, told } = await rent();
    await runFor(window, 8);
    assert.equal(window.world.listInstances().length, 1, "it has time to show it");
    await runFor(window, 12);
    assert.deepEqual([window.world.listInstances().length, told], [0, [`${id} done`]]);
    assert.equal((await window.grants.read(window.me()))?.spent.toFixed(2), "1.25", "it counts in full");
  });

  test("stays if it shows it", async () => {
    let until = 0;
    const armed = machines(() => ({
      ...{ count: 1, at: 0, until, written: Math.ceil(until / 1000), ending: "destroy" },
      ...{ lives: true, isAccepted: true, wasDue: false },
    }));
    const window = await grantWindow({}, armed);
    await window.launchIt(window.quote().id, agentPerson());
    const id = InstanceId.parse(window.world.listInstances()[0]?.id);
    until = window.autoStops.findAutoStop({ id })?.until ?? 0;
    await runFor(window, 30);
    assert.equal(window.autoStops.findAutoStop({ id })?.guard?.kind, "armed");
    assert.equal(window.world.listInstances().length, 1);
  });

  test("is the person's once they set another auto-stop, and no agent destroys it without asking", async () => {
    const { window, id } = await rent();
    const until = window.clock.now() + 3 * HOUR;
    await window.settle(window.autoStops.set(window.me(), { id }, { until, ending: "destroy" }));
    assert.equal(await window.grants.mayEnd(window.me(), id), false);
    await runFor(window, 30);
    assert.equal(window.world.listInstances().length, 1);
  });

  test("is theirs also if that fails because it can't be told, and for each window", async () => {
    const window = await grantWindow({}, { ...machines(notReached) });
    await window.launchIt(window.quote().id, agentPerson());
    const id = InstanceId.parse(window.world.listInstances()[0]?.id);
    await runFor(window, 2);
    const until = window.clock.now() + 3 * HOUR;
    const change = await window.settle(window.autoStops.set(window.me(), { id }, { until, ending: "destroy" }));
    assert.ok(typeof change === "object" && change.kind === "held");
    const next = window.open(window.userData, "two", "one");
    await next.session.restore();
    await next.instances.collection.refresh();
    await next.watch.reread();
    assert.deepEqual(
      [await window.grants.mayEnd(window.me(), id), await next.grants.mayEnd(next.me(), id)],
      [false, false],
    );
    await runFor(window, 30);
    assert.equal(window.world.listInstances().length, 1);
  });

  test("is theirs also before it's known what a lost response rented", async () => {
    const window = await grantWindow();
    Object.assign(window.lost, { create: true, list: true });
    assert.equal((await window.launchIt(window.quote().id, agentPerson())).kind, "unknown");
    window.lost.list = false;
    const id = InstanceId.parse(window.world.listInstances()[0]?.id);
    const [{ token } = { token: "" }] = await window.watch.reread();
    const until = window.clock.now() + 3 * HOUR;
    await window.settle(window.autoStops.set(window.me(), { id, token }, { until, ending: "destroy" }));
    await window.watch.look();
    assert.equal(window.grants.isByAgent(id), true);
    assert.equal(await window.grants.mayEnd(window.me(), id), false);
  });

  test("is destroyed for an agent, and the service's word is enough", async () => {
    const { window, id } = await rent();
    await runFor(window, 1);
    const end = await window.settle(
      destroyPaid(window.orders, window.me(), id, () => window.grants.mayEnd(window.me(), id)),
    );
    assert.deepEqual([end?.outcome, window.world.listInstances()], ["done", []]);
  });

  test("is left to its person who takes it over while its destroy waits for its turn", async () => {
    const { window, id } = await rent();
    await runFor(window, 1);
    let looks = 0;
    const end = await window.settle(
      destroyPaid(window.orders, window.me(), id, async () => {
        looks += 1;
        const until = window.clock.now() + 3 * HOUR;
        if (looks === 2) await window.autoStops.set(window.me(), { id }, { until, ending: "destroy" });
        return await window.grants.mayEnd(window.me(), id);
      }),
    );
    assert.ok(looks >= 2);
    assert.notEqual(end?.outcome, "done");
    await runFor(window, 20);
    assert.equal(window.world.listInstances().length, 1);
  });

  test("is the person's once its budget is tidied away", async () => {
    const { window, id } = await rent();
    assert.equal(await window.grants.isLeftToAgents(id), true);
    await rm(window.folder, { recursive: true });
    assert.equal(await window.grants.isLeftToAgents(id), false);
  });

  test("isn't destroyed without a question once the budget is closed", async () => {
    const { window, id } = await rent();
    await window.grants.close(window.me());
    await window.pass(1000);
    assert.equal(await window.grants.mayEnd(window.me(), id), false);
  });
});

describe("the files of budgets", () => {
  test("a new one takes the place of the one before, for all windows", async () => {
    const window = await grantWindow();
    const next = window.open(window.userData, "two", "one");
    await next.session.restore();
    await next.grants.open(next.me(), { ...TERMS, amount: 2 }, next.clock.now() + HOUR);
    assert.equal((await window.grants.read(window.me()))?.amount, 2);
    await next.grants.close(next.me());
    assert.equal(await window.grants.read(window.me()), undefined);
  });

  test("are removed a month after they are over, and never what closes one before what it closes", async () => {
    const window = await grantWindow();
    await window.grants.close(window.me());
    const now = window.clock.now();
    await window.grants.tidy(now + 29 * 24 * HOUR);
    await window.grants.open(window.me(), TERMS, window.clock.now() + HOUR);
    window.shift(60 * 24 * HOUR);
    await window.grants.open(window.me(), TERMS, window.clock.now() + HOUR);
    await window.grants.tidy(window.clock.now());
    assert.deepEqual(
      (await readdir(window.folder)).map((name) => name.replace(/^gra-.*\./, "")),
      ["grant"],
    );
  });
});
