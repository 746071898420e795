// The one way to call an endpoint, on a clock that jumps: what is waited for, how often it is tried, and what ends it.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { RequestListener } from "node:http";
import type { Socket } from "node:net";
import { describe, test } from "node:test";
import { Caller } from "../../../src/api/call.ts";
import type { ClientOptions } from "../../../src/api/client.ts";
import { AppError } from "../../../src/domain/base/error.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { BODY, failsAs, ID, OFFER, serve } from "./hostile.ts";

const KEY = "test-key-0123456789";

/** Time that passes only by sleeping, which takes none, and how long was slept. */
function jumpingClock(start = 1_000_000) {
  let time = start;
  const slept: number[] = [];
  const clock: Clock = {
    now: () => time,
    elapsed: () => time,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      slept.push(ms);
      time += ms;
    },
  };
  const pass = (ms: number) => {
    time += ms;
  };
  return { clock, slept, pass };
}

/** A server that answers with one status after the other and then with the last one, and a client whose time jumps. */
async function answering(
  statuses: readonly number[],
  options: Partial<ClientOptions> & { readonly retryAfter?: string; readonly text?: string } = {},
) {
  const { retryAfter, text = "{}", ...rest } = options;
  const left = [...statuses];
  const listener: RequestListener = (_, response) => {
    const status = (left.length > 1 ? left.shift() : left[0]) ?? 200;
    if (retryAfter !== undefined && status !== 200) response.setHeader("retry-after", retryAfter);
    response.writeHead(status).end(status === 200 ? text : "");
  };
  const time = jumpingClock();
  return { ...time, ...(await serve(listener, { clock: time.clock, ...rest })) };
}

const OFFERS = { text: '{"offers":[]}' };
const INSTANCES = {
  text: '{"success":true,"instances":[],"instances_found":0,"total_instances":0,"next_token":null}',
};

describe("a read that fails", () => {
  test("is tried three times, each pause twice the one before, times the client's patience", async (context) => {
    context.mock.method(Math, "random", () => 0.25);
    const one = await answering([500]);
    await failsAs(one.client.searchOffers({}), "server");
    assert.deepEqual([one.count(), one.slept], [3, [187.5, 375]]);
    const two = await answering([500], { patience: 2 });
    await failsAs(two.client.searchOffers({}), "server");
    assert.deepEqual(two.slept, [375, 750]);
  });

  test("waits as long as the service asks, and then for its pause", async (context) => {
    context.mock.method(Math, "random", () => 0.25);
    for (const status of [429, 503]) {
      const { client, count, slept } = await answering([status, status, 200], { ...OFFERS, retryAfter: "3" });
      await client.searchOffers({});
      assert.deepEqual([count(), slept], [3, [3187.5, 3375]], String(status));
    }
    const patient = await answering([429, 200], { ...OFFERS, retryAfter: "3", patience: 2 });
    await patient.client.searchOffers({});
    assert.deepEqual(patient.slept, [6375]);
  });

  test("is not tried again where it could not start in time: it keeps its own reason", async (context) => {
    context.mock.method(Math, "random", () => 0.5);
    const late = await answering([503, 200], { ...OFFERS, retryAfter: "22.2501" });
    await failsAs(late.client.searchOffers({}), "server");
    assert.deepEqual([late.count(), late.slept], [1, []]);
    const early = await answering([503, 200], { ...OFFERS, retryAfter: "22.25" });
    await early.client.searchOffers({});
    assert.deepEqual([early.count(), early.slept], [2, [22_500]]);
    const time = jumpingClock();
    const slow = await serve(
      (_, response) => {
        time.pass(25_000);
        response.writeHead(500).end();
      },
      { clock: time.clock },
    );
    await failsAs(slow.client.searchOffers({}), "server");
    assert.equal(slow.count(), 1);
  });

  test("is not tried again where the service has said what is wrong", async () => {
    for (const status of [400, 401, 403, 404]) {
      const { client, count, slept } = await answering([status]);
      await assert.rejects(client.searchOffers({}), AppError);
      assert.deepEqual([count(), slept], [1, []], String(status));
    }
  });

  test("keeps its reason behind its sentence", async () => {
    const { client } = await answering([400]);
    const error = await failsAs(client.searchOffers({}), "rejected");
    assert.ok(error.cause instanceof AppError);
    assert.deepEqual([error.facts.operation, error.facts.status], ["searchOffers", 400]);
  });
});

describe("a turn", () => {
  test("is waited for between two calls of one endpoint, not of two", async () => {
    const { client, slept } = await answering([200], { ...OFFERS, pace: 1 });
    await client.searchOffers({});
    await client.searchOffers({});
    assert.deepEqual(slept, [2000]);
    const other = await answering([200], { ...OFFERS, pace: 0.5 });
    await other.client.searchOffers({});
    await other.client.getInstance(ID).catch(() => undefined);
    await other.client.searchOffers({});
    assert.deepEqual(other.slept, [1000]);
  });

  test("comes later after a service asked to slow down, also for what is sent once", async () => {
    const { client, count, slept } = await answering([429, 200], { retryAfter: "3", text: '{"success":true}' });
    await failsAs(client.destroyInstance(ID), "too-fast");
    assert.deepEqual([count(), slept], [1, []]);
    await client.destroyInstance(ID);
    assert.deepEqual([count(), slept], [2, [3000]]);
    const patient = await answering([429, 200], { retryAfter: "3", text: '{"success":true}', patience: 0.5 });
    await failsAs(patient.client.destroyInstance(ID), "too-fast");
    await patient.client.destroyInstance(ID);
    assert.deepEqual(patient.slept, [1500]);
  });

  test("that would leave less than a quarter of its time is not waited for, and nothing is sent", async () => {
    const { client, count, slept, pass } = await answering([429, 200], { ...OFFERS, retryAfter: "60" });
    await failsAs(client.searchOffers({}), "too-fast");
    const refused = await failsAs(client.searchOffers({}), "too-fast", /^Too many requests\. Try again in 60 s\.$/);
    assert.deepEqual([refused.facts.notSent, refused.facts.retryAfter], [true, 60]);
    pass(37_499);
    assert.equal((await failsAs(client.searchOffers({}), "too-fast")).facts.retryAfter, 23);
    assert.equal(count(), 1);
    pass(1);
    await client.searchOffers({});
    assert.deepEqual([count(), slept], [2, [22_500]]);
  });

  test("comes although a pause took longer than it should: a suspended computer is not a busy service", async () => {
    const time = jumpingClock();
    const sleep: Clock["sleep"] = async (ms) => time.pass(ms + 25_000);
    const { client, count } = await answering([500, 200], { ...OFFERS, clock: { ...time.clock, sleep } });
    await client.searchOffers({});
    assert.equal(count(), 2);
  });

  test("is a share of the time the client has: less time, less waiting", async () => {
    const { client, pass } = await answering([429, 200], { ...OFFERS, retryAfter: "60", within: 0.5 });
    await failsAs(client.searchOffers({}), "too-fast");
    pass(48_749);
    await failsAs(client.searchOffers({}), "too-fast");
    pass(1);
    await client.searchOffers({});
  });
});

test("gaps that a busy service widened shrink back to the endpoint's own", async () => {
  const { client, slept } = await answering([429, 200], { ...OFFERS, pace: 1, retryAfter: "0" });
  for (let time = 0; time < 12; time += 1) await client.searchOffers({});
  assert.ok(slept.includes(3000 * 0.9), "wider at first");
  assert.equal(slept.at(-1), 2000);
});

describe("an extra that looks missing", () => {
  test("is looked at three times without waiting for its turn", async () => {
    const { client, slept, count } = await answering([404, 404, 200], { ...INSTANCES, pace: 1 });
    await client.listInstances(undefined);
    assert.deepEqual([count(), slept], [3, [200, 400]]);
    const patient = await answering([404, 200], { ...INSTANCES, patience: 3 });
    await patient.client.listInstances(undefined);
    assert.deepEqual(patient.slept, [600]);
  });

  test("fails, and is not believed missing, where there is no time for another look", async (context) => {
    context.mock.method(Math, "random", () => 0.5);
    const { client, slept, count } = await answering([404], { ...INSTANCES, patience: 150 });
    const error = await failsAs(client.listInstances(undefined), "unexpected-reply", /temporarily unavailable/);
    assert.deepEqual([count(), slept, error.facts.status], [1, [], 404]);
    const quick = await answering([404, 200], { ...INSTANCES, patience: 149 });
    await quick.client.listInstances(undefined);
    assert.equal(quick.count(), 2);
  });

  test("and is believed missing is not asked for, and nothing is sent", async () => {
    const { client, count } = await answering([404]);
    await failsAs(client.getSpendRate(), "unsupported");
    assert.equal(count(), 3);
    const error = await failsAs(client.getSpendRate(), "unsupported", /^This service doesn't support that\.$/);
    assert.deepEqual([error.facts.notSent, count()], [true, 3]);
  });

  test("is asked once where asking spends or destroys", async () => {
    const { client, slept, count } = await answering([404]);
    await failsAs(client.destroyInstances([ID]), "unsupported");
    assert.deepEqual([count(), slept], [1, []]);
  });

  test("waits for a turn again after a failure of another kind", async (context) => {
    context.mock.method(Math, "random", () => 0.5);
    const { client, slept, count } = await answering([404, 500, 404, 200], { ...INSTANCES, pace: 1 });
    await client.listInstances(undefined);
    const [first, pause, turn, again] = slept;
    assert.deepEqual([count(), first, pause, again, slept.length], [4, 200, 250, 200, 4]);
    assert.ok((turn ?? 0) > 0, "its turn");
  });
});

describe("leaving a call", () => {
  const caller = (url: string, clock: Clock) => new Caller({ baseUrl: url, apiKey: KEY, pace: 1, clock });

  test("during a pause, for whatever reason, cancels it", async () => {
    const leaving = new AbortController();
    const { clock } = jumpingClock();
    const reason = new Error("gone for lunch");
    const { client } = await serve((_, response) => response.writeHead(500).end(), {
      clock: {
        ...clock,
        sleep: async (_, signal) => {
          leaving.abort(reason);
          signal?.throwIfAborted();
        },
      },
    });
    const error = await failsAs(client.searchOffers({}, leaving.signal), "cancelled", /^Canceled\.$/);
    assert.ok(error.cause instanceof AppError);
    assert.equal(error.cause.cause, reason);
  });

  test("does not hide what was wrong with it, nor a defect of ours", async () => {
    const { client } = await answering([200], OFFERS);
    await failsAs(client.searchOffers({ limit: -1 }, AbortSignal.abort()), "rejected", /Nothing was sent/);
    const broken = await serve((_, response) => response.writeHead(500).end(), {
      clock: { ...jumpingClock().clock, sleep: () => Promise.reject(new Error("no timers")) },
    });
    await failsAs(broken.client.searchOffers({}), "defect", /no timers/);
  });

  test("before its turn cancels it with nothing sent, also a call that is sent once", async () => {
    const { url, count } = await answering([200]);
    const { clock } = jumpingClock();
    for (const signal of [AbortSignal.abort(), AbortSignal.abort(new Error("no"))]) {
      const once = caller(url, clock).call("createInstance", { id: OFFER, body: BODY, signal });
      assert.equal((await failsAs(once, "cancelled", /^Canceled\.$/)).facts.notSent, true);
      const read = caller(url, clock).call("searchOffers", { body: {}, signal });
      assert.equal((await failsAs(read, "cancelled")).facts.notSent, true);
    }
    assert.equal(count(), 0);
  });

  test("by leaving the account calls back what waits for its turn, at once", async () => {
    const { clock } = jumpingClock();
    const forever = (_: number, signal?: AbortSignal) =>
      new Promise<void>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    const { client, count } = await answering([200], {
      text: '{"success":true}',
      pace: 1,
      clock: { ...clock, sleep: forever },
    });
    await client.destroyInstance(ID);
    const waiting = client.destroyInstance(ID);
    client.close();
    assert.equal((await failsAs(waiting, "rejected", /switched accounts/)).facts.notSent, true);
    assert.equal(count(), 1);
  });

  test("after it left cancels a read, and not what spends", async () => {
    const leaving = new AbortController();
    const { url } = await serve((request, response) => {
      leaving.abort();
      if (request.method === "PUT") setTimeout(() => response.end('{"success":true,"new_contract":41}'), 100);
    });
    const { clock } = jumpingClock();
    const rented = await caller(url, clock).call("createInstance", { id: OFFER, body: BODY, signal: leaving.signal });
    assert.equal(rented.new_contract, 41);
    const again = new AbortController();
    const { url: silent } = await serve(() => again.abort());
    await failsAs(caller(silent, clock).call("searchOffers", { body: {}, signal: again.signal }), "cancelled");
  });
});

describe("a call has its own time", () => {
  test("and ends with it, however long the service is silent", async () => {
    const { client, count } = await answeringNothing({ within: 0.03 });
    await failsAs(client.searchOffers({}), "timeout");
    const reads = count();
    assert.ok(reads > 0);
    await failsAs(
      client.destroyInstance(ID),
      "outcome-unknown",
      /^Cloud GPU couldn't confirm whether this succeeded\./,
    );
    assert.equal(count() - reads, 1, "what destroys is sent once");
  });

  async function answeringNothing(options: Partial<ClientOptions>) {
    return await serve(() => {}, { clock: jumpingClock().clock, ...options });
  }
});

describe("connections", () => {
  test("are shared by reads; what spends or destroys has its own, and so has a read of an account that was left", async () => {
    const sockets = new Set<Socket>();
    const { client } = await serve((request, response) => {
      sockets.add(request.socket);
      response.end(request.method === "DELETE" ? '{"success":true}' : OFFERS.text);
    });
    const opened = async (call: () => Promise<unknown>) => {
      const before = sockets.size;
      for (let time = 0; time < 8; time += 1) await call();
      return sockets.size - before;
    };
    assert.ok((await opened(() => client.searchOffers({}))) <= 4);
    assert.equal(await opened(() => client.destroyInstance(ID)), 8);
    const closed = [...sockets].map((socket) => socket.destroyed || once(socket, "close"));
    client.close();
    await Promise.all(closed);
    assert.equal(await opened(() => client.searchOffers({})), 8);
  });
});

test("the log names the call, its outcome and its time, and nothing that was sent", async () => {
  const lines: string[] = [];
  const time = jumpingClock();
  const log = { ...silentLog, debug: (line: string) => void lines.push(line) };
  const { client } = await serve(
    (_, response) => {
      time.pass(1234.4);
      response.writeHead(lines.length === 0 ? 400 : 200).end('{"success":true,"new_contract":41}');
    },
    { clock: time.clock, log },
  );
  await failsAs(client.createInstance(OFFER, BODY), "rejected");
  assert.deepEqual(lines.splice(0), [
    "PUT /api/v0/asks/7/ (createInstance): 400, 1234 ms",
    "PUT /api/v0/asks/7/ (createInstance): rejected, 1234 ms",
  ]);
  lines.push("");
  await client.createInstance(OFFER, BODY);
  assert.deepEqual(lines, ["", "PUT /api/v0/asks/7/ (createInstance): 200, 1234 ms"]);
});

test("a service that repeats the key does not make it shown", async () => {
  const apiKey = "a-key-of-this-test-alone-987654";
  const { client } = await serve((_, response) => response.writeHead(400).end(`no: ${apiKey}`), { apiKey });
  const error = await failsAs(client.searchOffers({}), "rejected", /^no: /);
  assert.ok(!error.message.includes(apiKey));
});

test("a bad address or key makes no client", () => {
  assert.throws(() => new Caller({ baseUrl: "ftp://x", apiKey: KEY }), AppError);
  assert.throws(() => new Caller({ baseUrl: "http://127.0.0.1", apiKey: "" }), AppError);
});
