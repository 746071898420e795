// What counts as an answer: gone, done and none are believed only where the service says so, never because it says nothing.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Client } from "../../../src/api/client.ts";
import type { EndpointRow } from "../../../src/api/table/endpoint.ts";
import { endpoints } from "../../../src/api/table/endpoints.ts";
import { AppError, type ErrorKind } from "../../../src/domain/base/error.ts";
import type { InstanceId, OfferId, TemplateId } from "../../../src/domain/base/id.ts";
import { type Recorder, recorder } from "../support/recorder.ts";

const ID = 41 as InstanceId;

let server: Recorder;
before(async () => {
  server = await recorder();
});
after(() => server.stop());

async function fails(work: Promise<unknown>, kind: ErrorKind, operation: string): Promise<AppError> {
  const error = await work.then(
    (value) => assert.fail(`it should have failed, not answered ${JSON.stringify(value)}`),
    (thrown) => thrown,
  );
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.kind, kind, error.message);
  assert.equal(error.facts.operation, operation);
  return error;
}

type Said = readonly [what: string, status: number, body: string | object];

describe("4.4 get instance", () => {
  const says = async ([, status, body]: Said) => {
    server.answer(status, body);
    return server.client.getInstance(ID);
  };

  const GONE: readonly Said[] = [
    ["instances: null", 200, { instances: null }],
    ["instances: null with success", 200, { success: true, instances: null }],
    ["a 404 that names it", 404, { error: "no_such_instance", msg: "error 404/3592: Instance 41 does not exist." }],
    ["a 404 by its code alone", 404, { error: "no_such_instance", msg: "gone" }],
    ["a 410 that names it", 410, { error: "not_found", msg: "Instance 41 was destroyed." }],
    ["a 404 with another code that names it", 404, { error: "invalid_id", msg: "Invalid instance id 41" }],
  ];
  for (const said of GONE)
    test(`gone: ${said[0]}`, async () => {
      assert.equal(await says(said), undefined);
    });

  const NOTHING: readonly Said[] = [
    ["{}", 200, {}],
    ["an empty record", 200, { instances: {} }],
    ["an array", 200, []],
    ["an array of instances", 200, { instances: [{ id: 41 }] }],
    ["a record without an id", 200, { instances: { actual_status: "running", label: "x" } }],
    ["a record with an id that cannot be read", 200, { instances: { id: "x" } }],
    ["an error in a 200", 200, { error: "not_found", msg: "Instance 41 does not exist" }],
    ["an error beside null", 200, { instances: null, error: "internal" }],
    ["another instance", 200, { instances: { id: 42, actual_status: "running" } }],
    ["a bare 404", 404, ""],
    ["a gateway's 404", 404, "<html><h1>404 Not Found</h1></html>"],
    ["a bare not_found", 404, { error: "not_found", msg: "Not Found" }],
    ["a framework's 404", 404, { detail: "Not Found" }],
    ["a 404 in plain text that names it", 404, "Instance 41 not found"],
    ["a 404 that names another instance", 404, { error: "no_such_instance", msg: "Instance 42 does not exist." }],
    ["a 404 that names a longer id", 404, { error: "not_found", msg: "Instance 4100 does not exist." }],
    ["a bare 410", 410, "{}"],
  ];
  for (const said of NOTHING)
    test(`no answer: ${said[0]}`, async () => {
      await fails(says(said), "unexpected-reply", "getInstance");
    });

  test("no answer: a router without the path", async () => {
    const body = { error: "no_such_path", msg: "No such path /api/v0/instances/41/" };
    await fails(says(["", 404, body]), "unexpected-reply", "getInstance");
  });
});

describe("destroying what is gone", () => {
  const destroys = async (status: number, body: string | object) => {
    server.answer(status, body);
    return server.client.destroyInstance(ID);
  };
  test("is said to be missing where the service names the instance: one answer may be behind", async () => {
    const said = { success: false, error: "no_such_instance", msg: "Instance 41 does not exist." };
    assert.equal(await destroys(404, said), "missing");
  });
  for (const [what, status, body] of [
    ["a bare 404", 404, ""],
    ["a gateway's page", 404, "<html>404</html>"],
    ["a bare not_found", 404, { error: "not_found", msg: "Not Found" }],
    ["another instance", 404, { error: "no_such_instance", msg: "Instance 42 does not exist." }],
    ["a bare 410", 410, "{}"],
  ] as const)
    test(`is known to nobody: ${what}`, async () => {
      await fails(destroys(status, body), "outcome-unknown", "destroyInstance");
    });
});

describe("done is what says success", () => {
  const CALLS: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
    createBackgroundJobs: (client) =>
      client.createBackgroundJobs({ machine: 7, price_gpu: 1, price_inetu: 0, price_inetd: 0, image: "a/b" }),
    deleteTemplate: (client) => client.deleteTemplate(5 as TemplateId),
    unlistVolume: (client) => client.unlistVolume(12),
    destroyInstance: (client) => client.destroyInstance(ID),
    updateInstance: (client) => client.setInstanceState(ID, "stopped"),
    rebootInstance: (client) => client.rebootInstance(ID),
    changeBid: (client) => client.changeBid(ID, 1),
    createSshKey: (client) => client.createSshKey("ssh-ed25519 AAAA"),
  };
  for (const [operation, call] of Object.entries(CALLS)) {
    test(`${operation}: success: true is done`, async () => {
      server.answer(200, { success: true });
      await call(server.client);
    });
    for (const body of [
      {},
      [],
      '"ok"',
      "",
      "ok",
      "<h1>Welcome</h1>",
      { success: 1 },
      { success: "true" },
      { success: null },
    ])
      test(`${operation}: nobody knows after ${JSON.stringify(body)}`, async () => {
        server.answer(200, body);
        await fails(call(server.client), "outcome-unknown", operation);
      });
    test(`${operation}: an error beside success says nothing`, async () => {
      server.answer(200, { success: true, error: "internal", msg: "half of it failed" });
      await fails(call(server.client), "outcome-unknown", operation);
    });
    test(`${operation}: success: false is a refusal`, async () => {
      server.answer(200, { success: false, msg: "no way" });
      assert.match((await fails(call(server.client), "rejected", operation)).message, /^no way$/);
    });
  }

  test("a new label is confirmed, too", async () => {
    server.answer(200, {});
    await fails(server.client.labelInstance(ID, "x"), "outcome-unknown", "updateInstance");
  });

  test("4.13 promises no body: any 2xx that does not say no is done", async () => {
    for (const [status, body] of [
      [200, ""],
      [204, ""],
      [200, "Successfully Deleted API Key"],
      [200, '"Successfully Deleted API Key"'],
      [200, {}],
      [202, { success: true }],
      [200, "null"],
    ] as const) {
      server.answer(status, body);
      await server.client.deleteApiKey(9);
    }
    server.answer(200, { success: false, msg: "You cannot delete your primary key." });
    await fails(server.client.deleteApiKey(9), "rejected", "deleteApiKey");
    server.answer(200, "<html>Sign in to the hotel's network</html>");
    await fails(server.client.deleteApiKey(9), "outcome-unknown", "deleteApiKey");
  });

  test("every call that spends or destroys says in its row how it is known to be done", () => {
    // Their operations read `success` themselves, row by row or with what it means beside it.
    const ELSEWHERE = [
      ..."createInstance createTemplate editTemplate updateInstance".split(" "),
      ..."destroyInstances setInstancesState attachSshKey".split(" "),
      // Read back from the list of networks, whatever was answered.
      ..."createOverlay deleteOverlay".split(" "),
    ];
    for (const [name, row] of Object.entries<EndpointRow>(endpoints))
      if (row.repeat === "once") assert.ok(row.confirms || row.anyBody || ELSEWHERE.includes(name), name);
  });
});

describe("a list that did not come is not an empty one", () => {
  const LISTS: Readonly<Record<string, readonly [list: string, read: (client: Client) => Promise<unknown>]>> = {
    searchOffers: ["offers", (client) => client.searchOffers({})],
    searchTemplates: ["templates", (client) => client.searchTemplates({})],
    listWebhooks: ["webhooks", (client) => client.listWebhooks()],
    listWorkergroups: ["results", (client) => client.listWorkergroups()],
    fetchImageTags: ["tags", (client) => client.fetchImageTags("a/b")],
    listInstances: ["instances", (client) => client.listInstances(undefined)],
    listVolumes: ["volumes", (client) => client.listVolumes()],
    searchVolumes: ["offers", (client) => client.searchVolumes({})],
    listApiKeys: ["apikeys", (client) => client.listApiKeys()],
    listSshKeys: ["ssh_keys", (client) => client.listSshKeys()],
    listNotificationTypes: ["notification_types", (client) => client.listNotificationTypes()],
  };
  for (const [operation, [list, read]] of Object.entries(LISTS)) {
    test(`${operation}: an empty list is one`, async () => {
      server.answer(200, { success: true, [list]: [] });
      await read(server.client);
    });
    const lacking = [
      {},
      { success: true },
      { [list]: null },
      { [list]: {} },
      { [list]: "x" },
      { error: "e", msg: "m" },
    ];
    for (const body of [...lacking, { [list]: [], error: "internal" }])
      test(`${operation}: ${JSON.stringify(body)} is no answer`, async () => {
        server.answer(200, body);
        await fails(read(server.client), "unexpected-reply", operation);
      });
  }

  test("only the documented words for none are none", async () => {
    server.answer(200, { success: false, msg: "No templates found" });
    assert.deepEqual((await server.client.searchTemplates({})).rows, []);
    server.answer(200, { success: false, tags: [], error: "No tags found" });
    assert.deepEqual(await server.client.fetchImageTags("a/b"), []);
    for (const body of [
      { success: false },
      { success: false, templates: [] },
      { success: false, msg: "Try again later" },
    ]) {
      server.answer(200, body);
      await fails(server.client.searchTemplates({}), "rejected", "searchTemplates");
    }
    server.answer(200, { success: false, tags: [], msg: "registry says no" });
    await fails(server.client.fetchImageTags("a/b"), "rejected", "fetchImageTags");
  });
});

describe("a server that fails", () => {
  const rent = (client: Client) => client.createInstance(3 as OfferId, { image: "a/b" });
  for (const msg of ["no_such_ask 3", "API requests too frequent", "Invalid user key", "insufficient_credit"])
    test(`a 500 with “${msg}” leaves a rental unknown`, async () => {
      server.answer(500, { error: "internal", msg });
      await fails(rent(server.client), "outcome-unknown", "createInstance");
    });

  test("a create refused in a 200 keeps its reason, and still names no id", async () => {
    server.answer(200, { success: false, error: "insufficient_credit", msg: "You lack credit." });
    const { instanceId, success, refusal } = await rent(server.client);
    assert.deepEqual([instanceId, success, refusal?.kind], [undefined, false, "no-credit"]);
    assert.match(refusal?.message ?? "", /You lack credit/);
    server.answer(200, { success: false, new_contract: 41, msg: "queued" });
    assert.deepEqual(await rent(server.client), { instanceId: 41, success: false });
  });
});
