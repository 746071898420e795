// Orders whose answer was lost, at a service that lacks the instance for a while: what one answer lacks may still be there, and costs money.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createClient } from "../../../src/api/client.ts";
import { toAccountMark } from "../../../src/services/core/account-mark.ts";
import { createOrderToken } from "../../../src/services/instance/order-journal.ts";
import { EMPTY_LIST, pass as passOn, serve } from "../support.ts";
import { MINUTE, withIdleWindows } from "./idle/idle-windows.ts";

/** What a service says of its instances: as it is, that there are none, or nothing. */
type Says = "sound" | "none" | "fails";

/** The first destroy fails, or gets lost on its way back, and from then on the service answers as a test says. */
async function withLostAnswer({ isLost = true, count = 1 } = {}) {
  const state = {
    answers: "sound" as Says,
    lists: "sound" as Says,
    deletes: 0,
    asked: 0,
    after: (): unknown => undefined,
  };
  const stage = await withIdleWindows({
    count,
    // A call that fails does so at once, by the clock of the test.
    parts: { connect: (options) => createClient({ ...options, pace: 0, patience: 0 }) },
    through: ({ url }) =>
      serve(async (request, body) => {
        const { method, url: path = "" } = request;
        const isOne = /\/instances\/\d+\/$/.test(path);
        if (method === "DELETE") state.deletes += 1;
        if (method === "DELETE" && state.deletes === 1) {
          state.after();
          if (isLost) await passOn(url, request, body);
          return { status: 500, text: "{}" };
        }
        const says = method !== "GET" || !path.includes("/instances/") ? "sound" : state[isOne ? "answers" : "lists"];
        if (isOne && method === "GET") state.asked += 1;
        if (says === "fails") return { status: 500, text: "{}" };
        if (says === "sound") return await passOn(url, request, body);
        return { status: 200, text: isOne ? JSON.stringify({ instances: null }) : EMPTY_LIST };
      }),
  });
  const { first, id, world } = stage;
  const there = () => world.listInstances().some((one) => one.id === id);
  const destroy = () => first.orders.carryOut(first.me(), "destroy", [{ value: { id } }]);
  return { ...stage, state, there, destroy };
}

describe("a destroy that a person ordered, and whose answer was lost", () => {
  test("is done once one answer and a whole list lack the instance", async () => {
    const { during, destroy, state, clock, there } = await withLostAnswer();
    const began = clock.elapsed();
    const [end] = await during(destroy());
    assert.deepEqual([end?.outcome, there(), state.deletes], ["done", false, 1]);
    assert.ok(clock.elapsed() - began < MINUTE, "no one waits for a minute");
  });

  test("is done once two answers that are far apart lack it, where no list can be read", async () => {
    const { during, destroy, state, there } = await withLostAnswer();
    state.after = () => Object.assign(state, { lists: "fails" });
    const [end] = await during(destroy());
    assert.deepEqual([end?.outcome, there(), state.deletes], ["done", false, 1]);
  });

  test("isn't done by one answer that lacks it, while the list has it", async () => {
    const { during, destroy, state, there } = await withLostAnswer({ isLost: false });
    state.after = () => Object.assign(state, { answers: "none" });
    const [end] = await during(destroy());
    assert.deepEqual([end?.outcome, there(), state.deletes], ["failed", true, 1]);
  });
});

describe("an order that a window left", () => {
  /** It had been sent. Then its window closed, and the service answers as a test says. */
  async function withLeft(
    says: { readonly answers?: Says; readonly lists?: Says },
    kind: "destroy" | "stop" = "destroy",
  ) {
    const stage = await withLostAnswer({ isLost: false });
    const { first, id, state, clock } = stage;
    const token = createOrderToken();
    const order = { version: 1, kind, id, ...toAccountMark(first.me()), at: clock.now(), owner: "gone" } as const;
    await first.orderJournal.write(token, order);
    await first.orderJournal.note(token, "sent");
    Object.assign(state, { deletes: 1, ...says });
    first.orders.wake();
    const isOpen = async () => (await first.orderJournal.readOpen()).length > 0;
    return { ...stage, isOpen, notices: () => first.orderNotices.map((one) => one.kind) };
  }

  for (const kind of ["destroy", "stop"] as const)
    test(`stays open as long as the service says nothing, and isn't sent again by then: ${kind}`, async () => {
      const { state, sent, pass, isOpen, notices } = await withLeft({ answers: "fails", lists: "fails" }, kind);
      await pass(13);
      assert.deepEqual([await isOpen(), notices(), sent, state.deletes], [true, [], [], 1]);
      await pass(3);
      assert.deepEqual(
        [await isOpen(), notices(), sent, state.deletes],
        [true, ["stale"], [], 1],
        "its person is told",
      );
    });

  test("isn't over because answers lack the instance while lists have it, and is sent again when it is back", async () => {
    const { state, pass, passUntil, there, isOpen, notices } = await withLeft({ answers: "none" });
    await pass(5);
    assert.deepEqual([await isOpen(), there(), notices(), state.deletes], [true, true, [], 1]);
    state.answers = "sound";
    await passUntil(() => !there(), "it is destroyed");
    await passUntil(() => notices().length > 0, "it is told");
    assert.deepEqual([notices(), state.deletes], [["finished"], 2]);
  });

  test("is over once an answer and a whole list lack it", async () => {
    const { state, passUntil, isOpen, notices } = await withLeft({ answers: "none", lists: "none" });
    await passUntil(async () => !(await isOpen()), "it is over");
    assert.deepEqual([notices(), state.deletes], [[], 1]);
  });
});

describe("an auto-stop whose destroy lost its answer", () => {
  for (const lists of ["sound", "none"] as const)
    test(`isn't over because answers lack its instance for a while, and ${lists === "none" ? "so do lists" : "lists have it"}`, async () => {
      const { first, id, during, state, clock, passUntil, there } = await withLostAnswer({ isLost: false, count: 2 });
      state.after = () => {
        Object.assign(state, { answers: "none", lists });
        // Two that lack it for that long, and a whole list, would be proof.
        const seconds = lists === "none" ? 40 : 240;
        void clock.sleep(seconds * 1000).then(() => Object.assign(state, { answers: "sound", lists: "sound" }));
      };
      await during(first.autoStops.set(first.me(), { id }, { hours: 0.5, ending: "destroy" }));
      await passUntil(() => state.deletes > 0, "it is destroyed for the first time");
      assert.ok(there());
      await passUntil(() => !there(), "it is destroyed when it is back");
      assert.equal(state.deletes, 2);
    });

  test("is over once it is sure that its instance is gone, and says so once", async () => {
    const { first, id, during, state, passUntil, there } = await withLostAnswer();
    const told: string[] = [];
    first.autoStops.onNotice((notice) => void told.push(notice.kind === "ended" ? notice.result.outcome : notice.kind));
    await during(first.autoStops.set(first.me(), { id }, { hours: 0.5, ending: "destroy" }));
    await passUntil(() => first.autoStops.findAutoStop({ id }) === undefined, "it is over");
    assert.deepEqual([there(), state.deletes, told], [false, 1, ["soon", "done"]]);
  });
});

test("an idle timeout whose destroy lost its answer isn't over because answers lack its instance for a while", async () => {
  const { state, order, setLoad, clock, passUntil, there, during } = await withLostAnswer({ isLost: false, count: 1 });
  state.after = () => {
    Object.assign(state, { answers: "none", lists: "none" });
    void clock.sleep(40_000).then(() => Object.assign(state, { answers: "sound", lists: "sound" }));
  };
  setLoad(0);
  await during(order({ minutes: 20, ending: "destroy" }));
  await passUntil(() => state.deletes > 0, "it is destroyed for the first time");
  await passUntil(() => !there(), "it is destroyed when it is back");
});

test("an idle timeout isn't over because an answer and a list lack its instance for a moment, and is once it's gone", async () => {
  const { first, id, state, order, pass, passUntil, during, there, destroy } = await withLostAnswer({ isLost: false });
  const isOrdered = () => first.idleOrders.isOrdered(id);
  await during(order({ minutes: 600, ending: "destroy" }));
  Object.assign(state, { answers: "none", lists: "none", asked: 0 });
  await first.instances.collection.refresh();
  await pass(0.6);
  assert.ok(state.asked > 0, "the service was asked");
  Object.assign(state, { answers: "sound", lists: "sound" });
  await first.instances.collection.refresh();
  await pass(5);
  assert.ok(isOrdered());
  state.deletes = 1;
  await during(destroy());
  assert.ok(!there());
  await passUntil(() => !isOrdered(), "it is over");
});
