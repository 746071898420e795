// Template and request laid over one another by the sandbox, judged by the rules of the interface document's section 4.3.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { completeContent, type TemplateContent } from "../../../src/sandbox/world/template-content.ts";
import { Bench, type Json } from "../support/sandbox.ts";

let bench: Bench;
before(async () => {
  bench = await Bench.start();
});
after(() => bench.sandbox.stop());

const base: Partial<TemplateContent> & Pick<TemplateContent, "name" | "image"> = {
  name: "base",
  image: "vendor/base",
  tag: "1.2",
  env: '-e A=1 -e B=template -e C="two words" -p 8188:8188 --hostname box',
  onstart: "echo template",
  runtype: "ssh",
  ssh_direct: true,
  extra_filters: { gpu_ram: { gte: 24000 }, verified: { eq: true } },
  recommended_disk_space: 40,
  volume_info: { mount_path: "/models" },
};

let made = 0;
/** A template of its own for every test, in the sandbox. */
function template(parts: Partial<TemplateContent> = {}) {
  made += 1;
  const { world } = bench.sandbox;
  return world.templates.add(completeContent({ ...base, ...parts, name: `base ${made}` }), {
    owner: world.account.id,
    now: world.getNow(),
  });
}

const envOf = (record: Json) => Object.fromEntries(record.extra_env as [string, string][]);

test("4.3 a template alone configures the instance", async () => {
  const from = template();
  const record = await bench.created({ template_hash_id: from.hash_id });
  assert.equal(record.image_uuid, "vendor/base:1.2");
  assert.equal(record.image_runtype, "ssh_direct");
  assert.equal(record.onstart, "echo template");
  assert.equal(record.disk_space, 40);
  assert.deepEqual(
    [record.template_hash_id, record.template_id, record.template_name],
    [from.hash_id, from.id, from.name],
  );
});

for (const [runtype, ssh_direct, jup_direct, expected] of [
  ["ssh", true, false, "ssh_direct"],
  ["ssh", false, false, "ssh_proxy"],
  ["jupyter", false, true, "jupyter_direct"],
  ["jupyter", true, false, "jupyter_proxy"],
  ["args", false, false, "args"],
] as const) {
  test(`2.3 a template's ${runtype}, ssh_direct ${ssh_direct}, jup_direct ${jup_direct} becomes ${expected}`, async () => {
    const record = await bench.created({ template_hash_id: template({ runtype, ssh_direct, jup_direct }).hash_id });
    assert.equal(record.image_runtype, expected);
  });
}

test("4.3 rule 1: a Jupyter runtype includes SSH", async () => {
  const record = await bench.created({ image: "a/b", runtype: "jupyter_proxy" });
  assert.equal(typeof record.ssh_host, "string");
  assert.ok(Number.isInteger(record.ssh_port));
});

test("4.3 rules 2 and 3: only args keeps the image's entrypoint and takes args_str", async () => {
  const byArgs = await bench.created({ image: "a/b", runtype: "args", args_str: "--model x" });
  const bySsh = await bench.created({ image: "a/b", runtype: "ssh", args_str: "--model x" });
  assert.deepEqual([byArgs.image_args, bySsh.image_args], [["--model", "x"], []]);
  bench.clock.advance(200);
  assert.match((await bench.instance(bySsh.id)).status_msg as string, /\/ssh$/);
  assert.match((await bench.instance(byArgs.id)).status_msg as string, /running a\/b$/);
});

test("4.3 rule 4: env is an object; a docker flag string is refused even beside a template", async () => {
  const answer = await bench.create(bench.freeOffer().id, { template_hash_id: template().hash_id, env: "-e A=2" });
  assert.equal(answer.status, 400);
  assert.match(answer.body.msg as string, /env/);
});

test("4.3 rule 5: env goes to the container; onstart is left as it was written", async () => {
  const record = await bench.created({ image: "a/b", env: { TOKEN: "x" }, onstart: "env >> /etc/environment" });
  assert.deepEqual(record.extra_env, [["TOKEN", "x"]]);
  assert.equal(record.onstart, "env >> /etc/environment");
});

for (const [field, value, shown] of [
  ["image", "other/image:9", "image_uuid"],
  ["runtype", "jupyter_proxy", "image_runtype"],
  ["onstart", "echo request", "onstart"],
  ["disk", 64, "disk_space"],
] as const) {
  test(`4.3 rule 6: the request's ${field} overrides the template's`, async () => {
    const record = await bench.created({ template_hash_id: template().hash_id, [field]: value });
    assert.equal(record[shown], value);
  });
}

test("4.3 rule 6: null in the request overrides nothing", async () => {
  const hash = template().hash_id;
  const record = await bench.created({ template_hash_id: hash, image: null, disk: null, env: null, onstart: null });
  assert.deepEqual([record.image_uuid, record.disk_space, record.onstart], ["vendor/base:1.2", 40, "echo template"]);
  assert.equal(envOf(record).A, "1");
});

test("4.3 rule 6: env is merged, and the template's string becomes the object form", async () => {
  const env = { B: "request", D: "new", "-p 9000:9000": "1" };
  const record = await bench.created({ template_hash_id: template().hash_id, env });
  assert.deepEqual(envOf(record), {
    A: "1",
    B: "request",
    C: "two words",
    D: "new",
    "-p 8188:8188": "1",
    "-p 9000:9000": "1",
    "-h": "box",
  });
  bench.clock.advance(200);
  const ports = Object.keys((await bench.instance(record.id)).ports as Json);
  assert.deepEqual(ports.sort(), ["22/tcp", "8188/tcp", "9000/tcp"]);
});

test("4.3 rule 6: extra_filters are merged by key, the request's value wins whole", async () => {
  const extra_filters = { gpu_ram: { lte: 50000 }, num_gpus: { eq: 1 } };
  const record = await bench.created({ template_hash_id: template().hash_id, extra_filters });
  assert.deepEqual(record.extra_filters, {
    gpu_ram: { lte: 50000 },
    verified: { eq: true },
    num_gpus: { eq: 1 },
  });
});

test("4.3 rule 7: the template's registry credentials go to the machine and are shown to nobody", async () => {
  const login = { docker_login_repo: "r.example", docker_login_user: "me", docker_login_pass: "s3cret-token" };
  const record = await bench.created({ template_hash_id: template(login).hash_id });
  assert.doesNotMatch(JSON.stringify(record), /s3cret-token/);
  const stored = bench.sandbox.world.findInstance(record.id as number);
  assert.deepEqual(stored?.configuration.login, { repo: "r.example", user: "me", pass: "s3cret-token" });
});

test("4.3 image_login goes to the machine in the template's place", async () => {
  const login = { docker_login_repo: "r.example", docker_login_user: "me", docker_login_pass: "s3cret-token" };
  const record = await bench.created({
    template_hash_id: template(login).hash_id,
    image_login: "-u you -p other-token q.example",
  });
  assert.doesNotMatch(JSON.stringify(record), /-token/);
  const stored = bench.sandbox.world.findInstance(record.id as number);
  assert.deepEqual(stored?.configuration.login, { repo: "q.example", user: "you", pass: "other-token" });
});

test("4.3 rule 8: a template's volume_info attaches nothing, the request's does", async () => {
  const hash = template().hash_id;
  assert.deepEqual((await bench.created({ template_hash_id: hash })).volume_info, []);
  const volume = { volume_id: 27_000_001, mount_path: "/data" };
  const made = await bench.created({ template_hash_id: hash, volume_info: volume });
  const [linked] = made.volume_info as Json[];
  assert.deepEqual([linked?.volume_id, linked?.mount_path], [27_000_001, "/data"]);
});

test("2.3 an instance moves the template's popularity and its last use", async () => {
  const from = template();
  const [count, last] = [from.count_created, from.recent_create_date];
  await bench.created({ template_hash_id: from.hash_id });
  const filters = JSON.stringify({ hash_id: { eq: from.hash_id } });
  const { body } = await bench.ask("GET", "/api/v0/template/", { query: { select_filters: filters } });
  const [now] = body.templates as Json[];
  assert.equal(now?.count_created, count + 1);
  assert.ok((now?.recent_create_date as number) > last);
});
