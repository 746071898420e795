// Creating, editing and deleting templates on the sandbox, and image tags: interface document sections 2.3, 4.6, 4.7, 4.8, 4.12.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { assertRefused, type Field, testFields } from "../support/fields.ts";
import { Bench, type Json } from "../support/sandbox.ts";

let bench: Bench;
before(async () => {
  bench = await Bench.start();
});
after(() => bench.sandbox.stop());

let count = 0;
const next = () => {
  count += 1;
  return count;
};
const login = { docker_login_repo: "", docker_login_user: "", docker_login_pass: "" };
const draft = (): Json => ({ name: `Mine ${next()}`, image: "a/b", ...login });
const create = (body: unknown) => bench.ask("POST", "/api/v0/template/", { body });
const edit = (body: unknown) => bench.ask("PUT", "/api/v0/template/", { body });
const remove = (body: unknown) => bench.ask("DELETE", "/api/v0/template/", { body });
const byHash = async (hash: unknown) => {
  const select_filters = JSON.stringify({ hash_id: { eq: hash } });
  const { body } = await bench.ask("GET", "/api/v0/template/", { query: { select_filters } });
  return (body.templates as Json[] | undefined)?.[0];
};
const made = async (body: Json = {}) => (await create({ ...draft(), ...body })).body.template as Json;

const text = { good: ["", "some text"], wrong: [7, true, ["a"], {}] };
const flag = { required: false, good: [true, false], wrong: ["true", 1, []] };
/** The table of section 2.3. */
const FIELDS: readonly Field[] = [
  { name: "name", required: true, good: ["x", "n".repeat(300)], wrong: ["", "n".repeat(10_001), ...text.wrong] },
  { name: "image", required: true, good: ["r.example:5000/a/b", "x".repeat(1025)], wrong: ["", ...text.wrong] },
  ...["tag", "desc", "readme", "env", "onstart", "args_str", "jupyter_dir", "href", "repo"].map((name) => ({
    name,
    required: false,
    ...text,
  })),
  { name: "runtype", required: false, good: ["ssh", "jupyter", "args"], wrong: ["ssh_direct", "", 7] },
  ...["ssh_direct", "use_ssh", "jup_direct", "use_jupyter_lab", "private"].map((name) => ({ name, ...flag })),
  ...["docker_login_repo", "docker_login_user", "docker_login_pass"].map((name) => ({ name, required: true, ...text })),
  {
    name: "extra_filters",
    required: false,
    good: [{}, { gpu_ram: { gte: 24000 }, gpu_name: { in: ["RTX 4090"] } }],
    wrong: ["{}", [], { gpu_ram: 24000 }, { gpu_ram: { above: 1 } }],
  },
  { name: "recommended_disk_space", required: false, good: [8, 32.5], wrong: ["8", 0, -1, true] },
  { name: "volume_info", required: false, good: [{ mount_path: "/d" }], wrong: ["V.1", 7, []] },
];

describe("4.6 create template, field by field (2.3)", () => {
  testFields({ section: "2.3", base: draft, send: create, fields: FIELDS });

  test("4.6 the answer's template has id and hash_id, and can be found and launched", async () => {
    const { status, body } = await create({ ...draft(), image: "pytorch/pytorch" });
    const template = body.template as Json;
    assert.deepEqual([status, body.success], [200, true]);
    assert.ok(Number.isSafeInteger(template.id));
    assert.equal((await byHash(template.hash_id))?.id, template.id);
    const instance = await bench.created({ template_hash_id: template.hash_id });
    assert.equal(instance.template_id, template.id);
    await bench.ask("DELETE", `/api/v0/instances/${instance.id}/`);
  });

  test("2.3 defaults: tag latest, runtype args, recommended_disk_space 8; creator and dates are set", async () => {
    const { id, hash_id, ...template } = await made();
    assert.ok(id && hash_id);
    const { tag, runtype, recommended_disk_space, creator_id, created_at, count_created, recommended } = template;
    assert.deepEqual([tag, runtype, recommended_disk_space], ["latest", "args", 8]);
    assert.equal(creator_id, bench.sandbox.world.account.id);
    assert.equal(created_at, bench.clock.now());
    assert.deepEqual([count_created, recommended], [0, false]);
  });

  test("2.3 hash_id follows from the content: the same content is found, another has another", async () => {
    const body = { ...draft(), env: "-e A=b" };
    const first = (await create(body)).body.template as Json;
    const again = await create(body);
    assert.deepEqual([again.status, again.body.success], [200, false]);
    assert.equal(again.body.msg, `Existing Template Found: ${first.id}. User relationship added.`);
    assert.equal((again.body.template as Json).hash_id, first.hash_id);
    const other = (await create({ ...body, env: "-e A=c" })).body.template as Json;
    assert.notEqual(other.hash_id, first.hash_id);
    assert.notEqual(other.id, first.id);
  });

  test("2.3 docker_login_pass is never echoed", async () => {
    const docker_login_pass = "a-registry-secret-9";
    const created = await create({
      ...draft(),
      docker_login_repo: "r.example",
      docker_login_user: "me",
      docker_login_pass,
    });
    const template = created.body.template as Json;
    const edited = await edit({ hash_id: template.hash_id, docker_login_pass: `${docker_login_pass}0` });
    const found = await byHash((edited.body.template as Json).hash_id);
    assert.equal(edited.status, 200);
    assert.ok(!JSON.stringify([created.body, edited.body, found]).includes(docker_login_pass));
  });

  test("4.6 fields nobody knows are passed over", async () => {
    assert.equal((await create({ ...draft(), client_id: "me", colour: 1 })).body.success, true);
  });
});

describe("4.7 edit template", () => {
  for (const field of FIELDS) {
    for (const value of field.good) {
      test(`4.7 ${field.name}: ${JSON.stringify(value).slice(0, 40)} changes that field and no other`, async () => {
        const before = await made({ desc: "before" });
        const name = field.name === "name" ? { name: `${value} ${next()}` } : {};
        const { status, body } = await edit({ hash_id: before.hash_id, [field.name]: value, ...name });
        assert.equal(status, 200, JSON.stringify(body));
        const after = (await byHash((body.template as Json).hash_id)) as Json;
        const changed = Object.keys(after).filter((key) => JSON.stringify(after[key]) !== JSON.stringify(before[key]));
        const allowed = [
          field.name,
          "hash_id",
          ...(field.name === "tag" ? ["default_tag"] : []),
          ...(field.name === "readme" ? ["readme_visible"] : []),
        ];
        for (const key of changed) assert.ok(allowed.includes(key), key);
      });
    }
    for (const value of field.wrong) {
      const says = new RegExp(field.name);
      test(`4.7 ${field.name}: ${JSON.stringify(value).slice(0, 40)} is refused`, async () => {
        const { hash_id } = await made();
        assertRefused(await edit({ hash_id, [field.name]: value }), 400, says);
      });
    }
  }

  test("4.7 hash_id is required text", async () => {
    for (const hash_id of [undefined, null, 7, ""]) assertRefused(await edit({ hash_id, name: "x" }), 400, /hash_id/);
  });

  test("2.3 an edit gives a new hash_id, and the old one is no longer valid", async () => {
    const before = await made();
    const { body } = await edit({ hash_id: before.hash_id, desc: "after" });
    const after = body.template as Json;
    assert.notEqual(after.hash_id, before.hash_id);
    assert.equal(after.id, before.id);
    assert.equal(await byHash(before.hash_id), undefined);
    const says = `Unable to Update Template. None found for given Hash ID: ${before.hash_id}`;
    assertRefused(await edit({ hash_id: before.hash_id, desc: "again" }), 400, says);
    assert.equal((await bench.create(bench.freeOffer().id, { template_hash_id: before.hash_id })).status, 404);
  });

  test("4.7 null clears jupyter_dir and volume_info, and is not given elsewhere", async () => {
    const before = await made({ jupyter_dir: "/w", volume_info: { a: 1 }, desc: "kept" });
    const { body } = await edit({ hash_id: before.hash_id, jupyter_dir: null, volume_info: null, desc: null });
    const { jupyter_dir, volume_info, desc } = body.template as Json;
    assert.deepEqual([jupyter_dir, volume_info, desc], [null, null, "kept"]);
  });

  test("4.7 only the creator may edit, and unknown keys are named", async () => {
    const own = bench.sandbox.world.account.id;
    const other = bench.sandbox.world.templates.list().find((one) => one.creator_id !== own);
    assertRefused(
      await edit({ hash_id: other?.hash_id, desc: "x" }),
      400,
      "Only the Template Creator may Update Existing Template.",
    );
    const { hash_id } = await made();
    assertRefused(await edit({ hash_id, colour: 1 }), 400, "Unexpected Key 'colour' found in Template.");
  });
});

describe("4.8 delete template", () => {
  test("4.8 by its numeric id: success, and it is gone", async () => {
    const { id, hash_id } = await made();
    const { status, body } = await remove({ template_id: id });
    assert.deepEqual([status, body], [200, { success: true, msg: `Template ${id} Deleted Successfully` }]);
    assert.equal(await byHash(hash_id), undefined);
    assertRefused(await remove({ template_id: id }), 400, "Invalid Template ID or User ID");
  });

  for (const template_id of [undefined, null, "181300", "ab".repeat(16), 1.5, true])
    test(`4.8 template_id: ${JSON.stringify(template_id) ?? "missing"} is refused`, async () => {
      assertRefused(await remove({ template_id }), 400, "Template ID must be integer");
    });

  test("4.8 a template of somebody else stays", async () => {
    const own = bench.sandbox.world.account.id;
    const other = bench.sandbox.world.templates.list().find((one) => one.creator_id !== own);
    const answer = await remove({ template_id: other?.id });
    assertRefused(answer, 401, "Templates can ONLY be Deleted by their Creator");
    assert.notEqual(answer.body.error, "auth_error", "it is not the key that is refused");
    assert.ok(await byHash(other?.hash_id));
  });
});

describe("4.12 fetch image tags", () => {
  const tags = (body: unknown) => bench.ask("POST", "/api/v1/templates/fetch-tags", { body });
  const login = { username: "you", token: "sandbox-registry-token" };

  test("4.12 every image of the library has tags, among them its own", async () => {
    const { account, templates } = bench.sandbox.world;
    for (const { image, tag } of templates.list().filter((one) => one.creator_id !== account.id)) {
      const { status, body } = await tags({ image });
      assert.deepEqual([status, body.success], [200, true], image);
      assert.ok((body.tags as string[]).includes(tag), image);
    }
  });

  test("4.12 an unknown image: success false, no tags, the reason", async () => {
    const { status, body } = await tags({ image: "nobody/nothing" });
    assert.deepEqual([status, body], [200, { success: false, tags: [], error: "No tags found" }]);
  });

  for (const body of [{}, { image: null }, { image: 7 }, { image: "" }, { image: "ubuntu", token: 7 }, null])
    test(`4.12 ${JSON.stringify(body)} is refused as invalid_args`, async () => {
      const answer = await tags(body);
      assert.deepEqual([answer.status, answer.body.error], [400, "invalid_args"]);
    });

  test("4.12 a private image needs its login, with the server apart or not", async () => {
    const image = "registry.sandbox.invalid/you/finetune";
    for (const wrong of [{}, { ...login, token: "wrong" }, { token: login.token }]) {
      const answer = await tags({ image, ...wrong });
      assert.deepEqual([answer.status, answer.body.error], [400, "registry_error"]);
    }
    for (const body of [
      { image, ...login },
      { server: "registry.sandbox.invalid", image: "you/finetune", ...login },
    ])
      assert.deepEqual((await tags(body)).body.success, true);
  });
});
