// What leaves the client, compared byte for byte with what the interface document shows.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Client } from "../../../src/api/client.ts";
import type { InstanceId, OfferId, TemplateHash, TemplateId } from "../../../src/domain/base/id.ts";
import { KEY, type Recorder, recorder } from "../support/recorder.ts";

const OFFER = 3001 as OfferId;
const INSTANCE = 41 as InstanceId;
const HASH = "a1b2c3" as TemplateHash;
const DRAFT = { name: "n", image: "a/b", docker_login_repo: "", docker_login_user: "", docker_login_pass: "" };

interface Case {
  readonly section: string;
  readonly call: (client: Client) => Promise<unknown>;
  readonly line: string;
  readonly body: string;
  readonly answer?: string | object;
}

const documented: Readonly<Record<string, Case>> = {
  createBackgroundJobs: {
    section: "4.1",
    call: (client) =>
      client.createBackgroundJobs({
        machine: 7,
        price_gpu: 4.8,
        price_inetu: 0.01,
        price_inetd: 0.02,
        image: "a/b",
        args: ["x", "y z"],
        use_ssh: true,
        onstart: "ls",
        env: { A: "1" },
      }),
    line: "PUT /api/v0/machines/create_bids/",
    body: '{"machine":7,"price_gpu":4.8,"price_inetu":0.01,"price_inetd":0.02,"image":"a/b","args":["x","y z"],"use_ssh":true,"onstart":"ls","env":{"A":"1"}}',
    answer: { success: true, machine_id: 7, user_id: 1, you_sent: { machine: 7 } },
  },
  searchOffers: {
    section: "4.2",
    call: (client) =>
      client.searchOffers({
        gpu_name: { in: ["RTX 4090"] },
        num_gpus: { eq: 2 },
        gpu_ram: { gte: 24000 },
        reliability: { gte: 0.98 },
        verified: { eq: true },
        rentable: { eq: true },
        type: "ondemand",
        limit: 5,
      }),
    line: "POST /api/v0/bundles/",
    body: '{"type":"ondemand","limit":5,"gpu_name":{"in":["RTX 4090"]},"num_gpus":{"eq":2},"gpu_ram":{"gte":24000},"reliability":{"gte":0.98},"verified":{"eq":true},"rentable":{"eq":true}}',
    answer: { offers: [] },
  },
  createInstance: {
    section: "4.3",
    call: (client) =>
      client.createInstance(OFFER, {
        image: "a/b:1",
        label: "l",
        disk: 20,
        runtype: "args",
        target_state: "running",
        price: 0.25,
        env: { A: "b c", "-p 8080:8080": "1" },
        onstart: "echo hi",
        args_str: "--x 'y z'",
        use_jupyter_lab: true,
        jupyter_dir: "/w",
        python_utf8: true,
        lang_utf8: true,
        image_login: "-u bob -p tok ghcr.io",
        cancel_unavail: true,
        vm: false,
        volume_info: { create_new: true, volume_id: 9, size: 15, mount_path: "/data" },
      }),
    line: "PUT /api/v0/asks/3001/",
    body: '{"image":"a/b:1","label":"l","disk":20,"runtype":"args","target_state":"running","price":0.25,"env":{"A":"b c","-p 8080:8080":"1"},"onstart":"echo hi","args_str":"--x \'y z\'","use_jupyter_lab":true,"jupyter_dir":"/w","python_utf8":true,"lang_utf8":true,"image_login":"-u bob -p tok ghcr.io","cancel_unavail":true,"vm":false,"volume_info":{"create_new":true,"volume_id":9,"size":15,"mount_path":"/data"}}',
    answer: { success: true, new_contract: 41 },
  },
  getInstance: {
    section: "4.4",
    call: (client) => client.getInstance(INSTANCE),
    line: "GET /api/v0/instances/41/",
    body: "",
    answer: { instances: { id: 41 } },
  },
  searchTemplates: {
    section: "4.5",
    call: (client) => client.searchTemplates({ name: { eq: "a b&c" }, count_created: { gte: 10 } }),
    line: "GET /api/v0/template/?select_filters=%7B%22name%22%3A%7B%22eq%22%3A%22a+b%26c%22%7D%2C%22count_created%22%3A%7B%22gte%22%3A10%7D%7D",
    body: "",
    answer: { templates: [] },
  },
  createTemplate: {
    section: "4.6",
    call: (client) =>
      client.createTemplate({
        ...DRAFT,
        tag: "1",
        env: "-e A=b -p 80:80",
        runtype: "ssh",
        ssh_direct: true,
        extra_filters: { gpu_ram: { gte: 24000 } },
        recommended_disk_space: 32,
        private: true,
        volume_info: null,
        jupyter_dir: null,
      }),
    line: "POST /api/v0/template/",
    body: '{"name":"n","image":"a/b","tag":"1","env":"-e A=b -p 80:80","runtype":"ssh","ssh_direct":true,"jupyter_dir":null,"docker_login_repo":"","docker_login_user":"","docker_login_pass":"","extra_filters":{"gpu_ram":{"gte":24000}},"recommended_disk_space":32,"private":true,"volume_info":null}',
    answer: { success: true, template: { id: 5, hash_id: "h" } },
  },
  editTemplate: {
    section: "4.7",
    call: (client) => client.editTemplate(HASH, { desc: "new" }),
    line: "PUT /api/v0/template/",
    body: '{"desc":"new","hash_id":"a1b2c3"}',
    answer: { template: { hash_id: "h2" } },
  },
  deleteTemplate: {
    section: "4.8",
    call: (client) => client.deleteTemplate(5 as TemplateId),
    line: "DELETE /api/v0/template/",
    body: '{"template_id":5}',
    answer: { success: true },
  },
  unlistVolume: {
    section: "4.9",
    call: (client) => client.unlistVolume(12),
    line: "POST /api/v0/volumes/unlist",
    body: '{"id":12}',
    answer: { success: true, msg: "Unlisted Volume 12." },
  },
  listWebhooks: {
    section: "4.10",
    call: (client) => client.listWebhooks(),
    line: "GET /api/v0/webhooks/",
    body: "",
    answer: { success: true, webhooks: [] },
  },
  listWorkergroups: {
    section: "4.11",
    call: (client) => client.listWorkergroups(),
    line: "GET /api/v0/autojobs/",
    body: "",
    answer: { success: true, results: [] },
  },
  fetchImageTags: {
    section: "4.12",
    call: (client) => client.fetchImageTags("a/b", { server: "ghcr.io", username: "", token: "tok-123456" }),
    line: "POST /api/v1/templates/fetch-tags",
    body: '{"image":"a/b","server":"ghcr.io","token":"tok-123456"}',
    answer: { success: true, tags: ["1"] },
  },
  deleteApiKey: {
    section: "4.13",
    call: (client) => client.deleteApiKey(99),
    line: "DELETE /api/v0/auth/apikeys/99/",
    body: "",
    answer: '"Successfully Deleted API Key"',
  },
};

const extras: Readonly<Record<string, Omit<Case, "section">>> = {
  listInstances: {
    call: (client) => client.listInstances({ label: { eq: "x" } }),
    line: "GET /api/v1/instances/?limit=25&select_filters=%7B%22label%22%3A%7B%22eq%22%3A%22x%22%7D%7D",
    body: "",
    answer: { success: true, instances: [], instances_found: 0, next_token: null },
  },
  destroyInstance: {
    call: (client) => client.destroyInstance(INSTANCE),
    line: "DELETE /api/v0/instances/41/",
    body: "",
    answer: { success: true },
  },
  "setInstanceState running": {
    call: (client) => client.setInstanceState(INSTANCE, "running"),
    line: "PUT /api/v0/instances/41/",
    body: '{"state":"running"}',
    answer: { success: true },
  },
  "setInstanceState stopped": {
    call: (client) => client.setInstanceState(INSTANCE, "stopped"),
    line: "PUT /api/v0/instances/41/",
    body: '{"state":"stopped"}',
    answer: { success: true },
  },
  destroyInstances: {
    call: (client) => client.destroyInstances([INSTANCE, 42 as InstanceId, INSTANCE]),
    line: "DELETE /api/v0/instances/",
    body: '{"instance_ids":[41,42]}',
    answer: { success: true },
  },
  setInstancesState: {
    call: (client) => client.setInstancesState([INSTANCE], "stopped"),
    line: "PUT /api/v0/instances/",
    body: '{"ids":[41],"state":"stopped"}',
    answer: { success: true },
  },
  attachSshKey: {
    call: (client) => client.attachSshKey(INSTANCE, "ssh-ed25519 AAAA me\n"),
    line: "POST /api/v0/instances/41/ssh/",
    body: '{"ssh_key":"ssh-ed25519 AAAA me"}',
    answer: { success: true },
  },
  listInstanceSshKeys: {
    call: (client) => client.listInstanceSshKeys(INSTANCE),
    line: "GET /api/v0/instances/41/ssh/",
    body: "",
    answer: { success: true, ssh_keys: "[]" },
  },
  listMachines: {
    call: (client) => client.listMachines(),
    line: "GET /api/v0/machines/",
    body: "",
    answer: { machines: [] },
  },
  createVolume: {
    call: (client) => client.createVolume({ offerId: 26, size: 10, name: "data" }),
    line: "PUT /api/v0/volumes/",
    body: '{"id":26,"size":10,"name":"data"}',
    answer: { success: true, volume_name: "V.27" },
  },
  deleteVolume: {
    call: (client) => client.deleteVolume(27),
    line: "DELETE /api/v0/volumes/",
    body: '{"id":27}',
    answer: { success: true },
  },
  labelInstance: {
    call: (client) => client.labelInstance(INSTANCE, "new"),
    line: "PUT /api/v0/instances/41/",
    body: '{"label":"new"}',
    answer: { success: true },
  },
  rebootInstance: {
    call: (client) => client.rebootInstance(INSTANCE),
    line: "PUT /api/v0/instances/reboot/41/",
    body: "{}",
    answer: { success: true },
  },
  changeBid: {
    call: (client) => client.changeBid(INSTANCE, 0.4),
    line: "PUT /api/v0/instances/bid_price/41/",
    body: '{"price":0.4}',
    answer: { success: true },
  },
  requestLogs: {
    call: (client) => client.requestLogs(INSTANCE, { tail: 100, filter: "err", daemon: true }),
    line: "PUT /api/v0/instances/request_logs/41/",
    body: '{"tail":"100","filter":"err","daemon_logs":"true"}',
    answer: { success: true, result_url: "https://logs.example.com/x" },
  },
  getCurrentUser: {
    call: (client) => client.getCurrentUser(),
    line: "GET /api/v0/users/current/",
    body: "",
    answer: { id: 1 },
  },
  getSpendRate: {
    call: (client) => client.getSpendRate(),
    line: "GET /api/v0/users/spend-rate/",
    body: "",
    answer: {},
  },
  listCharges: {
    call: (client) => client.listCharges({ from: 10.5, to: 20.5 }),
    line: `GET /api/v0/charges/?select_filters=${encodeURIComponent('{"day":{"gte":10,"lte":21}}')}&limit=500`,
    body: "",
    answer: { success: true, results: [], next_token: null },
  },
  listSshKeys: { call: (client) => client.listSshKeys(), line: "GET /api/v0/ssh/", body: "", answer: [] },
  createSshKey: {
    call: (client) => client.createSshKey("ssh-ed25519 AAAA me\n"),
    line: "POST /api/v0/ssh/",
    body: '{"ssh_key":"ssh-ed25519 AAAA me"}',
    answer: { success: true },
  },
  listVolumes: {
    call: (client) => client.listVolumes(),
    line: "GET /api/v0/volumes/?type=all_volume",
    body: "",
    answer: { volumes: [] },
  },
  searchVolumes: {
    call: (client) => client.searchVolumes({ disk_space: { gte: 10 } }),
    line: "POST /api/v0/volumes/search/",
    body: '{"disk_space":{"gte":10}}',
    answer: { offers: [] },
  },
  listApiKeys: {
    call: (client) => client.listApiKeys(),
    line: "GET /api/v0/auth/apikeys/",
    body: "",
    answer: { apikeys: [] },
  },
  listNotificationTypes: {
    call: (client) => client.listNotificationTypes(),
    line: "GET /api/v0/notification-types/",
    body: "",
    answer: { notification_types: [] },
  },
};

let server: Recorder;
before(async () => {
  server = await recorder();
});
after(() => server.stop());

async function sends({ call, line, body, answer }: Omit<Case, "section">): Promise<void> {
  server.requests.length = 0;
  server.answer(200, answer ?? {});
  await call(server.client);
  assert.equal(server.requests.length, 1);
  const [request] = server.requests;
  assert.equal(request?.line, line);
  assert.equal(request?.body, body);
  assert.equal(request?.headers.authorization, `Bearer ${KEY}`);
  assert.equal(request?.headers["accept-encoding"], "identity");
  assert.equal(request?.headers["content-type"], body === "" ? undefined : "application/json");
}

describe("the thirteen operations", () => {
  for (const [name, one] of Object.entries(documented))
    test(`${one.section} ${name} sends exactly what the document shows`, () => sends(one));
  test("there are thirteen", () => assert.equal(Object.keys(documented).length, 13));
});

describe("extras", () => {
  for (const [name, one] of Object.entries(extras))
    test(`${name} sends exactly what public services take`, () => sends(one));

  test("a server without the newer list is asked for the older one", async () => {
    // A service of its own: where the newer list ever answered it isn't missing.
    const older = await recorder();
    older.answer(404, "{}");
    await assert.rejects(older.client.listInstances(undefined));
    const newest = "GET /api/v1/instances/?limit=25";
    assert.deepEqual(
      older.requests.map(({ line }) => line),
      [newest, newest, newest, ...Array<string>(3).fill("GET /api/v0/instances/")],
    );
    older.stop();
  });
});

describe("4.3 requests that cannot be meant are not sent", () => {
  const base = { image: "a/b" };
  const wrong: readonly [what: string, body: object][] = [
    ["neither image nor template", { label: "x" }],
    ["a numeric template id", { template_hash_id: 12 }],
    ["onstart of 4,049 characters", { ...base, onstart: "x".repeat(4049) }],
    ["onstart with NUL", { ...base, onstart: "a\0b" }],
    ["env as a flag string", { ...base, env: "-e A=b" }],
    ["env with an empty name", { ...base, env: { "": "1" } }],
    ["env with a name of two words", { ...base, env: { "A B": "1" } }],
    ["a port of 65536", { ...base, env: { "-p 65536:1": "1" } }],
    ["a port range", { ...base, env: { "-p 80-90:80-90": "1" } }],
    ["a disk of 7.9 GB", { ...base, disk: 7.9 }],
    ["a bid of 0", { ...base, price: 0 }],
    ["an unknown runtype", { ...base, runtype: "vnc" }],
    ["args_str with an open quote", { ...base, args_str: "a 'b" }],
    ["args_str beside ssh", { ...base, runtype: "ssh_direct", args_str: "a" }],
    ["a login that is no login", { ...base, image_login: "bob tok" }],
    ["a login whose token holds a blank", { ...base, image_login: "-u bob -p a b ghcr.io" }],
    ["a new volume without a size", { ...base, volume_info: { create_new: true, volume_id: 1, mount_path: "/d" } }],
    ["a linked volume with a size", { ...base, volume_info: { volume_id: 1, size: 5, mount_path: "/d" } }],
    ["a relative mount path", { ...base, volume_info: { volume_id: 1, mount_path: "d" } }],
    ["a mount path with ..", { ...base, volume_info: { volume_id: 1, mount_path: "/a/../b" } }],
    ["the root as mount path", { ...base, volume_info: { volume_id: 1, mount_path: "/" } }],
    ["an unknown field", { ...base, frobnicate: 1 }],
  ];
  for (const [what, body] of wrong) {
    test(what, async () => {
      server.requests.length = 0;
      await assert.rejects(server.client.createInstance(OFFER, body as never), { name: "AppError", kind: "rejected" });
      assert.equal(server.requests.length, 0);
    });
  }
  for (const script of ["x".repeat(4047), "x".repeat(4048), "🚀".repeat(2024)]) {
    test(`8 onstart of ${script.length} UTF-16 units is sent`, async () => {
      server.answer(200, { success: true, new_contract: 41 });
      assert.equal((await server.client.createInstance(OFFER, { ...base, onstart: script })).instanceId, 41);
    });
  }
  test("8 onstart of 2,025 emoji is over the limit", () =>
    assert.rejects(server.client.createInstance(OFFER, { ...base, onstart: "🚀".repeat(2025) })));
});

describe("4.1 requests that cannot be meant are not sent", () => {
  const base = { machine: 7, price_gpu: 1, price_inetu: 0, price_inetd: 0, image: "a/b" };
  for (const [what, body] of [
    ["both args and args_str", { ...base, args: ["a"], args_str: "a" }],
    ["args_str with an open quote", { ...base, args_str: "a 'b" }],
    ["a machine that is no integer", { ...base, machine: 1.5 }],
    ["no image", { ...base, image: undefined }],
    ["a negative price", { ...base, price_gpu: -1 }],
  ] as const) {
    test(what, async () => {
      server.requests.length = 0;
      await assert.rejects(server.client.createBackgroundJobs(body as never), { name: "AppError", kind: "rejected" });
      assert.equal(server.requests.length, 0);
    });
  }
});
