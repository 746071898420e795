// The terms of a create request on the sandbox, judged by the interface document's sections 1 and 4.3: when it starts, what a private
// image needs, which volumes can be had, ports, entrypoints and keys.
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { MarketOffer } from "../../../src/sandbox/market/market.ts";
import { completeContent, type TemplateContent } from "../../../src/sandbox/world/template-content.ts";
import { Bench, type Json } from "../support/sandbox.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.start();
});
afterEach(() => bench.sandbox.stop());

const image = "pytorch/pytorch:latest";
const later = (id: unknown, seconds = 200) => {
  bench.clock.advance(seconds);
  return bench.instance(id);
};

describe("4.3 target_state", () => {
  test("stopped: it is created and prepared, never runs by itself, and its disk alone is billed", async () => {
    const { world } = bench.sandbox;
    const offer = bench.freeOffer();
    const before = world.calculateCredit();
    const made = await bench.created({ image, target_state: "stopped", disk: 100 }, offer);
    const { actual_status, intended_status, cur_state, storage_total_cost } = await later(made.id);
    assert.deepEqual([actual_status, intended_status, cur_state], ["stopped", "stopped", "stopped"]);
    bench.clock.advance(3600 - 200);
    assert.ok(Math.abs(before - world.calculateCredit() - Number(storage_total_cost)) < 1e-5);
    assert.ok(world.isRentable(offer), "nobody holds its GPU");
    await bench.ask("PUT", `/api/v0/instances/${made.id}/`, { body: { state: "running" } });
    assert.equal((await later(made.id, 20)).actual_status, "running");
  });

  test("running is the default, and the same as running asked for", async () => {
    const [asked, left] = [await bench.created({ image, target_state: "running" }), await bench.created({ image })];
    for (const { id } of [asked, left]) assert.equal((await later(id)).actual_status, "running");
  });
});

describe("4.3 cancel_unavail", () => {
  for (const cancel_unavail of [false, undefined])
    test(`${cancel_unavail}: what can't start at once waits, stopped, with its disk billed, and starts by itself`, async () => {
      const { world } = bench.sandbox;
      const offer = bench.freeOffer();
      world.bids.fix(offer, 0.5, bench.clock.now());
      const before = world.calculateCredit();
      const made = await bench.created({ image, price: 0.2, cancel_unavail }, offer);
      const waiting = await later(made.id, 3600);
      assert.deepEqual(
        [waiting.actual_status, waiting.intended_status, waiting.cur_state],
        ["stopped", "running", "stopped"],
      );
      assert.ok(Math.abs(before - world.calculateCredit() - Number(waiting.storage_total_cost)) < 1e-5);
      world.bids.fix(offer, 0.1, bench.clock.now());
      await later(made.id, 1);
      assert.equal((await later(made.id)).actual_status, "running");
    });
});

describe("4.3 rule 7: a private image", () => {
  const closed = "registry.sandbox.invalid/you/finetune:2026-07";
  const login = "-u you -p sandbox-registry-token registry.sandbox.invalid";
  const credentials = {
    docker_login_repo: "registry.sandbox.invalid",
    docker_login_user: "you",
    docker_login_pass: "sandbox-registry-token",
  };
  const hash = (parts: Partial<TemplateContent>) => {
    const { world } = bench.sandbox;
    const content = completeContent({ name: "Private", image: closed, runtype: "ssh", ...parts });
    return world.templates.add(content, { owner: world.account.id, now: world.getNow() }).hash_id;
  };

  const cases: readonly [string, () => Json, string][] = [
    ["without a login", () => ({ image: closed }), "exited"],
    ["with its login", () => ({ image: closed, image_login: login }), "running"],
    ["with another token", () => ({ image: closed, image_login: login.replace("sandbox-", "") }), "exited"],
    ["with another user", () => ({ image: closed, image_login: login.replace("you", "me") }), "exited"],
    [
      "with a login to another registry",
      () => ({ image: closed, image_login: login.replace(/\S+$/, "x.y") }),
      "exited",
    ],
    ["of a template with its login", () => ({ template_hash_id: hash(credentials) }), "running"],
    ["of a template without", () => ({ template_hash_id: hash({}) }), "exited"],
    ["of a template without, with a login", () => ({ template_hash_id: hash({}), image_login: login }), "running"],
    [
      "over a template with its login",
      () => ({ template_hash_id: hash({ ...credentials, image: "ubuntu" }), image: closed }),
      "running",
    ],
    [
      "whose request brings a wrong login over the template's",
      () => ({ template_hash_id: hash(credentials), image_login: login.replace("you", "me") }),
      "exited",
    ],
    ["that anybody may read, with a login", () => ({ image, image_login: login }), "running"],
    ["created stopped, without a login", () => ({ image: closed, target_state: "stopped" }), "exited"],
  ];
  for (const [name, body, status] of cases)
    test(`${name}: ${status}`, async () => {
      const made = await bench.created(body());
      const { actual_status, status_msg } = await later(made.id);
      assert.equal(actual_status, status);
      assert.equal(/pull access denied/.test(String(status_msg)), status === "exited");
      assert.doesNotMatch(String(status_msg), /token/);
    });

  test("that waited for its GPU is pulled only then, and refused as well", async () => {
    const { world } = bench.sandbox;
    const offer = bench.freeOffer();
    world.bids.fix(offer, 0.5, bench.clock.now());
    const made = await bench.created({ image: closed, price: 0.2 }, offer);
    assert.equal((await later(made.id)).actual_status, "stopped");
    world.bids.fix(offer, 0.1, bench.clock.now());
    await later(made.id, 1);
    assert.equal((await later(made.id)).actual_status, "exited");
  });
});

describe("4.3 volume_info", () => {
  const mount_path = "/data";
  const volumes = () => bench.sandbox.world.volumes;
  const local = () => {
    const found = volumes()
      .list()
      .find(({ machineId }) => machineId !== null);
    assert.ok(found);
    return found;
  };
  const offerOn = (machine: number | null, wanted = true): MarketOffer => {
    const found = bench.sandbox.world.offers.find(
      (one) => (one.machine.id === machine) === wanted && bench.sandbox.world.isRentable(one) && one.fate === "runs",
    );
    assert.ok(found);
    return found;
  };
  const listing = () => {
    const found = volumes()
      .listOffers()
      .find(
        (one) =>
          !one.network &&
          !one.active &&
          bench.sandbox.world.offers.some(
            (offer) =>
              offer.machine.id === one.machine.id && bench.sandbox.world.isRentable(offer) && offer.fate === "runs",
          ),
      );
    assert.ok(found);
    return found;
  };
  const refused = async (offer: MarketOffer, volume_info: Json, says: RegExp) => {
    const [instances, count] = [bench.sandbox.world.listInstances().length, volumes().list().length];
    const { status, body } = await bench.create(offer.id, { image, volume_info });
    assert.deepEqual([status, body.error], [400, "invalid_args"]);
    assert.match(String(body.msg), says);
    assert.deepEqual([bench.sandbox.world.listInstances().length, volumes().list().length], [instances, count]);
  };

  test("links a volume on its own machine, with create_new false or left out", async () => {
    const volume = local();
    bench.sandbox.world.setFate(offerOn(volume.machineId).id, "runs");
    for (const create_new of [undefined, false]) {
      const volume_info = { volume_id: volume.id, mount_path, ...(create_new === undefined ? {} : { create_new }) };
      const made = await bench.created({ image, volume_info }, offerOn(volume.machineId));
      const [linked] = made.volume_info as Json[];
      assert.deepEqual([linked?.volume_id, linked?.mount_path], [volume.id, mount_path]);
      await bench.ask("DELETE", `/api/v0/instances/${made.id}/`);
    }
  });

  test("links no volume on another machine, none that is gone, none of somebody else, and no volume offer", async () => {
    const volume = local();
    const other = offerOn(volume.machineId, false);
    await refused(other, { volume_id: volume.id, mount_path }, /lies on another machine/);
    const own = offerOn(volume.machineId);
    volumes().delete(volume.id, () => false);
    await refused(own, { volume_id: volume.id, mount_path }, /you have no such volume/);
    const [foreign] = volumes().listForeign();
    await refused(offerOn(foreign?.machineId ?? 0), { volume_id: foreign?.id, mount_path }, /you have no such volume/);
    assert.throws(() => volumes().delete(foreign?.id, () => false), /does not exist/);
    await refused(own, { volume_id: listing().id, mount_path }, /you have no such volume/);
  });

  test("creates one of a volume offer on the same machine, of the size asked for, and bills it", async () => {
    const found = listing();
    const offer = offerOn(found.machine.id);
    const volume_info = { create_new: true, volume_id: found.id, size: 10, mount_path };
    const made = await bench.created({ image, volume_info }, offer);
    const [mounted] = made.volume_info as Json[];
    const volume = volumes()
      .list()
      .find(({ id }) => id === mounted?.volume_id);
    assert.deepEqual([volume?.size, volume?.machineId], [10, found.machine.id]);
    const { body } = await bench.ask("GET", "/api/v0/users/spend-rate/");
    assert.ok(Number(body.volume_storage_cost_per_hour) > 0, JSON.stringify(body));
    await bench.ask("DELETE", `/api/v0/instances/${made.id}/`);
    assert.ok(
      volumes()
        .list()
        .includes(volume as never),
      "it outlives the instance",
    );
  });

  test("creates none of an offer on another machine, that is rented, gone or no offer, or of more than is free", async () => {
    const found = listing();
    const offer = offerOn(found.machine.id);
    const create = { create_new: true, size: 10, mount_path };
    await refused(offerOn(found.machine.id, false), { ...create, volume_id: found.id }, /offered on another machine/);
    await refused(offer, { ...create, volume_id: found.id, size: found.size + 1 }, /size must be at most/);
    await refused(offer, { ...create, volume_id: local().id }, /no such volume offer/);
    await refused(offer, { ...create, volume_id: 1 }, /no such volume offer/);
    const rented = volumes()
      .listOffers()
      .find(({ active }) => active);
    assert.ok(rented);
    await refused(offerOn(rented.machine.id), { ...create, volume_id: rented.id }, /rented already/);
    const most = Math.floor(found.size) - 5;
    volumes().create({ id: found.id, size: most }, bench.clock.now());
    await refused(offer, { ...create, volume_id: found.id }, /size must be at most/);
    const listed = (await bench.ask("GET", "/api/v0/volumes/search/", { query: {} })).body;
    assert.ok(listed !== undefined);
    assert.equal(
      volumes()
        .listOffers()
        .find(({ id }) => id === found.id)?.size,
      found.size - most,
      "as much as is left",
    );
  });
});

describe("4.3 env", () => {
  const cases: readonly [string, unknown, RegExp][] = [
    ["-p 0:80", "1", /-p 8080:8080/],
    ["-p 80:0", "1", /-p 8080:8080/],
    ["-p 65536:80", "1", /-p 8080:8080/],
    ["-p 80:65536", "1", /-p 8080:8080/],
    ["-p 99999:99998", "1", /-p 8080:8080/],
    ["-p 5003-5000:5003-5000", "1", /-p 8080:8080/],
    ["-p 5000-5003:5000", "1", /-p 8080:8080/],
    ["-p8080:8080", "1", /-p 8080:8080/],
    ["-p 8080:8080", "2", /value is 1/],
    ["-p 8080:8080", "", /value is 1/],
  ];
  for (const [name, value, says] of cases)
    test(`refuses ${name} with the value ${JSON.stringify(value)}`, async () => {
      const { status, body } = await bench.create(bench.freeOffer().id, { image, env: { [name]: value } });
      assert.equal(status, 400);
      assert.match(String(body.msg), says);
    });

  for (const name of ["-p 1:65535", "-p 5000-5003:6000-6003", "-p 70000:70000", "-p 8000:80/tcp"])
    test(`takes ${name}`, async () => {
      assert.equal((await bench.create(bench.freeOffer().id, { image, env: { [name]: "1" } })).status, 200);
    });
});

describe("4.3 rules 2 and 3: the entrypoint", () => {
  const log = async (body: Json) => {
    const made = await bench.created({ image, ...body });
    await later(made.id, 120);
    const { result_url } = (
      await bench.ask("PUT", `/api/v0/instances/request_logs/${made.id}/`, { body: { tail: "1000" } })
    ).body;
    return (await fetch(String(result_url))).text();
  };

  test("is the image's own with args, and its arguments follow it", async () => {
    const text = await log({ runtype: "args", args_str: "serve --model x", onstart: "echo started" });
    assert.match(text, /entrypoint of the image, with: serve --model x/);
    assert.doesNotMatch(text, /entrypoint of the service|onstart/);
  });

  for (const runtype of ["ssh", "ssh_direct", "jupyter", "jupyter_direct"])
    test(`is the service's with ${runtype}, then onstart runs; the image's own doesn't`, async () => {
      const text = await log({ runtype, onstart: "echo started" });
      assert.match(text, /entrypoint of the service[\s\S]*onstart/);
      // Rule 5: only what onstart exports is seen in SSH sessions.
      assert.doesNotMatch(text, /entrypoint of the image|\/etc\/environment/);
    });
});

test("4.3 python_utf8 and lang_utf8 go to the instance; neither is the default", async () => {
  for (const [python_utf8, lang_utf8] of [
    [true, false],
    [false, true],
    [undefined, undefined],
  ]) {
    const made = await bench.created({ image, python_utf8, lang_utf8 });
    assert.deepEqual([made.python_utf8, made.lang_utf8], [python_utf8 ?? false, lang_utf8 ?? false]);
  }
});

test("1 convention 2: a container learns of a later key, a VM keeps those that it was created with", async () => {
  const body = { ssh_key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAnotherKeyOfNobody later@here" };
  const attach = (id: unknown) => bench.ask("POST", `/api/v0/instances/${id}/ssh/`, { body });
  const [vm, container] = [await bench.created({ image, vm: true }), await bench.created({ image })];
  assert.equal((await attach(container.id)).status, 200);
  assert.equal((await attach(vm.id)).status, 400);
  assert.deepEqual(bench.sandbox.world.findInstance(Number(vm.id))?.sshKeys, bench.sandbox.world.account.sshKeys);
});
