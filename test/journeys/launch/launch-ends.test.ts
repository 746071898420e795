// Each end a launch may have: what is said of it, what its journal holds, and how often anything was sent.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Client, createClient } from "../../../src/api/client.ts";
import { AppError } from "../../../src/domain/base/error.ts";
import { InstanceId } from "../../../src/domain/base/id.ts";
import type { LaunchPlan } from "../../../src/domain/launch/launch-plan.ts";
import { anySearch } from "../../../src/domain/offer/offer-search.ts";
import { type Clock, realClock } from "../../../src/lib/clock.ts";
import { silentLog } from "../../../src/lib/log.ts";
import type { FaultSpec } from "../../../src/sandbox/faults/faults.ts";
import type { RequestLine } from "../../../src/sandbox/http/request-line.ts";
import type { SandboxOptions } from "../../../src/sandbox/start.ts";
import { type Disk, realDisk } from "../../../src/services/core/book/disk.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { clockAt, fastClock, lifeOf, type Parts, planFor } from "../editor-window.ts";
import { cheapest, editorWindow, makeUserData, middleman, pass, sandbox, serve, signedIn } from "../support.ts";

/** So fast that no one waits, and so slow that a busy machine reads what was written before more is written of it. */
const readableClock = clockAt(50);

/** A window, what its journal holds of its launches, and how long it slept. */
async function atLaunch(parts: Parts = {}, options: SandboxOptions = {}, time = fastClock) {
  const slept: number[] = [];
  const clock: Clock = {
    ...time,
    sleep: (ms, signal) => {
      slept.push(ms);
      return time.sleep(ms, signal);
    },
  };
  const connect: Parts["connect"] = (given) => createClient({ ...given, clock: realClock, pace: 0, patience: 0 });
  const window = await signedIn(options, { clock, connect, ...parts });
  const written = async () => {
    const [record, ...more] = await window.journal.read();
    assert.deepEqual(more, [], "one launch");
    return { ids: record?.ids, facts: [...(record?.facts ?? [])].sort(), prepared: record?.prepared };
  };
  const held = () => window.service.world.listInstances().map(({ id }) => id);
  return { ...window, slept, written, held };
}

/** A disk on which something happens at the moment a file of this fact is written. */
function diskAt(fact: string, happens: () => unknown): Disk {
  return {
    ...realDisk,
    create: async (path, text) => {
      const isNew = await realDisk.create(path, text);
      if (path.endsWith(`.${fact}`)) await happens();
      return isNew;
    },
  };
}

describe("rented", () => {
  test("is written down with what was confirmed, for whom and by whom, and is told", async () => {
    const window = await atLaunch({ liveness: lifeOf("this window") });
    const offer = await cheapest(window);
    const plan = planFor(offer);
    const outcome = await window.rent(plan, createIntent());
    assert.deepEqual(outcome, { kind: "rented", ids: window.held() });
    const { prepared, ...rest } = await window.written();
    assert.deepEqual(rest, { ids: window.held(), facts: ["claimed", "told"] });
    const { at = 0, machine = "", ...said } = prepared ?? {};
    assert.ok(Math.abs(Date.now() - at) < 60_000);
    assert.match(machine, new RegExp(`${offer.gpu_name}`));
    assert.deepEqual(said, {
      version: 1,
      origin: window.me().address.origin,
      account: window.me().tag,
      user: (await window.me().account())?.id,
      offer: offer.id,
      price: offer.dph_total,
      tracked: true,
      owner: "this window",
      before: [],
    });
    const [id] = outcome.kind === "rented" ? outcome.ids : [];
    assert.ok(id && window.instances.find(id)?.launchPrice === offer.dph_total);
    assert.ok(window.launches.tried.has(offer.id));
    await window.session.signOut();
    assert.equal(window.launches.tried.size, 0, "offers of one service mean nothing to another");
  });

  test("without a list is not tied to an account that the service cannot name", async () => {
    const window = await atLaunch({}, { onlyDocumented: true });
    await window.rent(planFor(await cheapest(window)), createIntent(), { withoutTracking: true });
    const { prepared } = await window.written();
    assert.ok(prepared && !prepared.tracked && !("user" in prepared));
  });

  test("by a bid whose disk has no price is written down with the bid", async () => {
    const service = await sandbox();
    const url = await middleman(service.url, (path, status, text) => ({
      status,
      text: path === "/api/v0/bundles/" ? text.replaceAll(/"storage_cost":[\d.]+/g, '"storage_cost":null') : text,
    }));
    const window = editorWindow(makeUserData(), { clock: fastClock });
    await window.session.signIn(url, service.apiKey);
    const { offers } = await window.offers.search({ ...anySearch, type: "bid" });
    const offer = offers.find(({ min_bid }) => min_bid !== undefined);
    assert.ok(offer);
    const plan: LaunchPlan = { ...planFor(offer), type: "bid", bid: (offer.min_bid ?? 0) + 0.5 };
    assert.equal((await window.rent(plan, createIntent())).kind, "rented");
    assert.equal((await window.journal.read())[0]?.prepared?.price, plan.bid);
  });

  for (const fault of [
    "success-true-without-id",
    "success-false-with-id",
    "id-as-string",
    "id-of-other",
    "unsafe-id",
  ] as FaultSpec[])
    test(`is what bears the mark, whatever the answer said: ${fault}`, async () => {
      const window = await atLaunch({}, { faults: [fault] });
      const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
      assert.deepEqual(outcome, { kind: "rented", ids: window.held() });
      assert.deepEqual((await window.written()).facts, ["claimed", "told"]);
      assert.equal(window.creates().length, 1);
    });

  test("is said although the journal fails after it", async () => {
    const errors: string[] = [];
    const disk: Disk = {
      ...realDisk,
      create: (path, text) =>
        /rented|told/.test(path) ? Promise.reject(new Error("disk full")) : realDisk.create(path, text),
    };
    const log = { ...silentLog, error: (line: string) => void errors.push(line) };
    const window = await atLaunch({ disk, log });
    const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
    assert.deepEqual(outcome, { kind: "rented", ids: window.held() });
    assert.deepEqual(errors, ["The launch journal failed.", "The launch journal failed."]);
    assert.deepEqual((await window.written()).facts, ["claimed"]);
  });
});

describe("not known", () => {
  test("alarms no one as long as someone waits for it, and does from then on", async () => {
    const window = await atLaunch({}, {}, readableClock);
    const { watch } = window;
    const shown: number[] = [];
    const known = new Set<number>();
    watch.onDidChange(() => {
      shown.push(watch.doubted.length);
      known.add(watch.atRisk.length);
    });
    const plan = planFor(await cheapest(window));
    window.service.faults.add("500@getInstance");
    const outcome = await window.rent(plan, createIntent());
    assert.equal(outcome.kind, "unknown");
    assert.ok(known.has(1));
    assert.deepEqual([shown.slice(0, -1).some((count) => count > 0), shown.at(-1)], [false, 1], shown.join());
  });

  test("is what the service never shows: asked for three times by its id, then in five lists", async () => {
    const window = await atLaunch({}, {}, readableClock);
    const plan = planFor(await cheapest(window));
    window.service.faults.add("500@getInstance");
    const intent = createIntent();
    const before = window.slept.length;
    const outcome = await window.rent(plan, intent);
    assert.ok(outcome.kind === "unknown" && outcome.error.kind === "outcome-unknown");
    assert.equal(outcome.token, intent.token);
    const waits = window.slept.slice(before);
    for (const wait of [0, 1000, 2000, 4000, 8000, 15_000]) assert.ok(waits.includes(wait), `${wait}`);
    assert.deepEqual((await window.written()).facts, ["claimed"]);
    assert.equal(window.watch.atRisk.length, 1);
  });

  test("without a list is not looked for, and stays open", async () => {
    const window = await atLaunch({}, { onlyDocumented: true, faults: ["success-true-without-id"] });
    const outcome = await window.rent(planFor(await cheapest(window)), createIntent(), { withoutTracking: true });
    assert.equal(outcome.kind, "unknown");
    assert.ok(!window.slept.includes(15_000), "no lists to wait for");
    assert.equal(window.watch.atRisk.length, 1);
  });

  test("is a refusal that no list could confirm", async () => {
    const window = await atLaunch({
      disk: diskAt("refused", () => window.service.faults.add("500@listInstances")),
    });
    window.service.faults.add("403@createInstance");
    const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
    assert.ok(outcome.kind === "unknown" && outcome.error.kind === "not-allowed");
    assert.deepEqual((await window.written()).facts, ["claimed", "refused"]);
  });

  test("is left to the watch where the account is left", async () => {
    const window = await atLaunch({
      disk: diskAt("refused", () => window.session.signOut()),
    });
    window.service.faults.add("403@createInstance");
    const plan = planFor(await cheapest(window));
    const outcome = await window.rent(plan, createIntent());
    assert.equal(outcome.kind, "unknown");
    assert.equal(window.creates().length, 1);
  });
});

describe("not rented", () => {
  test("and refused is likely, not proven; the same offer may be tried again", async () => {
    const window = await atLaunch({}, { faults: ["403@createInstance"] });
    const offer = await cheapest(window);
    const outcome = await window.rent(planFor(offer), createIntent());
    assert.ok(outcome.kind === "not-rented" && !outcome.proven && outcome.error.kind === "not-allowed");
    assert.deepEqual((await window.written()).facts, ["claimed", "refused"]);
    window.service.faults.clear();
    assert.equal((await window.rent(planFor(offer), createIntent())).kind, "rented");
  });

  test("because no byte left is proven", async () => {
    const window = await atLaunch({ disk: diskAt("claimed", () => window.service.stop()) });
    const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
    assert.ok(outcome.kind === "not-rented" && outcome.proven, JSON.stringify(outcome));
    assert.deepEqual((await window.written()).facts, ["claimed", "not-sent"]);
  });

  test("because the person stopped it in time: before anything, or at the last moment", async () => {
    const early = await atLaunch();
    const stopped = await early.rent(planFor(await cheapest(early)), createIntent(), { signal: AbortSignal.abort() });
    assert.ok(stopped.kind === "not-rented" && stopped.proven && stopped.error.kind === "cancelled");
    assert.deepEqual(await early.journal.read(), []);
    const leaving = new AbortController();
    const late = await atLaunch({ disk: diskAt("claimed", () => leaving.abort()) });
    const outcome = await late.rent(planFor(await cheapest(late)), createIntent(), { signal: leaving.signal });
    assert.ok(outcome.kind === "not-rented" && outcome.proven && outcome.error.kind === "cancelled");
    assert.deepEqual((await late.written()).facts, ["claimed", "not-sent"]);
    assert.deepEqual([early.creates(), late.creates()], [[], []]);
  });

  test("because it isn't wanted any more, at the last moment", async () => {
    const window = await atLaunch();
    const plan = planFor(await cheapest(window));
    const outcome = await window.rent(plan, createIntent(), { isWanted: async () => false });
    assert.ok(outcome.kind === "not-rented" && outcome.proven && outcome.error.kind === "cancelled");
    assert.deepEqual((await window.written()).facts, ["claimed", "not-sent"]);
    assert.deepEqual(window.creates(), []);
    assert.equal((await window.rent(plan, createIntent(), { isWanted: async () => true })).kind, "rented");
  });

  test("because another window claimed it: that it wasn't sent here is not written down", async () => {
    const window = await atLaunch({}, {}, readableClock);
    const intent = createIntent();
    await window.journal.claim(intent.token);
    await assert.rejects(window.rent(planFor(await cheapest(window)), intent), /already sent/);
    assert.deepEqual((await window.written()).facts, ["claimed"]);
    assert.deepEqual(window.creates(), []);
  });

  test("although an end was chosen: nothing waits for that end any more, and none is written where none was", async () => {
    const window = await atLaunch({ limits: { instances: 0 } });
    const plan = planFor(await cheapest(window));
    await window.rent(plan, createIntent());
    assert.deepEqual(await window.autoStopJournal.readAll(), []);
    await window.rent({ ...plan, end: { hours: 8, ending: "destroy" } }, createIntent());
    const ends = (await window.autoStopJournal.readAll()).map(({ autoStop }) => autoStop.until);
    assert.equal(ends.filter((until) => until !== null).length, 1);
    assert.equal(ends.length, 2, "and it was taken back");
  });

  test("because its own end was chosen for another address, which is said before the question", async () => {
    const window = await atLaunch();
    const end = { hours: 8, ending: "destroy", byItself: "https://gpu.example.com/api/v0" } as const;
    const plan = { ...planFor(await cheapest(window)), end };
    await assert.rejects(
      window.launches.mayRent(window.me(), plan),
      /chosen for another service\. Choose another auto-stop/,
    );
  });

  test("because the account was left, at the last moment", async () => {
    const window = await atLaunch({ disk: diskAt("claimed", () => window.session.signOut()) });
    const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
    assert.ok(outcome.kind === "not-rented" && outcome.proven);
    assert.deepEqual((await window.written()).facts, ["claimed", "not-sent"]);
    assert.deepEqual(window.creates(), []);
  });

  test("because the offer is gone: it is not suggested again, and nothing was written", async () => {
    const window = await atLaunch();
    const offer = await cheapest(window);
    window.service.world.rentAway(offer.id);
    const outcome = await window.rent(planFor(offer), createIntent());
    assert.ok(outcome.kind === "not-rented" && outcome.proven && outcome.error.kind === "gone");
    assert.ok(window.launches.tried.has(offer.id));
    assert.deepEqual(await window.journal.read(), []);
  });

  test("because of a limit: the offer may be suggested again", async () => {
    const window = await atLaunch({ limits: { instances: 0 } });
    const offer = await cheapest(window);
    const outcome = await window.rent(planFor(offer), createIntent());
    assert.ok(outcome.kind === "not-rented" && outcome.error.facts.limit === "instances");
    assert.ok(!window.launches.tried.has(offer.id));
  });
});

describe("what the answer says", () => {
  /** A service whose answer to the create request is changed on the way, after it was carried out or instead of that. */
  async function answering(change: (answer: string) => string, isCarriedOut = true) {
    const service = await sandbox();
    const url = await serve(async (request, body) => {
      if (request.method !== "PUT") return await pass(service.url, request, body);
      if (!isCarriedOut) return { status: 200, text: change("") };
      const { status, text } = await pass(service.url, request, body);
      return { status, text: change(text) };
    });
    const window = editorWindow(makeUserData(), { clock: fastClock });
    await window.session.signIn(url, service.apiKey);
    return { ...window, service };
  }

  test("an id of another rental of one's own is not believed: its mark is another", async () => {
    let other: number | undefined;
    const window = await answering((text) =>
      other === undefined ? text : text.replace(/"new_contract":\d+/, `"new_contract":${other}`),
    );
    const first = await window.rent(planFor(await cheapest(window)), createIntent());
    assert.ok(first.kind === "rented");
    [other] = first.ids;
    const second = await window.rent(planFor(await cheapest(window, 4)), createIntent());
    const ids = window.service.world.listInstances().map(({ id }) => id);
    assert.deepEqual(second, { kind: "rented", ids: ids.filter((id) => id !== other) });
  });

  test("a refusal in a good answer is one, with its reason", async () => {
    const no = '{"success":false,"error":"insufficient_credit","msg":"You lack credit."}';
    const window = await answering(() => no, false);
    const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
    assert.ok(outcome.kind === "not-rented" && !outcome.proven && outcome.error.kind === "no-credit");
    assert.deepEqual((await window.journal.read())[0]?.facts, new Set(["claimed", "refused"]));
  });
});

test("where the person agreed to rent without a list, none is asked for after the request", async () => {
  for (const fault of ["success-true-without-id", "reset-after@createInstance"] as FaultSpec[]) {
    const window = await atLaunch({}, { faults: [fault] });
    const outcome = await window.rent(planFor(await cheapest(window)), createIntent(), { withoutTracking: true });
    assert.equal(outcome.kind, "unknown");
    const sent = window.lines.findIndex(({ method }) => method === "PUT");
    assert.ok(sent >= 0 && !window.lines.slice(sent).some(({ path }) => path === "/api/v1/instances/"), fault);
  }
});

test("what cannot be read stops nothing: an account without a name, a launch of which the file is damaged", async () => {
  const window = await atLaunch({}, { faults: ["403@getCurrentUser"] });
  assert.deepEqual(await window.launches.mayRent(window.me(), planFor(await cheapest(window))), {
    withoutTracking: false,
  });
  await window.journal.note(createIntent().token, "claimed");
  const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
  assert.equal(outcome.kind, "rented");
  const { prepared } = (await window.journal.read()).find(({ ids }) => ids.length > 0) ?? {};
  assert.ok(prepared && !("user" in prepared));
});

describe("the person's own word on a launch", () => {
  async function open() {
    const window = await atLaunch({}, { faults: ["create-lost", "500@getInstance"] });
    const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
    assert.equal(outcome.kind, "unknown");
    window.service.faults.clear();
    const [record] = await window.journal.read();
    const [id] = window.held();
    assert.ok(record && id !== undefined);
    return { ...window, record, id: InstanceId.parse(id), account: window.me() };
  }
  const facts = async (window: Awaited<ReturnType<typeof open>>) => {
    const [record] = await window.journal.read();
    return [[...(record?.facts ?? [])], record?.ids];
  };

  test("is taken in its account only", async () => {
    const window = await open();
    await window.session.signOut();
    const before = window.lines.length;
    await assert.rejects(window.verdicts.settleAs(window.account, window.record, window.id));
    await assert.rejects(window.verdicts.dismiss(window.account, window.record));
    assert.equal(window.lines.length, before);
    assert.deepEqual(await facts(window), [["claimed"], []]);
  });

  test("is not taken where the account is left while it is compared", async () => {
    const window = await open();
    const { client } = window.account;
    const { getInstance } = client;
    const before = window.lines.length;
    const leaving: Pick<Client, "getInstance"> = {
      getInstance: async (id) => {
        const row = await getInstance(id);
        await window.session.signOut();
        return row;
      },
    };
    Object.assign(client, leaving);
    await assert.rejects(window.verdicts.settleAs(window.account, window.record, window.id));
    assert.equal(window.lines.length, before + 1);
    assert.deepEqual(await facts(window), [["claimed"], []]);
  });

  test("settles a launch of which the file is damaged, too", async () => {
    const window = await open();
    await window.verdicts.settleAs(window.account, { ...window.record, prepared: undefined }, window.id);
    assert.deepEqual((await facts(window))[1], [window.id]);
  });
});

describe("a list that proves nothing", () => {
  async function withGap() {
    const lines: RequestLine[] = [];
    const service = await sandbox({ requests: (line) => void lines.push(line) });
    const url = await middleman(service.url, (path, status, text) => ({
      status,
      text: path.startsWith("/api/v1/") ? text.replace(/"total_instances":\d+/, '"total_instances":99') : text,
    }));
    const window = editorWindow(makeUserData(), { clock: fastClock });
    await window.session.signIn(url, service.apiKey);
    return { ...window, service };
  }

  test("stops a launch before the question, and before the request", async () => {
    const window = await withGap();
    const plan = planFor(await cheapest(window));
    const isGap = (error: unknown) =>
      error instanceof AppError && error.kind === "unexpected-reply" && /is incomplete right now/.test(error.message);
    await assert.rejects(window.launches.mayRent(window.me(), plan), isGap);
    const outcome = await window.rent(plan, createIntent());
    assert.ok(outcome.kind === "not-rented" && outcome.proven && isGap(outcome.error));
    assert.deepEqual(window.service.world.listInstances(), []);
  });

  test("nor does one that fails: it is no service without a list", async () => {
    const window = await atLaunch({}, { faults: ["500@listInstances"] });
    const plan = planFor(await cheapest(window));
    await assert.rejects(
      window.launches.mayRent(window.me(), plan),
      (error) => error instanceof AppError && error.kind === "server",
    );
  });
});

describe("an intent", () => {
  function counting() {
    let works = 0;
    const begin = () => {
      works += 1;
      return () => {
        works -= 1;
      };
    };
    return { liveness: { ...lifeOf("me"), begin }, works: () => works };
  }

  test("is used once, whatever became of it, and a second use does not disturb the first", async () => {
    const { liveness, works } = counting();
    const window = await atLaunch({ liveness });
    const plan = planFor(await cheapest(window));
    const intent = createIntent();
    const first = window.rent(plan, intent);
    await assert.rejects(window.rent(plan, intent), /already sent/);
    assert.equal(works(), 1, "this window is at work");
    assert.equal((await first).kind, "rented");
    assert.equal(works(), 0);
    await assert.rejects(window.rent(plan, intent), /already sent/);
    const other = editorWindow(window.userData, { clock: fastClock });
    await other.session.restore();
    await assert.rejects(other.rent(planFor(await cheapest(other, 4)), intent), /already sent/);
    assert.equal(window.creates().length, 1);
  });

  test("that was refused keeps this window at work until it is made sure of; one that was never sent does not", async () => {
    const { liveness, works } = counting();
    const never = await atLaunch({ liveness, limits: { instances: 0 } });
    assert.equal((await never.rent(planFor(await cheapest(never)), createIntent())).kind, "not-rented");
    assert.equal(works(), 0);
    const refused = await atLaunch(
      { liveness, clock: { ...fastClock, elapsed: () => 0 } },
      { faults: ["403@createInstance"] },
    );
    assert.equal((await refused.rent(planFor(await cheapest(refused)), createIntent())).kind, "not-rented");
    assert.equal(works(), 1);
  });
});

test("an open launch of the same offer stops the next one, one of another offer does not", async () => {
  // On a clock that runs a thousand times as fast, a busy machine may give the first one up before the second one is asked for.
  const window = await atLaunch({ clock: clockAt(50) }, { faults: ["reset-before@createInstance"] });
  const offer = await cheapest(window);
  assert.equal((await window.rent(planFor(offer), createIntent())).kind, "unknown");
  window.service.faults.clear();
  const twin = await window.rent(planFor(offer), createIntent());
  assert.ok(twin.kind === "not-rented" && twin.proven && /earlier launch of this offer/.test(twin.error.message));
  assert.equal((await window.rent(planFor(await cheapest(window, 4)), createIntent())).kind, "rented");
});
