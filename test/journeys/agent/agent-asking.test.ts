// How a person is asked for an agent: one question at a time, only while the agent waits, and with all of their time.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../../src/domain/base/error.ts";
import { waitForAbort } from "../../../src/lib/clock.ts";
import { needsPerson } from "../../../src/services/agent/agent-asking.ts";
import { loginQuietly } from "../../../src/services/connection/quiet-login.ts";
import { signInForRuns, skip } from "../run-machine.ts";
import { eventually } from "../support.ts";
import { rentElsewhere } from "../written.ts";
import { agentWindow, NEVER } from "./agent-window.ts";

const asksForPerson = (error: unknown) => error instanceof AppError && needsPerson(error);
const MINUTE = 60_000;

describe("whoever said no twice in a row", () => {
  const [yes, no] = [async () => true, async () => false];

  test("isn't asked again for a while, which grows, and which the agent is told", async () => {
    const { asking, pass } = await agentWindow();
    assert.equal(await asking.ask(no, NEVER), false);
    assert.equal(await asking.ask(no, NEVER), false, "once may be a slip");
    for (const minutes of [1, 5, 30, 30]) {
      await assert.rejects(asking.ask(yes, NEVER), (error) => {
        assert.ok(error instanceof AppError && !needsPerson(error));
        assert.match(error.message, new RegExp(`said no \\d times in a row, .* for ${minutes} min`));
        return true;
      });
      await pass(minutes * MINUTE - 1000);
      assert.throws(() => asking.assertMayAsk(), /for 1 min/);
      await pass(2000);
      assert.equal(await asking.ask(no, NEVER), false);
    }
  });

  test("is asked as before once they agreed to something", async () => {
    const { asking, pass } = await agentWindow();
    for (const answer of [no, no]) await asking.ask(answer, NEVER);
    await pass(2 * MINUTE);
    assert.equal(await asking.ask(yes, NEVER), true);
    assert.equal(await asking.ask(no, NEVER), false);
    assert.equal(await asking.ask(yes, NEVER), true);
  });
});

describe("a question for an agent", () => {
  test("that only a message is left of isn't in the way of the next one, once the agent has gone", async () => {
    const { asking, settle } = await agentWindow();
    const first = asking.ask(({ over }) => waitForAbort(over), NEVER);
    await assert.rejects(
      asking.ask(async () => true, NEVER),
      /still shows an earlier question/,
    );
    await assert.rejects(settle(first), asksForPerson);
    assert.equal(await asking.ask(async () => true, NEVER), true);
  });

  test("is over for the agent by its own signal, too, and what is answered then is told as late", async () => {
    const { asking, pass, late } = await agentWindow();
    const [answer, abort] = [Promise.withResolvers<boolean>(), new AbortController()];
    const asked = asking.ask(() => answer.promise, abort.signal);
    await pass(1000);
    abort.abort();
    await assert.rejects(asked, { kind: "cancelled" });
    assert.throws(() => asking.assertMayAsk(), asksForPerson, "its dialog is still there");
    answer.resolve(true);
    await pass(1000);
    assert.deepEqual(late, ["one"]);
    asking.assertMayAsk();
  });

  test("is left if the computer slept, or its clock was set, while it was open", async () => {
    const { asking, shift, late } = await agentWindow();
    for (const minutes of [10, -10]) {
      const sleeping = async () => {
        shift(minutes * MINUTE);
        return true;
      };
      await assert.rejects(asking.ask(sleeping, NEVER), asksForPerson, `${minutes}`);
    }
    assert.deepEqual(late, ["one", "one"]);
    assert.equal(await asking.ask(async () => true, NEVER), true);
  });

  test("that waits for someone to come to the window isn't said to be in sight", async () => {
    const { asking, attention, pass } = await agentWindow();
    attention.focused = false;
    const asked = asking.ask(async () => true, NEVER);
    assert.throws(() => asking.assertMayAsk(), /isn't in front/);
    attention.focused = true;
    attention.changes.fire();
    assert.equal(await asked, true);
    await pass(1000);
    asking.assertMayAsk();
  });

  test("is put only while the agent waits, though someone comes to the window later", async () => {
    const { asking, attention, pass } = await agentWindow();
    attention.focused = false;
    const abort = new AbortController();
    let puts = 0;
    const asked = asking.ask(async () => {
      puts += 1;
      return true;
    }, abort.signal);
    await pass(MINUTE / 2);
    abort.abort();
    await assert.rejects(asked, { kind: "cancelled" });
    attention.focused = true;
    attention.changes.fire();
    await pass(MINUTE);
    assert.equal(puts, 0);
  });
});

test("a login for an agent needs the person where none of their keys is admitted, and asks for none", {
  skip,
}, async () => {
  const window = await signInForRuns();
  const id = await rentElsewhere(window);
  const { world } = window.service;
  const isRunning = () =>
    world.listInstances().some((one) => one.id === id && world.toRecord(one).actual_status === "running");
  await eventually(isRunning, "it runs");
  await assert.rejects(loginQuietly(window, window.me(), id, NEVER), asksForPerson);
  await window.connections.addKey(window.me(), id, window.mine);
  assert.equal((await loginQuietly(window, window.me(), id, NEVER)).id, id);
});
