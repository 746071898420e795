// What an agent rents: one quote is one request at most, and only what a person agreed to while the agent waited for it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../../src/domain/base/error.ts";
import { InstanceId } from "../../../src/domain/base/id.ts";
import type { LaunchAction } from "../../../src/domain/launch/launch-messages.ts";
import { anySearch } from "../../../src/domain/offer/offer-search.ts";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import { needsPerson } from "../../../src/services/agent/agent-asking.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { LaunchJournal } from "../../../src/services/launch/launch-journal.ts";
import { breakFolder, levelTraffic, sandbox } from "../support.ts";
import { agentPerson, agentWindow, NEVER } from "./agent-window.ts";

const asksForPerson = (error: unknown) => error instanceof AppError && needsPerson(error);
const MINUTE = 60_000;
const UNKNOWN_QUOTE = { kind: "unknown-quote" };

describe("a quote", () => {
  test("rents once, whoever calls how often, and answers before the machine runs", async () => {
    const window = await agentWindow();
    const { id } = window.quote();
    const who = agentPerson();
    const both = Promise.all([window.launch(id, who), window.launch(id, who)]);
    const [first, second] = await window.settle(both);
    const [instance] = window.service.world.listInstances();
    assert.deepEqual([first, second], [{ kind: "rented", ids: [instance?.id] }, first]);
    assert.deepEqual(await window.settle(window.launch(id, who)), { ...first, isEarlier: true });
    assert.deepEqual([window.creates.length, who.asked.length], [1, 1]);
    assert.deepEqual(who.told, [], "it hasn't started yet");
  });

  test("is asked about with its machine, its auto-stop, and who pays", async () => {
    const window = await agentWindow();
    const who = agentPerson([false]);
    const launch = await window.settle(window.launch(window.quote().id, who));
    assert.deepEqual(launch, { kind: "declined" });
    const [question] = who.asked;
    assert.ok(question?.kind === "rent");
    assert.deepEqual(question.plan.end, { hours: 2, ending: "destroy" });
    assert.equal(question.plan.offer.id, window.plan.offer.id);
    assert.deepEqual(window.creates, []);
  });

  test("that was declined isn't asked about again", async () => {
    const window = await agentWindow();
    const { id } = window.quote();
    const who = agentPerson([false]);
    await window.settle(window.launch(id, who));
    assert.deepEqual(await window.settle(window.launch(id, who)), { kind: "declined" });
    assert.deepEqual([who.asked.length, window.creates.length], [1, 0]);
  });

  test("is launched within five minutes or not at all", async () => {
    const window = await agentWindow();
    const [soon, later, before] = [window.quote(), window.quote(), window.quote()];
    await window.pass(4 * MINUTE);
    const who = agentPerson();
    assert.equal((await window.settle(window.launch(soon.id, who))).kind, "rented");
    await window.pass(2 * MINUTE);
    await assert.rejects(window.launch(later.id, who), /older than 5 minutes/);
    window.shift(-60 * MINUTE);
    await assert.rejects(window.launch(before.id, who), /older than 5 minutes/, "a clock that was set back");
    assert.deepEqual([who.asked.length, window.creates.length], [1, 1]);
  });

  test("isn't rented once the computer slept too long, before the question or while it is open", async () => {
    const window = await agentWindow();
    const who = agentPerson([
      async () => {
        window.shift(10 * MINUTE);
        return true;
      },
    ]);
    await assert.rejects(window.settle(window.launch(window.quote().id, who)), asksForPerson);
    const { id } = window.quote();
    window.nap.ms = 10 * MINUTE;
    await assert.rejects(window.settle(window.launch(id, who)), /older than 5 minutes/);
    assert.deepEqual([who.asked.length, who.failed.length, window.late, window.creates], [2, 1, ["one"], []]);
  });

  test("doesn't rent for a price that rose, before the question or after it", async () => {
    const window = await agentWindow();
    const { world } = window.service;
    const rise = () => world.setPrice(window.plan.offer.id, 50);
    const first = window.quote();
    const who = agentPerson([
      async () => {
        rise();
        return true;
      },
    ]);
    const launch = await window.settle(window.launch(first.id, who));
    assert.ok(launch.kind === "not-rented" && launch.proven);
    assert.match(launch.error.message, /price changed/);
    assert.deepEqual(await window.settle(window.launch(first.id, who)), launch);
    await assert.rejects(window.settle(window.launch(window.quote().id, who)), /price changed.*Ask for a new quote/);
    assert.deepEqual([who.asked.length, window.creates.length], [1, 0]);
  });

  test("is held to the person's limits, and nothing is asked", async () => {
    const window = await agentWindow({ limits: { pricePerHour: 0.0001 } });
    const who = agentPerson();
    await assert.rejects(window.settle(window.launch(window.quote().id, who)), /above your limit/);
    assert.deepEqual([who.asked, window.creates], [[], []]);
  });

  test("is nothing in another account, and in one that was entered behind its question", async () => {
    const window = await agentWindow();
    const { id } = window.quote();
    const other = await sandbox({ seed: 7 });
    const who = agentPerson([
      async () => {
        await window.session.enterSandbox(other.url, other.apiKey);
        return true;
      },
    ]);
    await assert.rejects(window.settle(window.launch(id, who)), /switched accounts/);
    assert.equal(who.failed.length, 1, "whoever agreed hears of it, too");
    assert.deepEqual(await window.launch(id, who), UNKNOWN_QUOTE);
    assert.deepEqual([window.creates, other.world.listInstances()], [[], []]);
  });

  test("that no one gave is nothing that could be rented", async () => {
    const window = await agentWindow();
    for (const id of ["quote-a", `quote-${"a".repeat(16)}`, `quote-${"a".repeat(16)} b`, "__proto__", ""])
      assert.deepEqual(await window.launch(id, agentPerson()), UNKNOWN_QUOTE, id);
  });

  test("is one of the last hundred, or one that was launched, which is never asked about again", async () => {
    const window = await agentWindow();
    const [first, launched] = [window.quote(), window.quote()];
    const rented = await window.settle(window.launch(launched.id, agentPerson()));
    assert.equal(rented.kind, "rented");
    for (let more = 0; more < 100; more += 1) window.quote();
    assert.deepEqual(await window.launch(first.id, agentPerson()), UNKNOWN_QUOTE);
    assert.deepEqual(await window.settle(window.launch(launched.id, agentPerson())), { ...rented, isEarlier: true });
    assert.equal(window.creates.length, 1);
  });
});

/** A quote whose machine dies before it runs. `action`: what the person chooses then. */
async function withDead(window: Awaited<ReturnType<typeof agentWindow>>, action?: LaunchAction) {
  const { world } = window.service;
  const { offers } = await window.settle(window.offers.search(anySearch));
  // Of which there are several.
  const offer = offers.find(({ gpu_name, num_gpus }) => gpu_name === "RTX 3090" && num_gpus === 1);
  assert.ok(offer);
  world.setFate(offer.id, "exited");
  levelTraffic(window.service);
  const plan = { ...window.plan, offer };
  const { id } = window.agentLaunches.quote(window.me(), plan);
  const who = agentPerson([], action);
  const launch = () => window.settle(window.launch(id, who));
  const first = await launch();
  const [dead] = world.listInstances();
  assert.ok(dead);
  assert.deepEqual(first, { kind: "rented", ids: [dead.id] });
  /** Lets time pass while the list is read as if its view were open. */
  const pass = async (isOver: () => boolean) => {
    for (let minutes = 0; minutes < 20 && !isOver(); minutes += 1) {
      await window.pass(MINUTE);
      await window.instances.collection.refresh();
    }
    assert.ok(isOver());
  };
  return { who, launch, dead: InstanceId.parse(dead.id), plan, pass };
}

describe("a launch whose answer is lost", () => {
  test("is in doubt, isn't sent again, and is told once it is found", async () => {
    const window = await agentWindow();
    const { world } = window.service;
    const { id } = window.quote();
    const who = agentPerson([
      async () => {
        Object.assign(window.lost, { create: true, list: true });
        return true;
      },
    ]);
    const first = await window.settle(window.launch(id, who));
    assert.equal(first.kind, "unknown");
    assert.equal((await window.settle(window.launch(id, who))).kind, "unknown");
    window.lost.list = false;
    assert.equal(world.listInstances().length, 1);
    await window.watch.look();
    const again = await window.settle(window.launch(id, who));
    assert.deepEqual(again, { kind: "rented", ids: [world.listInstances()[0]?.id], isEarlier: true });
    assert.deepEqual([window.creates.length, who.asked.length], [1, 1]);
  });

  test("and that the service refused, though a copy of it rented, is told once that is found", async () => {
    const window = await agentWindow();
    const { world } = window.service;
    const { id } = window.quote();
    const who = agentPerson([
      async () => {
        window.lost.refused = true;
        return true;
      },
    ]);
    const first = await window.settle(window.launch(id, who));
    assert.ok(first.kind === "not-rented" && !first.proven);
    assert.equal((await window.settle(window.launch(id, who))).kind, "not-rented");
    window.lost.list = false;
    await window.watch.look();
    const again = await window.settle(window.launch(id, who));
    assert.deepEqual(again, { kind: "rented", ids: [world.listInstances()[0]?.id], isEarlier: true });
    assert.deepEqual([window.creates.length, who.asked.length], [1, 1]);
  });

  test("stays in doubt, and is no failure to try again, while the disk can't be read", async () => {
    const window = await agentWindow();
    const { id } = window.quote();
    const who = agentPerson([
      async () => {
        Object.assign(window.lost, { create: true, list: true });
        return true;
      },
    ]);
    await window.settle(window.launch(id, who));
    await breakFolder(window.userData.folder);
    assert.equal((await window.settle(window.launch(id, who))).kind, "unknown");
    assert.equal(window.creates.length, 1);
  });

  test("is in doubt, and isn't tried again, if the window fails while it is sent", async () => {
    const window = await agentWindow();
    const { id } = window.quote();
    const who = agentPerson();
    const accompany = async () => {
      throw new Error("no window");
    };
    const person = { ...who.person, launching: { ...who.person.launching, accompany } };
    assert.equal((await window.settle(window.launch(id, { person }))).kind, "unknown");
    assert.equal((await window.settle(window.launch(id, { person }))).kind, "unknown");
    assert.deepEqual([who.asked.length, who.failed.length, window.creates], [1, 1, []]);
  });

  test("tells of each machine that one request rented", async () => {
    const window = await agentWindow();
    const { world } = window.service;
    const { id } = window.quote();
    const who = agentPerson();
    await window.settle(window.launch(id, who));
    const [one] = world.listInstances();
    const offer = world.offers.find((other) => world.isRentable(other) && other !== one?.offer);
    assert.ok(one && offer);
    const copy = createInstance(world, offer.id, { image: "a/b", label: one.label });
    await window.watch.look();
    const both = await window.settle(window.launch(id, who));
    assert.deepEqual(both, { kind: "rented", ids: [one.id, copy.id], isEarlier: true });
    assert.equal(window.creates.length, 1);
  });

  test("tells of the machine that took the place of one that died, once the person had it replaced", async () => {
    const window = await agentWindow();
    const { world } = window.service;
    const { who, launch, dead, pass } = await withDead(window, "replace");
    await pass(() => window.creates.length === 2);
    const again = await launch();
    const [other, ...more] = world.listInstances();
    assert.notEqual(other?.id, dead);
    assert.deepEqual([again, more], [{ kind: "rented", ids: [other?.id], isEarlier: true }, []]);
    assert.deepEqual(
      who.asked.map((question) => [question.kind, "plan" in question && question.plan.end?.ending]),
      [
        ["rent", "destroy"],
        ["replace", "destroy"],
      ],
    );
  });

  test("and of one that the service refused in its place, though a copy of the request rented it", async () => {
    const window = await agentWindow();
    const { world } = window.service;
    const { launch, pass } = await withDead(window, "replace");
    window.lost.refused = true;
    await pass(() => window.creates.length === 2);
    const refused = await launch();
    assert.ok(refused.kind === "not-rented" && !refused.proven);
    window.lost.list = false;
    await window.watch.look();
    const [other, ...more] = world.listInstances();
    assert.deepEqual([await launch(), more], [{ kind: "rented", ids: [other?.id], isEarlier: true }, []]);
  });

  test("and of one that took its place at its row, once its launch was over", async () => {
    const window = await agentWindow();
    const { world } = window.service;
    const { who, launch, dead, plan, pass } = await withDead(window);
    await pass(() => who.told.some(({ kind }) => kind === "dead"));
    await window.pass(MINUTE);
    const rental = { account: window.me(), plan, search: anySearch, intent: createIntent(), withoutTracking: false };
    const chain = { price: undefined, tries: 0 };
    const { launching } = agentPerson([], "replace").person;
    const replacing = window.runner.replace(launching, { ...rental, chain }, dead);
    await pass(() => window.creates.length === 2);
    const [other] = world.listInstances();
    assert.notEqual(other?.id, dead);
    assert.deepEqual(await launch(), { kind: "rented", ids: [other?.id], isEarlier: true });
    void replacing;
  });

  test("tells of no machine that took the place of one with the same number in another account", async () => {
    const window = await agentWindow();
    const { launch, dead } = await withDead(window);
    const { token } = createIntent();
    const elsewhere = { ...window.me(), tag: "another" };
    for (const note of window.runner.deadMachines.onWillReplace) await note(dead, token, elsewhere);
    const [record] = await window.watch.reread();
    assert.ok(record?.prepared);
    const journal = new LaunchJournal(window.userData.folder);
    await journal.prepare(token, record.prepared);
    await journal.note(token, ["rented", dead + 1]);
    assert.deepEqual(await launch(), { kind: "rented", ids: [dead], isEarlier: true });
  });

  test("is of one machine, though it died and the person's settings replace dead machines without asking", async () => {
    const window = await agentWindow({ policy: { automatic: true, priceRise: 10, tries: 5 } });
    const { who, launch, dead, pass } = await withDead(window);
    await pass(() => who.told.some(({ kind }) => kind === "dead"));
    await window.pass(20 * MINUTE);
    assert.deepEqual(await launch(), { kind: "rented", ids: [dead], isEarlier: true });
    assert.equal(window.creates.length, 1);
  });

  test("is found by the next window if this one is killed, and its quote rents nothing there", async () => {
    const window = await agentWindow();
    const { world } = window.service;
    const { id } = window.quote();
    const who = agentPerson([
      async () => {
        Object.assign(window.lost, { create: true, list: true });
        return true;
      },
    ]);
    const launching = window.launch(id, who).catch(() => undefined);
    while (window.creates.length === 0) await window.pass(100);
    window.close();
    const next = window.open(window.userData, "two");
    await next.session.restore();
    const nextWho = agentPerson();
    const ask = () => next.agentLaunches.launch(next.me(), id, nextWho.person, NEVER);
    assert.equal((await ask()).kind, "unknown");
    window.lost.list = false;
    await window.pass(2 * MINUTE);
    await next.watch.look();
    assert.deepEqual(await ask(), { kind: "rented", ids: [world.listInstances()[0]?.id], isEarlier: true });
    assert.deepEqual(nextWho.asked, []);
    const [record] = await next.watch.reread();
    assert.deepEqual(record?.ids, [world.listInstances()[0]?.id]);
    assert.equal(window.creates.length, 1);
    void launching;
  });
});

describe("a quote that another window launched", () => {
  test("is told from the journal: what it rented, that it was refused, and that nothing was sent", async () => {
    const window = await agentWindow();
    const { offers } = await window.settle(window.offers.search(anySearch));
    const other = offers.find(({ id }) => id !== window.plan.offer.id);
    assert.ok(other);
    const rented = window.quote();
    const first = await window.settle(window.launch(rented.id, agentPerson()));
    const refused = window.agentLaunches.quote(window.me(), { ...window.plan, offer: other });
    const refuse = async () => {
      window.lost.refused = true;
      return true;
    };
    assert.equal((await window.settle(window.launch(refused.id, agentPerson([refuse])))).kind, "not-rented");
    const unsent = window.quote();
    const token = unsent.id.replace("quote-", "vsc-");
    const [prepared] = await window.watch.reread();
    assert.ok(prepared?.prepared);
    const journal = new LaunchJournal(window.userData.folder);
    await journal.prepare(token, prepared.prepared);
    const never = window.quote();
    const next = window.open(window.userData, "two", "one");
    await next.session.restore();
    const ask = ({ id }: { id: string }) => next.agentLaunches.launch(next.me(), id, agentPerson().person, NEVER);
    assert.deepEqual(await ask(rented), { ...first, isEarlier: true });
    const denied = await ask(refused);
    assert.ok(denied.kind === "not-rented" && !denied.proven);
    assert.deepEqual(await ask(unsent), { kind: "unknown", token }, "it may be about to be sent");
    await journal.note(token, "not-sent");
    const absent = await ask(unsent);
    assert.ok(absent.kind === "not-rented" && absent.proven);
    assert.deepEqual(await ask(never), UNKNOWN_QUOTE);
    const { url, apiKey } = await sandbox({ seed: 7 });
    await next.session.enterSandbox(url, apiKey);
    assert.deepEqual(await ask(rented), UNKNOWN_QUOTE, "of another account");
    await breakFolder(window.userData.folder);
    assert.equal((await ask(rented)).kind, "unknown", "the journal can't be read");
  });
});

describe("a question that nobody answers", () => {
  test("lets the agent go after three minutes, and a late yes does nothing", async () => {
    const window = await agentWindow();
    const { id } = window.quote();
    const answer = Promise.withResolvers<boolean>();
    const who = agentPerson([answer.promise]);
    await assert.rejects(window.settle(window.launch(id, who)), asksForPerson);
    await assert.rejects(window.settle(window.launch(id, who)), /still shows an earlier question/);
    answer.resolve(true);
    await window.pass(1000);
    assert.deepEqual([window.late, window.creates], [["one"], []]);
    assert.equal((await window.settle(window.launch(window.quote().id, agentPerson()))).kind, "rented");
  });

  test("isn't put where nobody looks for a minute, and is where someone comes in time", async () => {
    const window = await agentWindow();
    window.attention.focused = false;
    const { id } = window.quote();
    const who = agentPerson();
    await assert.rejects(window.settle(window.launch(id, who)), /isn't in front/);
    assert.deepEqual(who.asked, []);
    const launching = window.launch(id, who);
    await window.pass(30_000);
    window.attention.focused = true;
    window.attention.changes.fire();
    assert.equal((await window.settle(launching)).kind, "rented");
    assert.equal(window.creates.length, 1);
  });

  test("isn't put once the agent is stopped while the offer is read again", async () => {
    const window = await agentWindow();
    const abort = new AbortController();
    const who = agentPerson();
    const launching = window.launch(window.quote().id, who, abort.signal);
    abort.abort();
    await assert.rejects(window.settle(launching), { kind: "cancelled" });
    assert.deepEqual([who.asked, window.creates], [[], []]);
  });

  test("ends for a second call by that one's own signal, and goes on for the first", async () => {
    const window = await agentWindow();
    const { id } = window.quote();
    const answer = Promise.withResolvers<boolean>();
    const who = agentPerson([answer.promise]);
    const abort = new AbortController();
    const first = window.launch(id, who);
    const second = window.launch(id, who, abort.signal);
    await window.pass(1000);
    abort.abort();
    await assert.rejects(second, { kind: "cancelled" });
    answer.resolve(true);
    assert.equal((await window.settle(first)).kind, "rented");
    assert.deepEqual([window.late, window.creates.length], [[], 1]);
  });

  test("ends with the agent that asked", async () => {
    const window = await agentWindow();
    const answer = Promise.withResolvers<boolean>();
    const abort = new AbortController();
    const who = agentPerson([answer.promise]);
    const launching = window.launch(window.quote().id, who, abort.signal);
    while (who.asked.length === 0) await window.pass(100);
    abort.abort();
    await assert.rejects(launching, { kind: "cancelled" });
    answer.resolve(true);
    await window.pass(1000);
    assert.deepEqual([window.late, window.creates], [["one"], []]);
  });
});
