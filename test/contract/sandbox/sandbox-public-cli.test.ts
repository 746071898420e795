// What only the public service's own command line asks, as it sends it: one row a request, good ones and bad ones. Nothing of it is
// called by the product.
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { KEY_IDS } from "../../../src/sandbox/world/keys.ts";
import { assertRefused } from "../support/fields.ts";
import { type Answer, Bench, type Json } from "../support/sandbox.ts";
import { until } from "../support/ssh.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.start();
});
afterEach(() => bench.sandbox.stop());

const image = "pytorch/pytorch";
/** What the command line puts into every request for a rental, null where nothing was given. */
const CREATE = {
  ...{
    client_id: "me",
    image,
    env: {},
    price: null,
    disk: 16,
    label: null,
    extra: null,
    onstart: null,
    image_login: null,
  },
  ...{
    python_utf8: false,
    lang_utf8: false,
    use_jupyter_lab: false,
    jupyter_dir: null,
    force: false,
    cancel_unavail: false,
  },
  ...{ template_hash_id: null, user: null, runtype: "ssh" },
};
/** What it adds to every search. */
const SEARCH = {
  ...{ verified: { eq: true }, external: { eq: false }, rentable: { eq: true } },
  ...{ order: [["score", "desc"]], type: "on-demand", allocated_storage: 16 },
};
/** What it sends to change an endpoint, null where nothing was given. */
const CHANGE = {
  ...{ client_id: "me", min_load: null, min_cold_load: null, target_util: null, cold_mult: null, cold_workers: null },
  ...{
    max_workers: null,
    endpoint_name: null,
    endpoint_state: null,
    max_queue_time: null,
    autoscaler_instance: "prod",
  },
};

const world = () => bench.sandbox.world;
const count = () => world().listInstances().length;
const put = (path: string, body: unknown) => bench.ask("PUT", path, { body });
const bulk = (body: unknown) => bench.ask("POST", "/api/v0/asks/bulk/", { body });
const launch = (q: unknown, more: Json = {}) => put("/api/v0/launch_instance/", { ...CREATE, q, ...more });
const remove = (path: string) => bench.ask("DELETE", path, { body: { client_id: "me" } });
const endpoints = async () => (await bench.ask("GET", "/api/v0/endptjobs/")).body.results as Json[];
const groups = async () => (await bench.ask("GET", "/api/v0/autojobs/")).body.results as Json[];
const foreignMachine = () => world().offers.find(({ machine }) => machine !== world().ownMachine)?.machine.id;
/** Offers that don't share a GPU: the cheapest of as many machines. */
const free = (number: number) => {
  const taken = new Set<unknown>();
  return Array.from({ length: number }, () => {
    const offer = bench.freeOffer(({ machine }) => !taken.has(machine));
    taken.add(offer.machine);
    return offer;
  });
};

describe("each request of the public command line is carried out", () => {
  const rows: [command: string, send: () => Promise<Answer>, judge: (body: Json) => unknown][] = [
    [
      "search offers --new",
      () => put("/api/v0/search/asks/", { select_cols: ["*"], q: { ...SEARCH, limit: 3 } }),
      async ({ offers }) => assert.deepEqual(offers, await bench.offers({ ...SEARCH, limit: 3 })),
    ],
    [
      "search offers by the address",
      () => {
        const q = JSON.stringify({ ...SEARCH, limit: 2 });
        return bench.ask("GET", "/api/v0/bundles/", { query: { q, select_cols: '["id","gpu_name"]' } });
      },
      async ({ offers }) => {
        const found = await bench.offers({ ...SEARCH, limit: 2 });
        assert.deepEqual(
          offers,
          found.map(({ id, gpu_name }) => ({ id, gpu_name })),
        );
      },
    ],
    [
      "search offers by the address, with nothing asked",
      () => bench.ask("GET", "/api/v0/bundles/"),
      async ({ offers }) => assert.deepEqual(offers, await bench.offers({})),
    ],
    [
      "create instances",
      () => bulk({ ...CREATE, ids: free(2).map(({ id }) => id), label: "pair" }),
      async ({ success, results, created, failed, elapsed }) => {
        assert.deepEqual([success, created, failed, count()], [true, 2, 0, 2]);
        assert.equal(typeof elapsed, "number");
        for (const row of results as Json[]) {
          assert.deepEqual(Object.keys(row), ["ask_id", "success", "new_contract", "state"]);
          assert.equal(world().findInstance(row.new_contract as number)?.offer.id, row.ask_id);
          assert.equal((await bench.instance(row.new_contract)).label, "pair");
        }
      },
    ],
    [
      "create instances, one of them gone",
      () => bulk({ ...CREATE, ids: [bench.freeOffer().id, 12345] }),
      ({ success, results, created, failed }) => {
        assert.deepEqual([success, created, failed, count()], [false, 1, 1, 1]);
        const { ask_id, success: done, error, msg } = (results as Json[])[1] ?? {};
        assert.deepEqual([ask_id, done, error], [12345, false, "invalid_args"]);
        assert.match(String(msg), /no_such_ask/);
      },
    ],
    [
      "launch instance",
      () => launch({ ...SEARCH, num_gpus: { eq: "1" }, disk_space: { gte: "16.0" }, limit: 3 }),
      async ({ success, new_contract }) => {
        assert.equal(success, true);
        const offer = world().findInstance(new_contract as number)?.offer;
        assert.equal(offer?.gpuIds.length, 1);
        assert.equal((await bench.instance(new_contract)).image_uuid, image);
      },
    ],
    [
      "launch instance, whose first offer is gone",
      async () => {
        const [first] = await bench.offers(SEARCH);
        world().setFate(first?.id as number, "gone");
        return launch(SEARCH);
      },
      async ({ new_contract }) => {
        const found = world().findInstance(new_contract as number)?.offer;
        assert.ok(found && found.fate !== "gone");
      },
    ],
    [
      "launch instance, as a bid",
      () => launch({ ...SEARCH, type: "bid" }),
      ({ new_contract }) => assert.equal(world().findInstance(new_contract as number)?.type, "bid"),
    ],
    [
      "launch instance, where no offer is like that",
      () => launch({ ...SEARCH, num_gpus: { eq: 77 } }),
      ({ success, error, message }) => {
        assert.deepEqual([success, error, count()], [false, "offer_not_found", 0]);
        assert.match(String(message), /No offer/);
      },
    ],
    [
      "remove defjob",
      async () => {
        const { id } = world().ownMachine;
        const prices = { price_gpu: 1, price_inetu: 0, price_inetd: 0 };
        await put("/api/v0/machines/create_bids/", { machine: id, image, ...prices });
        assert.ok(world().jobs.has(id));
        return remove(`/api/v0/machines/${id}/defjob/`);
      },
      (body) => {
        const { id } = world().ownMachine;
        assert.deepEqual(body, { success: true, machine_id: id, user_id: world().account.id });
        assert.equal(world().jobs.size, 0);
      },
    ],
    [
      "create endpoint",
      () => bench.ask("POST", "/api/v0/endptjobs/", { body: { ...CHANGE, endpoint_name: "LLama", cold_workers: 2 } }),
      async ({ success, result }) => {
        assert.equal(success, true);
        const made = (await endpoints()).find(({ id }) => id === result);
        const { endpoint_name, cold_workers, target_util, max_workers, endpoint_state } = made ?? {};
        assert.deepEqual(
          { endpoint_name, cold_workers, target_util, max_workers, endpoint_state },
          { endpoint_name: "LLama", cold_workers: 2, target_util: 0.9, max_workers: 20, endpoint_state: "active" },
        );
      },
    ],
    [
      "show endpoints",
      () => bench.ask("GET", "/api/v0/endptjobs/"),
      async ({ results }) => {
        const of = (rows: readonly Json[], id: string, name: string) =>
          new Map(rows.map((row) => [row[id], row[name]]));
        const rows = await groups();
        assert.deepEqual(
          of(results as Json[], "id", "endpoint_name"),
          of(rows, "endpoint_id", "endpoint_name"),
          "the endpoints of the workergroups",
        );
        assert.deepEqual(of(results as Json[], "id", "api_key"), of(rows, "endpoint_id", "api_key"));
      },
    ],
    [
      "update endpoint",
      async () => {
        const [{ id } = {}] = await endpoints();
        return put(`/api/v0/endptjobs/${id}/`, {
          ...CHANGE,
          min_load: 7,
          endpoint_name: "other",
          endpoint_state: "stopped",
        });
      },
      async () => {
        const [{ id, min_load, cold_mult, endpoint_name, endpoint_state } = {}] = await endpoints();
        assert.deepEqual([min_load, cold_mult, endpoint_name, endpoint_state], [7, 2.5, "other", "stopped"]);
        const names = (await groups()).flatMap((row) => (row.endpoint_id === id ? [row.endpoint_name] : []));
        assert.deepEqual(new Set(names), new Set(["other"]), "its workergroups name it likewise");
      },
    ],
    [
      "delete endpoint",
      async () => remove(`/api/v0/endptjobs/${(await endpoints())[0]?.id}/`),
      async () => {
        const [left, ...others] = await endpoints();
        assert.deepEqual(others, []);
        assert.deepEqual(new Set((await groups()).map((row) => row.endpoint_id)), new Set([left?.id]));
      },
    ],
    [
      "delete workergroup",
      async () => remove(`/api/v0/autojobs/${(await groups())[0]?.id}/`),
      async () => assert.deepEqual([(await groups()).length, (await endpoints()).length], [2, 2]),
    ],
  ];
  for (const [command, send, judge] of rows)
    test(command, async () => {
      const { status, body } = await send();
      assert.equal(status, 200, JSON.stringify(body));
      await judge(body);
    });

  test("recycle instance: the image is pulled again, the place is kept, and no more is billed than for any start", async () => {
    const { id } = await bench.created({ image });
    bench.clock.advance(200);
    assert.deepEqual((await put(`/api/v0/instances/recycle/${id}/`, {})).body, { success: true });
    const seen: unknown[] = [];
    for (let second = 0; second < 120; second += 1) {
      const { actual_status } = await bench.instance(id);
      if (seen.at(-1) !== actual_status) seen.push(actual_status);
      bench.clock.advance(1);
    }
    assert.deepEqual(seen, ["recycling", "created", "loading", "running"]);
    assert.equal(world().findInstance(id as number)?.held, true);
  });
});

describe("what the public command line gets wrong is refused, and nothing is done", () => {
  const rows: [title: string, send: () => Promise<Answer>, status: number, says: RegExp][] = [
    ["a search for no object", () => put("/api/v0/search/asks/", { q: [] }), 400, /must be dict of conditions/],
    ["a search for a field nobody has", () => put("/api/v0/search/asks/", { q: { colour: {} } }), 400, /colour/],
    ["columns that are none", () => put("/api/v0/search/asks/", { q: {}, select_cols: "id" }), 400, /select_cols/],
    [
      "q that is no JSON",
      () => bench.ask("GET", "/api/v0/bundles/", { query: { q: "{" } }),
      400,
      /q is not valid JSON/,
    ],
    ["no ids", () => bulk({ ...CREATE }), 400, /ids must be a list of 1 to 64 offer ids/],
    ["65 ids", () => bulk({ ...CREATE, ids: Array.from({ length: 65 }, (_, id) => id + 1) }), 400, /1 to 64/],
    ["several without an image", () => bulk({ ...CREATE, image: null, ids: [bench.freeOffer().id] }), 400, /image/],
    ["a launch without an image", () => launch(SEARCH, { image: null }), 400, /image/],
    ["a launch without a search", () => launch(null), 400, /must be dict of conditions/],
    ["a launch of more disk than there is", () => launch({ ...SEARCH, limit: 1 }, { disk: 1e9 }), 400, /disk must be/],
    ["a recycled instance nobody has", () => put("/api/v0/instances/recycle/12345/", {}), 404, /12345 does not exist/],
    ["jobs of a machine nobody has", () => remove("/api/v0/machines/1/defjob"), 404, /^No such machine id$/],
    [
      "jobs of another host's machine",
      () => remove(`/api/v0/machines/${foreignMachine()}/defjob`),
      403,
      /only the owner/,
    ],
    ["an endpoint nobody has", () => remove("/api/v0/endptjobs/1/"), 404, /^Endpoint 1 for user \d+ not found\.$/],
    ["a change of it", () => put("/api/v0/endptjobs/1/", CHANGE), 404, /^Endpoint 1 for user \d+ not found\.$/],
    ["a workergroup nobody has", () => remove("/api/v0/autojobs/1/"), 404, /^No autojob by that id is available\.$/],
  ];
  const wrong: [field: string, value: unknown][] = [
    ["target_util", 1.1],
    ["target_util", 0],
    ["min_load", -1],
    ["cold_workers", 1.5],
    ["max_workers", "20"],
    ["endpoint_name", ""],
    ["endpoint_state", "asleep"],
  ];
  for (const [field, value] of wrong)
    rows.push([
      `an endpoint with ${field} ${JSON.stringify(value)}`,
      () => bench.ask("POST", "/api/v0/endptjobs/", { body: { ...CHANGE, [field]: value } }),
      400,
      new RegExp(`${field} must be`),
    ]);
  for (const [title, send, status, says] of rows)
    test(title, async () => {
      const before = [count(), await endpoints(), await groups()];
      assertRefused(await send(), status, says);
      assert.deepEqual([count(), await endpoints(), await groups()], before);
    });

  test("an instance that does not run is not recycled: a 200 that says so", async () => {
    const { id } = await bench.created({ image });
    const { status, body } = await put(`/api/v0/instances/recycle/${id}/`, {});
    assert.deepEqual([status, body.success, body.error], [200, false, "invalid_id"]);
    assert.match(String(body.msg), /Is the container started\?/);
  });

  test("a list of no endpoints is a 400 that says whose", async () => {
    for (const { id } of await endpoints()) await remove(`/api/v0/endptjobs/${id}/`);
    const answer = await bench.ask("GET", "/api/v0/endptjobs/");
    assertRefused(answer, 400, `No endpoints for user ${world().account.id} found.`);
    assert.deepEqual(await groups(), []);
  });

  test("without credit nothing is rented", async () => {
    world().account.credit = 0;
    const { success, created, results } = (await bulk({ ...CREATE, ids: [bench.freeOffer().id] })).body;
    assert.deepEqual([success, created], [false, 0]);
    assert.match(JSON.stringify(results), /You lack credit/);
    assertRefused(await launch(SEARCH), 400, /You lack credit/);
    assert.equal(count(), 0);
  });

  const needs: [method: string, path: string, permission: string][] = [
    ["POST", "/api/v0/asks/bulk/", "instance_write"],
    ["PUT", "/api/v0/launch_instance/", "instance_write"],
    ["PUT", "/api/v0/instances/recycle/1/", "instance_write"],
    ["DELETE", "/api/v0/machines/1/defjob", "machine_write"],
    ["POST", "/api/v0/endptjobs/", "user_write"],
    ["PUT", "/api/v0/endptjobs/1/", "user_write"],
    ["DELETE", "/api/v0/endptjobs/1/", "user_write"],
    ["DELETE", "/api/v0/autojobs/1/", "user_write"],
  ];
  for (const [method, path, permission] of needs)
    test(`${method} ${path} needs ${permission}`, async () => {
      const key = world().keys.getText(KEY_IDS.readOnly) ?? "";
      assertRefused(await bench.ask(method, path, { key, body: {} }), 403, new RegExp(permission));
    });

  test("a call too early is refused where calls are paced", async () => {
    const paced = await Bench.start({ rateLimits: true });
    const early = async () => {
      const body = JSON.stringify({ q: {} });
      const headers = { authorization: `Bearer ${paced.sandbox.apiKey}` };
      const answer = await fetch(`${paced.sandbox.url}/api/v0/launch_instance/`, { method: "PUT", headers, body });
      return [answer.status, await answer.text()];
    };
    assert.equal((await early())[0], 400);
    assert.deepEqual(await early(), [429, "API requests too frequent: endpoint threshold=5.0"]);
    await paced.sandbox.stop();
  });

  test("the own key of an instance rents nothing and reads no endpoint", async () => {
    const { id } = await bench.created({ image });
    const key = world().getInstanceKey({ id: id as number });
    const others = free(1).map((offer) => offer.id);
    assertRefused(await bench.ask("POST", "/api/v0/asks/bulk/", { key, body: { ...CREATE, ids: others } }), 403, /./);
    assertRefused(await bench.ask("PUT", `/api/v0/instances/recycle/${id}/`, { key, body: {} }), 403, /./);
    assertRefused(await bench.ask("GET", "/api/v0/endptjobs/", { key }), 403, /./);
  });
});

describe("the faults of create strike both other ways to rent", () => {
  const ways: [
    name: string,
    endpoint: "createInstances" | "launchInstance",
    send: (signal?: AbortSignal) => Promise<Answer>,
    rentals: (body: Json) => readonly Json[],
  ][] = [
    [
      "create instances",
      "createInstances",
      (signal) =>
        bench.ask("POST", "/api/v0/asks/bulk/", { body: { ...CREATE, ids: free(2).map(({ id }) => id) }, signal }),
      ({ results }) => results as Json[],
    ],
    [
      "launch instance",
      "launchInstance",
      (signal) => bench.ask("PUT", "/api/v0/launch_instance/", { body: { ...CREATE, q: SEARCH }, signal }),
      (body) => [body],
    ],
  ];
  for (const [name, endpoint, send, rentals] of ways) {
    for (const fault of ["create-lost", "late-execution", `reset-after@${endpoint}`] as const)
      test(`${name}, ${fault}: no answer, and rented all the same`, async () => {
        bench.sandbox.faults.add(fault);
        await assert.rejects(send(AbortSignal.timeout(1000)));
        await until("rented", () => count() > 0);
      });
    const changed: [
      "success-true-without-id" | "success-false-with-id" | "id-as-string" | "id-of-other",
      (row: Json) => void,
    ][] = [
      ["success-true-without-id", (row) => assert.deepEqual([row.success, "new_contract" in row], [true, false])],
      ["success-false-with-id", (row) => assert.ok(row.success === false && Number.isInteger(row.new_contract))],
      ["id-as-string", (row) => assert.match(row.new_contract as string, /^\d+$/)],
      ["id-of-other", (row) => assert.equal(world().findInstance(row.new_contract as number), undefined)],
    ];
    for (const [fault, judge] of changed)
      test(`${name}, ${fault}: of each rental`, async () => {
        bench.sandbox.faults.add(fault);
        const rows = rentals((await send()).body);
        assert.equal(rows.length, count());
        for (const row of rows) judge(row);
      });
    test(`${name}, twice: rented twice`, async () => {
      bench.sandbox.faults.add("twice");
      const rows = rentals((await send()).body);
      assert.equal(count(), 2 * rows.length);
    });
  }
});
