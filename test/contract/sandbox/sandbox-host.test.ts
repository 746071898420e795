// What hosts ask of the sandbox, judged by the interface document's sections 2.4, 4.1, 4.9 and 7; and volumes, an extra.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { assertRefused, testFields } from "../support/fields.ts";
import { Bench, type Json } from "../support/sandbox.ts";

let bench: Bench;
before(async () => {
  bench = await Bench.start();
});
after(() => bench.sandbox.stop());

const image = "pytorch/pytorch:latest";
const jobs = (): Json => ({
  machine: bench.sandbox.world.ownMachine.id,
  price_gpu: 2.4,
  price_inetu: 0.01,
  price_inetd: 0.005,
  image,
});
const send = (body: unknown) => bench.ask("PUT", "/api/v0/machines/create_bids/", { body });

describe("4.1 create host background jobs, field by field", () => {
  const machine = /^Missing or invalid machine id, must be integer$/;
  const price = { required: true, good: [0, 1, 0.125], wrong: ["2.4", true, -1, []] };
  testFields({
    section: "4.1",
    base: jobs,
    send,
    fields: [
      { name: "machine", required: true, good: [], wrong: ["20000", 1.5, true, {}, []], says: machine },
      { name: "price_gpu", ...price },
      { name: "price_inetu", ...price },
      { name: "price_inetd", ...price },
      {
        name: "image",
        required: true,
        good: ["a/b", "r.example:5000/a/b@sha256:00"],
        wrong: [7, "", ["a/b"], {}],
        says: /^Missing or invalid image, must be string$/,
      },
      { name: "args", required: false, good: [[], ["--a", "two words"]], wrong: ["--a", [1], {}] },
      {
        name: "args_str",
        required: false,
        good: ["", "--a 'two words' \"x\""],
        wrong: [7, ["--a"], "--a 'open", 'a "b'],
      },
      { name: "use_ssh", required: false, good: [true, false], wrong: ["true", 1] },
      { name: "onstart", required: false, good: ["", "echo a\necho b"], wrong: [1, ["echo"]] },
      {
        name: "env",
        required: false,
        good: [{}, { A: "b", C: "" }, { A: 1, B: true }],
        wrong: ["-e A=b", [["A", "b"]], { A: {} }],
      },
    ],
  });

  test("4.1 the answer has success, machine_id, user_id and the request as you_sent", async () => {
    const body: Json = { ...jobs(), args: ["--x"], use_ssh: true, onstart: "echo", env: { A: "b" } };
    const answer = await send(body);
    const { world } = bench.sandbox;
    assert.deepEqual(
      [answer.status, answer.body],
      [200, { success: true, machine_id: body.machine, user_id: world.account.id, you_sent: body }],
    );
  });

  test("4.1 new jobs replace the ones the machine had", async () => {
    const { world } = bench.sandbox;
    await send({ ...jobs(), image: "first/one" });
    await send({ ...jobs(), image: "second/one" });
    assert.deepEqual([world.jobs.size, world.jobs.get(world.ownMachine.id)?.image], [1, "second/one"]);
  });
});

describe("7 create host background jobs", () => {
  test("7 both args and args_str", async () => {
    assertRefused(await send({ ...jobs(), args: ["a"], args_str: "a" }), 400, "Please only use args or args_str");
  });
  test("7 args_str that cannot be parsed is 400", async () => {
    assertRefused(await send({ ...jobs(), args_str: "--name 'open" }), 400, /args_str/);
  });
  test("7 a machine of somebody else: HTTP 200, success false, and nothing changes", async () => {
    const { world } = bench.sandbox;
    const before = world.jobs.size;
    for (const machine of [1, 20_037]) {
      const { status, body } = await send({ ...jobs(), machine });
      assert.deepEqual(
        [status, body.success, body.msg],
        [200, false, "only the owner can create default bid contracts for a machine."],
      );
    }
    assert.equal(world.jobs.size, before);
  });
  for (const body of [null, 7, "x", []])
    test(`7 the body ${JSON.stringify(body)} is refused`, async () => {
      assert.equal((await send(body)).status, 400);
    });
});

describe("4.9 unlist volume", () => {
  const unlist = (body: unknown) => bench.ask("POST", "/api/v0/volumes/unlist", { body });
  const listed = async (id: number) => {
    const answer = await bench.ask("POST", "/api/v0/volumes/search/", { body: { id: { eq: id } } });
    return (answer.body.offers as Json[]).length;
  };

  for (const [name, body] of [
    ["missing", {}],
    ["null", { id: null }],
    ["text", { id: "26900001" }],
    ["a fraction", { id: 1.5 }],
    ["zero", { id: 0 }],
    ["a list", { id: [1] }],
  ] as const)
    test(`4.9 id: ${name} is refused`, async () => assertRefused(await unlist(body), 400, /You must pass in `id`/));

  test("4.9 an own listing is taken off: success, a message naming it, and nobody finds it again", async () => {
    const [id = 0] = bench.sandbox.world.volumes.listOwnOffers();
    assert.equal(await listed(id), 1);
    const { status, body } = await unlist({ id });
    assert.deepEqual([status, body], [200, { success: true, msg: `Unlisted Volume ${id}.` }]);
    assert.equal(await listed(id), 0);
    assertRefused(await unlist({ id }), 400, "Volume listing does not exist");
  });

  test("4.9 a listing of somebody else does not exist for this host", async () => {
    const { volumes } = bench.sandbox.world;
    const other = volumes.listOffers().find(({ id }) => !volumes.listOwnOffers().includes(id));
    assertRefused(await unlist({ id: other?.id }), 400, "Volume listing does not exist");
  });

  test("4.9 a listing that is rented stays", async () => {
    const active = bench.sandbox.world.volumes.listOffers().find((one) => one.active);
    assertRefused(await unlist({ id: active?.id }), 400, "Unable to delete active volume listing");
  });
});

describe("4.3 volume_info, and volumes (extras)", () => {
  const list = async (type?: string) => {
    const { body } = await bench.ask("GET", "/api/v0/volumes/", type === undefined ? {} : { query: { type } });
    return body.volumes as Json[];
  };

  test("extra: volumes by their type", async () => {
    const all = await list("all_volume");
    assert.equal(all.length, (await list("local_volume")).length + (await list("network_volume")).length);
    assert.equal((await bench.ask("GET", "/api/v0/volumes/", { query: { type: "cloud" } })).status, 400);
  });

  test("4.3 a linked volume appears on the instance, and the instance on the volume", async () => {
    const [network] = await list("network_volume");
    const volume_info = { volume_id: network?.id, mount_path: "/data" };
    const made = await bench.created({ image, volume_info });
    assert.equal((made.volume_info as Json[])[0]?.id, network?.id);
    assert.deepEqual((await list("network_volume"))[0]?.instances, [made.id]);
    assert.equal((await list("network_volume"))[0]?.status, "in use");
  });

  test("4.3 create_new makes a volume of the size from an offer, on the offer's machine", async () => {
    const { world } = bench.sandbox;
    const offer = world.volumes
      .listOffers()
      .find(
        (one) =>
          !one.active &&
          world.offers.some((ask) => ask.machine === one.machine && world.isRentable(ask) && ask.fate === "runs"),
      );
    const ask = world.offers.find(
      (one) => one.machine === offer?.machine && world.isRentable(one) && one.fate === "runs",
    );
    const volume_info = { create_new: true, volume_id: offer?.id, size: 10, mount_path: "/new" };
    const before = (await list()).length;
    const made = await bench.created({ image, volume_info }, ask);
    const [mounted] = made.volume_info as Json[];
    assert.deepEqual([mounted?.mount_path, mounted?.total_space], ["/new", 10]);
    assert.notEqual(mounted?.id, offer?.id, "the volume has an id of its own");
    assert.equal((await list()).length, before + 1);
  });

  test("4.3 an unknown volume, and one on another machine, are refused and nothing is rented", async () => {
    const before = bench.sandbox.world.listInstances().length;
    const [local] = await list("local_volume");
    for (const volume_id of [999, local?.id]) {
      const offer = bench.freeOffer((one) => one.machine.id !== local?.machine_id);
      const answer = await bench.create(offer.id, { image, volume_info: { volume_id, mount_path: "/d" } });
      assertRefused(answer, 400, /volume_info.volume_id/);
    }
    assert.equal(bench.sandbox.world.listInstances().length, before);
  });

  test("extra: volume offers are filtered, sorted and cut", async () => {
    const search = (body: unknown) => bench.ask("POST", "/api/v0/volumes/search/", { body });
    const found = (await search({ disk_space: { gte: 200 }, limit: 3 })).body.offers as Json[];
    assert.equal(found.length, 3);
    for (const offer of found) assert.ok((offer.disk_space as number) >= 200);
    assert.equal((await search({ colour: { eq: 1 } })).status, 400);
    const asText = (await search({ disk_space: { gte: "200" }, limit: 3 })).body.offers as Json[];
    assert.deepEqual(asText, found, "a number as text, as the public command line sends it");
  });
});
