// An instance's row.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { getCurrentPrice, Instance, type SshState } from "../../../../src/domain/instance/instance.ts";
import {
  buildInstanceRow,
  describeDestroyed,
  formatInstanceTitle,
} from "../../../../src/present/instance/instances.ts";
import { describeOrderFailures } from "../../../../src/present/instance/orders.ts";

describe("an instance's row", () => {
  const row = (fields: object, launchPrice?: number, staleSince?: number) =>
    buildInstanceRow({
      value: Instance.parse({ id: 5, gpu_name: "RTX 4090", num_gpus: 1, ...fields }),
      launchPrice,
      staleSince,
      tag: "t",
    });

  test("an unknown price is $?, never nothing and never zero", () => {
    assert.equal(row({ actual_status: "running" }).description, "$?/h");
    assert.equal(row({ actual_status: "running", dph_total: 0 }).description, "$?/h");
    assert.match(row({ actual_status: "running" }).accessible, /price unknown/);
  });
  test("what was confirmed at launch stands in until the service says a price", () => {
    assert.equal(row({ actual_status: "loading" }, 0.4).description, "loading · $0.40/h");
    assert.equal(row({ actual_status: "running", dph_total: 0.5 }, 0.4).description, "$0.50/h");
    assert.equal(
      getCurrentPrice({ value: Instance.parse({ id: 5, actual_status: "stopped" }), launchPrice: 0.4 }),
      undefined,
    );
  });
  test("a machine whose SSH server is waited for says so, as long as it runs", () => {
    const value = (status: string) =>
      Instance.parse({ id: 5, gpu_name: "RTX 4090", num_gpus: 1, actual_status: status });
    const facts = { launchPrice: 0.4, staleSince: undefined, tag: "t" };
    const starting = buildInstanceRow({ ...facts, value: value("running"), ssh: "starting" });
    assert.equal(starting.description, "starting SSH… · $0.40/h");
    assert.equal(starting.icon, "sync~spin");
    assert.match(starting.context, /canConnect/);
    for (const ssh of ["ready", "silent", undefined] as const)
      assert.equal(buildInstanceRow({ ...facts, value: value("running"), ssh }).description, "$0.40/h");
    assert.equal(
      buildInstanceRow({ ...facts, value: value("offline"), ssh: "starting" }).description,
      "offline · $0.40/h",
    );
    const said = (ssh?: SshState) =>
      buildInstanceRow({ ...facts, value: value("running"), ssh })
        .tooltip?.()
        .facts.find(([name]) => name === "SSH server")?.[1];
    assert.deepEqual(
      [said("starting"), said("ready"), said("silent"), said()],
      ["starting", undefined, "not responding yet", undefined],
    );
  });
  test("whoever hovers over it reads why it doesn't run, what it costs, and when the rental expires", () => {
    const hover = (fields: object) =>
      Object.fromEntries(
        buildInstanceRow({
          value: Instance.parse({ id: 5, dph_total: 0.4, storage_total_cost: 0.01, status_msg: "pulling", ...fields }),
          launchPrice: undefined,
          staleSince: undefined,
          tag: "t",
        }).tooltip?.().facts ?? [],
      );
    const loading = hover({ actual_status: "loading", is_bid: true, end_date: 1_790_000_000 });
    assert.equal(loading.Message, "pulling");
    assert.equal(loading["Rental type"], "interruptible");
    assert.match(String(loading["Rental expires"]), /2026/);
    const running = hover({ actual_status: "running", is_bid: false });
    assert.deepEqual(running, { "Current price": "$0.40/h" });
    const stopped = hover({ actual_status: "stopped", intended_status: "stopped" });
    assert.deepEqual(stopped, { "Current price": "$0.01/h · for its disk" });
  });
  test("a running one says for how long it is rented and about what that came to; unknown is never zero", () => {
    const START = 1_790_000_000;
    const aged = (hours: number, fields: object, staleSince?: number) =>
      buildInstanceRow({
        value: Instance.parse({ id: 5, gpu_name: "RTX 4090", num_gpus: 1, start_date: START, ...fields }),
        launchPrice: undefined,
        staleSince,
        now: (START + hours * 3600) * 1000,
        tag: "t",
      });
    const running = { actual_status: "running", dph_total: 0.4 };
    assert.equal(aged(3.1, running).description, "$0.40/h · 3 h · up to about $1.24 so far");
    assert.match(aged(3.1, running).accessible, /3 h, up to about \$1\.24 so far$/);
    assert.equal(aged(0.2, running).description, "$0.40/h · 12 min · up to about $0.080 so far");
    assert.equal(aged(0.005, running).description, "$0.40/h · 0 min", "too little to say");
    assert.equal(aged(3, { actual_status: "running" }).description, "$?/h · 3 h");
    assert.equal(aged(3, { actual_status: "running", dph_total: 0 }).description, "$?/h · 3 h");
    assert.equal(aged(3, { ...running, start_date: undefined }).description, "$0.40/h");
    assert.equal(aged(3, { ...running, start_date: 1e300 }).description, "$0.40/h");
    assert.equal(aged(-5, running).description, "$0.40/h", "a start in the future");
    assert.equal(
      aged(3, { actual_status: "stopped", intended_status: "stopped", storage_total_cost: 0.01 }).description,
      "stopped · $0.01/h",
      "what it cost before it was stopped is not known",
    );
    const stale = aged(50, running, (START + 7200) * 1000).description;
    assert.match(stale, /2 h · up to about \$0\.800 so far$/, "a row that is out of date counts no further");
    assert.equal(
      aged(3, { ...running, label: "mine", template_name: "PyTorch" }).description,
      "$0.40/h · 3 h · up to about $1.20 so far · PyTorch · 1× RTX 4090",
    );
  });
  test("messages call it what its row does, with its number", () => {
    const title = (fields: object) => formatInstanceTitle(Instance.parse({ id: 5, ...fields }));
    assert.equal(title({ label: "trainer", gpu_name: "RTX 4090" }), "trainer (5)");
    assert.equal(title({ gpu_name: "RTX 4090", num_gpus: 2 }), "2× RTX 4090 (5)");
    assert.equal(title({}), "5");
    assert.match(
      describeOrderFailures([{ id: 5, kind: "destroy", outcome: "failed", reason: "No." }], () => "trainer (5)") ?? "",
      /^Instance trainer \(5\) may still exist/,
    );
  });
  test("what was destroyed is named, with its age and cost as far as they are known", () => {
    const START = 1_790_000_000;
    const facts = (id: number, fields: object) => ({
      value: Instance.parse({ id, gpu_name: "RTX 4090", num_gpus: 1, start_date: START, ...fields }),
      ...{ launchPrice: undefined, staleSince: undefined, now: (START + 11_160) * 1000, tag: "t" },
    });
    const end = (id: number, outcome: "done" | "failed" = "done", kind: "destroy" | "stop" = "destroy") => ({
      ...{ id, outcome, kind },
    });
    const running = { actual_status: "running", dph_total: 0.4 };
    const rows = [facts(5, running), facts(6, running)];
    const table = [
      [[end(5)], rows, "Destroyed instance 1× RTX 4090 (5) after 3 h. It cost up to about $1.24."],
      [[end(5)], [facts(5, { actual_status: "running" })], "Destroyed instance 1× RTX 4090 (5) after 3 h."],
      [[end(5)], [facts(5, { actual_status: "exited" })], "Destroyed instance 1× RTX 4090 (5)."],
      [[end(5), end(6)], rows, "Destroyed 2 instances."],
      [[end(5, "failed"), end(6)], rows, "Destroyed instance 1× RTX 4090 (6) after 3 h. It cost up to about $1.24."],
      [[end(5, "failed")], rows, undefined],
      [[end(5, "done", "stop")], rows, undefined],
      [[], rows, undefined],
    ] as const;
    for (const [ends, before, said] of table) assert.equal(describeDestroyed(ends, before), said);
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
      assert.ok(facts && facts.facts.length > 0);
      assert.doesNotMatch(JSON.stringify([shown, facts]), /canary/);
    }
  });
  test("a hostile label neither draws icons nor moves the price", () => {
    const name = row({ label: "$(trash)\u202e 0.01/h\u0000" }).label;
    assert.doesNotMatch(name, /\$\(trash\)|\u202e|\p{Cc}/u);
  });
});
