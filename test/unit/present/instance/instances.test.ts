// An instance's row.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Instance, priceNow, type SshState } from "../../../../src/domain/instance/instance.ts";
import { instanceRow } from "../../../../src/present/instance/instances.ts";

describe("an instance's row", () => {
  const row = (fields: object, launchPrice?: number, staleSince?: number) =>
    instanceRow({
      value: Instance.parse({ id: 5, gpu_name: "RTX 4090", num_gpus: 1, ...fields }),
      launchPrice,
      staleSince,
      tag: "t",
    });

  test("an unknown price is $?, never nothing and never zero", () => {
    assert.equal(row({ actual_status: "running" }).description, "running · $?/h");
    assert.equal(row({ actual_status: "running", dph_total: 0 }).description, "running · $?/h");
    assert.match(row({ actual_status: "running" }).accessible, /price unknown/);
  });
  test("what was confirmed at launch stands in until the service says a price", () => {
    assert.equal(row({ actual_status: "loading" }, 0.4).description, "loading · $0.40/h");
    assert.equal(row({ actual_status: "running", dph_total: 0.5 }, 0.4).description, "running · $0.50/h");
    assert.equal(priceNow({ value: Instance.parse({ id: 5, actual_status: "stopped" }), launchPrice: 0.4 }), undefined);
  });
  test("a machine whose SSH server is waited for says so, as long as it runs", () => {
    const value = (status: string) =>
      Instance.parse({ id: 5, gpu_name: "RTX 4090", num_gpus: 1, actual_status: status });
    const facts = { launchPrice: 0.4, staleSince: undefined, tag: "t" };
    const starting = instanceRow({ ...facts, value: value("running"), ssh: "starting" });
    assert.equal(starting.description, "starting SSH… · $0.40/h");
    assert.equal(starting.icon, "sync~spin");
    assert.match(starting.context, /canConnect/);
    for (const ssh of ["ready", "silent", undefined] as const)
      assert.equal(instanceRow({ ...facts, value: value("running"), ssh }).description, "running · $0.40/h");
    assert.equal(instanceRow({ ...facts, value: value("offline"), ssh: "starting" }).description, "offline · $0.40/h");
    const said = (ssh?: SshState) =>
      instanceRow({ ...facts, value: value("running"), ssh })
        .tooltip?.()
        .facts.find(([name]) => name === "SSH server")?.[1];
    assert.deepEqual(
      [said("starting"), said("ready"), said("silent"), said()],
      ["starting", "answered", "has not answered yet", undefined],
    );
  });
  test("its id holds nothing that changes", () => {
    assert.equal(row({ actual_status: "running", dph_total: 1 }).id, row({ actual_status: "exited", label: "x" }).id);
  });
  test("when the service is away the row says since when, and stops to spin", () => {
    const stale = row({ actual_status: "loading" }, 0.4, new Date(2026, 0, 1, 14, 2).getTime());
    assert.match(stale.description, /^loading · \$0\.40\/h · as of 14:02/);
    assert.equal(stale.icon, "sync");
    assert.equal(stale.color, "disabledForeground");
  });
  test("neither its notebook's token nor its environment is shown, not even in the tooltip", () => {
    const extra_env = [
      ["JUPYTER_TOKEN", "canary-of-the-notebook"],
      ["PLAIN", "canary-of-a-variable"],
    ];
    for (const status of ["running", "stopped"]) {
      const { tooltip, ...shown } = row({ actual_status: status, jupyter_token: "canary-of-the-service", extra_env });
      const facts = tooltip?.();
      assert.ok(facts && facts.facts.length > 3);
      assert.doesNotMatch(JSON.stringify([shown, facts]), /canary/);
    }
  });
  test("a hostile label neither draws icons nor moves the price", () => {
    const name = row({ label: "$(trash)\u202e 0.01/h\u0000" }).label;
    assert.doesNotMatch(name, /\$\(trash\)|\u202e|\p{Cc}/u);
  });
});
