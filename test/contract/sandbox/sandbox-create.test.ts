// Create instance on the sandbox, judged by the interface document's sections 4.3, 7 and 8.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Bench, type Json } from "../support/sandbox.ts";

let bench: Bench;
before(async () => {
  bench = await Bench.start();
});
after(() => bench.sandbox.stop());

const image = "pytorch/pytorch:latest";

describe("4.3 create instance: what is refused, by the name of the field", () => {
  const cases: [string, Json, RegExp][] = [
    ["neither image nor template", {}, /image/],
    ["null for both", { image: null, template_hash_id: null }, /image/],
    ["an image that is no text", { image: 7 }, /image/],
    ["an empty image", { image: "" }, /image/],
    ["the numeric template id as a number", { template_hash_id: 181300 }, /template_hash_id.*numeric/],
    ["the numeric template id as text", { template_hash_id: "181300" }, /template_hash_id.*numeric/],
    ["the numeric template id under its own name", { image, template_id: 181300 }, /template_id is not accepted/],
    ["a label that is no text", { image, label: 1 }, /label/],
    ["a disk of 0 GB", { image, disk: 0 }, /disk/],
    ["a disk as text", { image, disk: "20" }, /disk/],
    ["a disk larger than the machine's", { image, disk: 1e6 }, /disk/],
    ["an unknown runtype", { image, runtype: "telnet" }, /runtype/],
    ["an unknown target_state", { image, target_state: "paused" }, /target_state/],
    ["env as a docker flag string (rule 4)", { image, env: "-e A=b" }, /env.*object/],
    ["env as a list", { image, env: [["A", "b"]] }, /env/],
    ["an env value that is an object", { image, env: { PORT: { a: 1 } } }, /env.*PORT/],
    ["an env value that is null", { image, env: { PORT: null } }, /env.*PORT/],
    ["a port key without a colon", { image, env: { "-p 8080": "1" } }, /env.*-p/],
    ["onstart of 4049 characters", { image, onstart: "x".repeat(4049) }, /onstart.*4048/],
    ["onstart of 4049 emoji", { image, onstart: "🚀".repeat(4049) }, /onstart.*4048/],
    ["args_str that is no text", { image, args_str: ["a"] }, /args_str/],
    ["args that are no list", { image, args: "--a" }, /args must be an array of strings/],
    ["args with a number", { image, args: [1] }, /args must be an array of strings/],
    ["both args and args_str", { image, args: ["a"], args_str: "a" }, /only use args or args_str/],
    ["jupyter_dir that is no text", { image, jupyter_dir: true }, /jupyter_dir/],
    ...["use_jupyter_lab", "python_utf8", "lang_utf8", "cancel_unavail", "vm"].map((field): [string, Json, RegExp] => [
      `${field} that is no boolean`,
      { image, [field]: "true" },
      new RegExp(field),
    ]),
    ["image_login of another form", { image, image_login: "user:token" }, /image_login.*-u <user>/],
    ["volume_info that is no object", { image, volume_info: "V.1" }, /volume_info/],
    ["volume_info without volume_id", { image, volume_info: { mount_path: "/data" } }, /volume_info.*volume_id/],
    [
      "volume_info with a relative mount_path",
      { image, volume_info: { volume_id: 1, mount_path: "data" } },
      /mount_path/,
    ],
    [
      "volume_info with create_new as text",
      { image, volume_info: { create_new: "yes", volume_id: 1, mount_path: "/d" } },
      /create_new/,
    ],
    [
      "volume_info with a size of 0",
      { image, volume_info: { create_new: true, volume_id: 1, size: 0, mount_path: "/d" } },
      /size/,
    ],
  ];
  for (const [name, body, says] of cases) {
    test(`4.3 create instance refuses ${name}`, async () => {
      const answer = await bench.create(bench.freeOffer().id, body);
      assert.equal(answer.status, 400);
      assert.equal(answer.body.success, false);
      assert.equal(answer.body.error, "invalid_args");
      assert.match(answer.body.msg as string, says);
      assert.equal(bench.sandbox.world.listInstances().length, 0, "nothing was rented");
    });
  }

  for (const price of [0, -1, "0.5", true]) {
    test(`4.3 create instance refuses the price ${JSON.stringify(price)}`, async () => {
      const answer = await bench.create(bench.freeOffer().id, { image, price });
      assert.deepEqual([answer.status, answer.body.error], [400, "invalid_price"]);
    });
  }

  test("4.3 a price is only for interruptible offers", async () => {
    const fixed = bench.sandbox.world.offers.find((one) => one.minBid === null && bench.sandbox.world.isRentable(one));
    const answer = await bench.create(fixed?.id ?? 0, { image, price: 1 });
    assert.deepEqual([answer.status, answer.body.error], [400, "invalid_price"]);
  });

  test("4.3 a template hash nobody has", async () => {
    const answer = await bench.create(bench.freeOffer().id, { template_hash_id: "ab".repeat(16) });
    assert.equal(answer.status, 404);
    assert.match(answer.body.msg as string, /template_hash_id/);
  });
});

describe("4.3 create instance: what is accepted", () => {
  const cases: [string, Json][] = [
    ["an image alone", { image }],
    [
      "nulls as not given",
      { image, label: null, disk: null, price: null, env: null, onstart: null, volume_info: null },
    ],
    ["fields it does not know", { image, client_id: "me", force: true }],
    ["a label of any length", { image, label: "x".repeat(5000) }],
    ["an image's name of any length", { image: `registry.example/${"x".repeat(2000)}` }],
    ["a disk below 8 GB", { image, disk: 0.5 }],
    ["a bid below what public services take", { image, price: 0.0009 }],
    ["a bid above what public services take", { image, price: 128.5 }],
    ["onstart of 4048 characters", { image, onstart: "x".repeat(4048) }],
    ["onstart of 4048 characters, each two UTF-16 units long", { image, onstart: "🚀".repeat(4048) }],
    ["the compound runtype of the public command line", { image, runtype: "jupyter_direc ssh_direc ssh_proxy" }],
    ["a volume to link", { image, volume_info: { volume_id: 27_000_001, mount_path: "/data" } }],
    ["a VM, with an SSH key registered", { image, vm: true }],
    ["ports with a protocol", { image, env: { "-p 5000:5000/udp": "1", A: "" } }],
  ];
  for (const [name, body] of cases) {
    test(`4.3 create instance accepts ${name}`, async () => {
      const offer = bench.freeOffer();
      const answer = await bench.create(offer.id, body);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.equal(answer.body.success, true);
      assert.ok(Number.isInteger(answer.body.new_contract), "convention 3: the id is in new_contract");
      assert.equal(answer.body.id, undefined);
      await bench.ask("DELETE", `/api/v0/instances/${answer.body.new_contract}/`);
    });
  }

  test("4.3 env values that are numbers or booleans reach the container as text", async () => {
    const env = { PORT: 8080, RATE: 0.5, DEBUG: true, NAME: "x", "-p 8080:8080": 1 };
    const made = await bench.created({ image, env });
    const expected = [
      ["PORT", "8080"],
      ["RATE", "0.5"],
      ["DEBUG", "true"],
      ["NAME", "x"],
      ["-p 8080:8080", "1"],
    ];
    assert.deepEqual(made.extra_env, expected);
    bench.clock.advance(120);
    assert.ok("8080/tcp" in ((await bench.instance(made.id)).ports as Json));
    await bench.ask("DELETE", `/api/v0/instances/${made.id}/`);
  });

  for (const runtype of ["ssh_direct", "ssh_proxy", "ssh", "jupyter_direct", "jupyter_proxy", "jupyter", "args"]) {
    test(`4.3 runtype ${runtype} opens the ports of the table`, async () => {
      const made = await bench.created({ image, runtype, args_str: "--flag 'two words'" });
      bench.clock.advance(120);
      const record = await bench.instance(made.id);
      const ports = Object.keys(record.ports as Json).sort();
      const expected = { ssh_direct: ["22/tcp"], jupyter_direct: ["22/tcp", "8080/tcp"] }[runtype] ?? [];
      assert.deepEqual(ports, expected);
      assert.equal(record.image_runtype, runtype);
      // Rule 1: Jupyter includes SSH. Rule 3: only `args` keeps the entrypoint, with args_str appended.
      assert.equal(record.ssh_host === null, runtype === "args");
      assert.equal(record.jupyter_token === null, !runtype.startsWith("jupyter"));
      assert.deepEqual(record.image_args, runtype === "args" ? ["--flag", "two words"] : []);
      await bench.ask("DELETE", `/api/v0/instances/${made.id}/`);
    });
  }

  test("4.3 args, as the public command line sends them, follow the image's entrypoint", async () => {
    const args = ["--flag", "two words"];
    const made = await bench.created({ image, args });
    assert.deepEqual([made.image_runtype, made.image_args], ["args", args]);
    const bySsh = await bench.created({ image, args, runtype: "ssh" });
    assert.deepEqual([bySsh.image_runtype, bySsh.image_args], ["ssh", []]);
  });

  test("4.3 the disk is 8 GB unless it is asked for, and costs", async () => {
    const small = await bench.created({ image });
    const large = await bench.created({ image, disk: 100 });
    assert.deepEqual([small.disk_space, large.disk_space], [8, 100]);
    assert.ok((large.storage_total_cost as number) > (small.storage_total_cost as number));
    const expected = (large.dph_base as number) + ((large.storage_cost as number) * 100) / 720;
    assert.ok(Math.abs((large.dph_total as number) - expected) < 1e-5);
  });

  test("4.3 price makes it interruptible at that price, without it is on-demand", async () => {
    const offer = bench.freeOffer();
    const bid = await bench.created({ image, price: 0.9 }, offer);
    assert.deepEqual([bid.is_bid, bid.dph_base], [true, 0.9]);
    assert.equal((await bench.created({ image })).is_bid, false);
  });

  test("4.3 a bid without a price, as the public command line makes it, is the winning one", async () => {
    const offer = bench.freeOffer();
    bench.sandbox.world.bids.fix(offer, 0.321, bench.clock.now());
    const bid = await bench.created({ image, type: "bid", price: null }, offer);
    assert.deepEqual([bid.is_bid, bid.dph_base, bid.cur_state], [true, 0.321, "running"]);
    const fixed = bench.sandbox.world.offers.find((one) => one.minBid === null && bench.sandbox.world.isRentable(one));
    const answer = await bench.create(fixed?.id ?? 0, { image, type: "bid" });
    assert.deepEqual([answer.status, answer.body.error], [400, "invalid_price"]);
  });

  test("4.3 a bid below the least waits for its GPU and never starts", async () => {
    const made = await bench.created({ image, price: 0.001 });
    bench.clock.advance(10_000);
    const { actual_status, intended_status, cur_state } = await bench.instance(made.id);
    assert.deepEqual([actual_status, intended_status, cur_state], ["stopped", "running", "stopped"]);
  });
});

describe("4.3 cancel_unavail with a bid", () => {
  const losing = { image, price: 0.001, cancel_unavail: true };

  test("4.3 a losing bid with cancel_unavail fails at once and rents nothing", async () => {
    const before = bench.sandbox.world.listInstances().length;
    const { status, body } = await bench.create(bench.freeOffer().id, losing);
    assert.deepEqual([status, body.success, body.error], [410, false, "no_such_ask"]);
    assert.match(body.msg as string, /bid/);
    assert.equal(bench.sandbox.world.listInstances().length, before);
  });

  test("4.3 a winning bid with cancel_unavail starts; a losing one that is not to start yet is kept", async () => {
    const offer = bench.freeOffer();
    await bench.created({ ...losing, price: offer.minBid }, offer);
    const { actual_status } = await bench.created({ ...losing, target_state: "stopped" });
    assert.equal(actual_status, null);
  });
});

describe("4.3 the offer is gone", () => {
  test("4.3 one offer makes one instance; the second try is told no_such_ask", async () => {
    const offer = bench.freeOffer();
    await bench.created({ image }, offer);
    const second = await bench.create(offer.id, { image });
    assert.equal(second.status, 404);
    assert.match(second.body.msg as string, /no_such_ask/);
    const fast = await bench.create(offer.id, { image, cancel_unavail: true });
    assert.deepEqual([fast.status, fast.body.error], [410, "no_such_ask"]);
  });

  test("4.3 offers that share a GPU exclude one another", async () => {
    const { world } = bench.sandbox;
    const whole = bench.freeOffer((offer) => offer.gpuIds.length === 2);
    const part = world.offers.find((one) => one.machine.id === whole.machine.id && one.gpuIds.length === 1);
    assert.ok(part);
    await bench.created({ image }, whole);
    assert.equal((await bench.create(part.id, { image })).status, 404);
    assert.equal((await bench.offers({ id: { eq: part.id } })).length, 0);
  });

  test("4.3 an offer nobody made, and one that was taken since it was listed", async () => {
    assert.equal((await bench.create(999, { image, cancel_unavail: true })).status, 404);
    const offer = bench.freeOffer();
    bench.sandbox.world.setFate(offer.id, "gone");
    assert.equal((await bench.offers({ id: { eq: offer.id } })).length, 1);
    assert.equal((await bench.create(offer.id, { image, cancel_unavail: true })).status, 410);
    assert.match((await bench.create(offer.id, { image })).body.msg as string, /no_such_ask/);
  });
});

test("1 convention 2: a VM needs an SSH key that is registered before", async () => {
  const { account } = bench.sandbox.world;
  const keys = account.sshKeys;
  account.sshKeys = [];
  const answer = await bench.create(bench.freeOffer().id, { image, vm: true });
  account.sshKeys = keys;
  assert.deepEqual([answer.status, answer.body.error], [400, "no_ssh_key_for_vm"]);
});

test("4.3 without credit nothing is rented", async () => {
  const { account } = bench.sandbox.world;
  account.credit = 0;
  const answer = await bench.create(bench.freeOffer().id, { image });
  account.credit = 25;
  assert.deepEqual([answer.status, answer.body.error], [400, "insufficient_credit"]);
});
