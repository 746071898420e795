// An instance's page: what it offers in each state, and what it says when a list no longer has the instance.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Instance } from "../../../../src/domain/instance/instance.ts";
import { commands } from "../../../../src/ids.ts";
import { buildInstancePage } from "../../../../src/present/instance/instance-page.ts";

type Shown = Parameters<typeof buildInstancePage>[0];

const AT = Date.UTC(2026, 10, 23, 12);
const page = (fields: object, more: Partial<Shown> = {}) =>
  buildInstancePage({
    value: Instance.parse({ id: 5, gpu_name: "RTX 4090", num_gpus: 1, ssh_host: "a.example", ssh_port: 22, ...fields }),
    raw: fields,
    launchPrice: undefined,
    staleSince: undefined,
    tag: "t",
    now: AT,
    presence: "listed",
    ...more,
  });
const offered = (shown: ReturnType<typeof page>) =>
  [...shown.commands, ...shown.sections.flatMap((section) => section.commands)].map(({ command }) => command);

describe("an instance's page", () => {
  test("offers what its row's menu offers in the same state", () => {
    const running = offered(page({ actual_status: "running" }));
    for (const command of [commands.instanceOpenTerminal, commands.instanceStop, commands.instanceDestroy])
      assert.ok(running.includes(command), command);
    assert.ok(!running.includes(commands.instanceStart));
    const stopped = offered(page({ actual_status: "exited", intended_status: "stopped" }));
    assert.ok(stopped.includes(commands.instanceStart) && !stopped.includes(commands.instanceOpenTerminal));
    assert.ok(offered(page({ actual_status: "offline" })).includes(commands.instanceReplace));
  });

  test("offers nothing while an order is in progress, or once the instance is gone", () => {
    const order = { kind: "destroy", stage: "sending" } as unknown as Shown["order"];
    assert.deepEqual(offered(page({ actual_status: "running" }, { order })), []);
    assert.deepEqual(offered(page({ actual_status: "running" }, { presence: "ended" })), []);
    assert.deepEqual(offered(page({ actual_status: "running" }, { gone: true })), []);
  });

  test("says that it is gone only if it is known to be, and what is old says since when", () => {
    assert.deepEqual(page({}).remarks, []);
    assert.match(page({}, { presence: "ended" }).remarks.join(), /no longer exists on the service/);
    assert.match(page({}, { presence: "missing" }).remarks.join(), /last list didn't include.*may still be billed/);
    assert.doesNotMatch(page({ actual_status: "running" }).status, /as of/);
    assert.match(page({}, { staleSince: AT }).status, /as of \d\d:\d\d$/);
  });

  test("copies the whole address, image, hash and number, and masks what is secret in the record", () => {
    const shown = page({
      public_ipaddr: "203.0.113.7",
      image_uuid: "pytorch/pytorch:2",
      template_hash_id: "abc",
      jupyter_token: "tok3n-very-secret",
      extra_env: [["HF_TOKEN", "hf_secret_value"]],
    });
    const copied = shown.sections.flatMap(({ facts }) => facts.flatMap(({ copies }) => copies ?? []));
    assert.deepEqual(copied, ["203.0.113.7", "5", "abc", "pytorch/pytorch:2"]);
    assert.doesNotMatch(JSON.stringify(shown) + shown.record(), /tok3n|hf_secret/);
  });

  test("leaves out what isn't known, and says a price that nobody stated", () => {
    const { sections } = page({});
    const names = sections.flatMap(({ facts }) => facts.map(({ name }) => name));
    assert.ok(!names.includes("GPU temperature") && !names.includes("Confirmed at launch"));
    const price = sections[0]?.facts.find(({ name }) => name === "Current price");
    assert.equal(price?.value, "$?/h (not stated)");
  });
});
