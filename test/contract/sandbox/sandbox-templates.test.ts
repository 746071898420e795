// Search templates on the sandbox, judged by the interface document's sections 2.3 and 4.5.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { completeContent, hashTemplate } from "../../../src/sandbox/world/template-content.ts";
import { Bench, type Json } from "../support/sandbox.ts";

let bench: Bench;
let all: Json[];
before(async () => {
  bench = await Bench.start();
  all = (await search()).body.templates as Json[];
});
after(() => bench.sandbox.stop());

function search(filters?: unknown) {
  const query = filters === undefined ? {} : { select_filters: JSON.stringify(filters) };
  return bench.ask("GET", "/api/v0/template/", { query });
}
const names = (templates: readonly Json[]) => templates.map((template) => `${template.name}`).sort();

test("4.5 without select_filters everything: public ones and the account's own", async () => {
  assert.ok(all.length >= 14);
  const own = all.filter((template) => template.creator_id === bench.sandbox.world.account.id);
  assert.equal(own.length, 2);
  assert.deepEqual(names((await search({})).body.templates as Json[]), names(all));
});

test("2.3 every template has the fields of the document", () => {
  for (const template of all) {
    assert.match(template.hash_id as string, /^[0-9a-f]{32}$/);
    for (const field of ["id", "creator_id", "count_created"]) assert.ok(Number.isInteger(template[field]), field);
    for (const field of [
      "name",
      "image",
      "tag",
      "desc",
      "readme",
      "env",
      "onstart",
      "default_tag",
      "docker_login_repo",
    ])
      assert.equal(typeof template[field], "string", field);
    for (const field of ["ssh_direct", "use_ssh", "jup_direct", "recommended", "private"])
      assert.equal(typeof template[field], "boolean", field);
    assert.ok(["ssh", "jupyter", "args"].includes(template.runtype as string));
    assert.ok((template.recommended_disk_space as number) >= 8);
    assert.ok((template.created_at as number) < (template.recent_create_date as number));
    assert.equal(typeof template.extra_filters, "object");
  }
  assert.equal(new Set(all.map((template) => template.hash_id)).size, all.length);
  assert.ok(all.some((template) => Object.keys(template.extra_filters as Json).length === 0));
});

test("2.3 a registry password is never shown", async () => {
  const stored = bench.sandbox.world.templates.list().filter((template) => template.docker_login_pass !== "");
  assert.ok(stored.length > 0);
  const text = JSON.stringify((await search()).body);
  for (const template of stored) assert.ok(!text.includes(template.docker_login_pass));
});

test("2.3 every template's default search can be asked and finds offers", async () => {
  for (const template of all) {
    const found = await bench.offers(template.extra_filters as Json);
    assert.ok(found.length >= 3, `${template.name}: ${found.length}`);
  }
});

describe("4.5 operators and fields", () => {
  const pytorch = "PyTorch (CUDA 12.4, SSH)";
  const cases: [string, Json, (template: Json) => boolean][] = [
    ["eq on name", { name: { eq: pytorch } }, (t) => t.name === pytorch],
    ["neq on name", { name: { neq: pytorch } }, (t) => t.name !== pytorch],
    ["lt on count_created", { count_created: { lt: 5000 } }, (t) => (t.count_created as number) < 5000],
    [
      "lte on recommended_disk_space",
      { recommended_disk_space: { lte: 32 } },
      (t) => (t.recommended_disk_space as number) <= 32,
    ],
    [
      "gt on recommended_disk_space",
      { recommended_disk_space: { gt: 32 } },
      (t) => (t.recommended_disk_space as number) > 32,
    ],
    ["gte on created_at", { created_at: { gte: 1_780_000_000 } }, (t) => (t.created_at as number) >= 1_780_000_000],
    [
      "a number as text, as the public command line sends it",
      { recommended_disk_space: { gte: "32" } },
      (t) => (t.recommended_disk_space as number) >= 32,
    ],
    ["in on tag", { tag: { in: ["latest-gpu", "v0.10.1"] } }, (t) => ["latest-gpu", "v0.10.1"].includes(`${t.tag}`)],
    ["notin on image", { image: { notin: ["ubuntu"] } }, (t) => t.image !== "ubuntu"],
    ["eq on recommended", { recommended: { eq: true } }, (t) => t.recommended === true],
    ["use_ssh means direct or proxy", { use_ssh: { eq: true } }, (t) => t.runtype !== "args"],
    ["eq on jup_direct", { jup_direct: { eq: true } }, (t) => t.jup_direct === true],
    ["eq on ssh_direct", { ssh_direct: { eq: true } }, (t) => t.ssh_direct === true],
    ["eq on creator_id", { creator_id: { eq: 4711 } }, (t) => t.creator_id === 4711],
    ["docker_login_repo", { docker_login_repo: { neq: "" } }, (t) => t.docker_login_repo !== ""],
    ["default_tag", { default_tag: { eq: "24.04" } }, (t) => t.default_tag === "24.04"],
    ["recent_create_date", { recent_create_date: { lte: 1_790_000_000 } }, () => true],
    ["text is not searched in, only compared", { name: { gte: "S", lt: "T" } }, (t) => `${t.name}`.startsWith("S")],
  ];
  for (const [name, filters, holds] of cases) {
    test(`4.5 search templates: ${name}`, async () => {
      const { status, body } = await search(filters);
      assert.equal(status, 200);
      const expected = names(all.filter(holds));
      assert.ok(expected.length > 0, "an empty answer proves nothing");
      assert.deepEqual(names(body.templates as Json[]), expected);
    });
  }

  for (const field of ["id", "hash_id"]) {
    test(`4.5 search templates: eq on ${field} finds the one`, async () => {
      const { body } = await search({ [field]: { eq: all[3]?.[field] } });
      assert.deepEqual(names(body.templates as Json[]), [all[3]?.name]);
    });
  }
});

test("4.5 a search without hits answers an empty array of templates", async () => {
  const { status, body } = await search({ name: { eq: "pytorch" } });
  assert.deepEqual([status, body], [200, { success: true, templates_found: 0, templates: [] }]);
});

describe("4.5 order_by (an extra)", () => {
  const sorted = async (order_by: string) => {
    const { status, body } = await bench.ask("GET", "/api/v0/template/", { query: { order_by } });
    return { status, counts: ((body.templates ?? []) as Json[]).map((template) => template.count_created as number) };
  };
  const counts = () => all.map((template) => template.count_created as number).sort((a, b) => a - b);

  test("4.5 a column sorts, as public services take it", async () => {
    assert.deepEqual((await sorted("count_created")).counts, counts());
  });
  test("4.5 a list of columns with directions sorts", async () => {
    assert.deepEqual((await sorted('[{"col":"count_created","dir":"desc"}]')).counts, counts().reverse());
  });
  test("4.5 an unknown column is refused with 400", async () => {
    assert.equal((await sorted("colour")).status, 400);
  });
});

for (const [name, filters] of [
  ["an unknown field", { title: { eq: "x" } }],
  ["a field that is not in the table", { readme: { eq: "x" } }],
  ["an unknown operator", { name: { like: "x" } }],
  ["in with a scalar", { name: { in: "x" } }],
  ["a bare value", { name: "x" }],
  ["a list", []],
] as const) {
  test(`4.5 search templates refuses ${name} with 400`, async () => {
    const answer = await search(filters);
    assert.deepEqual([answer.status, answer.body.error], [400, "invalid_request"]);
  });
}

test("4.5 select_filters that are no JSON are refused with 400", async () => {
  const answer = await bench.ask("GET", "/api/v0/template/", { query: { select_filters: "{name:" } });
  assert.equal(answer.status, 400);
  assert.match(answer.body.msg as string, /select_filters/);
});

test("2.3 the hash follows from the content: any change gives another, the order of fields does not", () => {
  const a = completeContent({ name: "n", image: "i", env: "-e A=1" });
  assert.equal(hashTemplate(a), hashTemplate(completeContent({ env: "-e A=1", image: "i", name: "n" })));
  for (const change of [{ name: "m" }, { env: "-e A=2" }, { readme: "x" }, { recommended_disk_space: 9 }])
    assert.notEqual(hashTemplate(a), hashTemplate({ ...a, ...change }));
});
