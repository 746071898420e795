// What is told of an instance on its own: only what is certain, and once for what goes up and down.
import assert from "node:assert/strict";
import { test } from "node:test";
import { calculateDiskShare, hasAlert, isAlertOver } from "../../../../src/domain/instance/alert.ts";
import { Instance } from "../../../../src/domain/instance/instance.ts";
import { describeAlert } from "../../../../src/present/instance/alert-text.ts";

const instance = (more: object) =>
  Instance.parse({ id: 1, actual_status: "running", intended_status: "running", ...more });
const disk = (used: unknown, space: unknown = 100) => instance({ disk_usage: used, disk_space: space });

test("a disk is almost full from 90 %, and it is over below 85 %", () => {
  assert.deepEqual(
    [89.9, 90, 100].map((used) => hasAlert(disk(used), "disk")),
    [false, true, true],
  );
  assert.deepEqual(
    [84.9, 85, 89].map((used) => isAlertOver(disk(used), "disk")),
    [true, false, false],
  );
});

test("what isn't known, or can't be, is no full disk and isn't over", () => {
  for (const one of [disk(undefined), disk(-1), disk(95, 0), disk(95, null), disk(500), disk("x"), disk(Number.NaN)]) {
    assert.equal(calculateDiskShare(one), undefined);
    assert.ok(!hasAlert(one, "disk") && !isAlertOver(one, "disk"));
  }
  assert.ok(!hasAlert(instance({ actual_status: "stopped", disk_usage: 95, disk_space: 100 }), "disk"));
});

test("outbid is who bids, should run and is held stopped", () => {
  const held = { actual_status: "stopped", cur_state: "stopped", is_bid: true };
  assert.ok(hasAlert(instance(held), "outbid"));
  assert.ok(!hasAlert(instance({ ...held, is_bid: false }), "outbid"));
  assert.ok(!hasAlert(instance({ ...held, intended_status: "stopped" }), "outbid"));
  assert.deepEqual(
    [held, { is_bid: true }, { ...held, intended_status: "stopped" }, { is_bid: true, actual_status: "offline" }].map(
      (one) => isAlertOver(instance(one), "outbid"),
    ),
    [false, true, true, false],
  );
});

test("what is told is true as well of one that waits because it was started again, and names what it costs and what it takes, as far as that is known", () => {
  const held = {
    label: "train",
    actual_status: "stopped",
    cur_state: "stopped",
    is_bid: true,
    storage_total_cost: 0.02,
    min_bid: 0.3,
  };
  assert.equal(
    describeAlert(instance(held), "outbid"),
    "You were outbid on train (1), so it isn't running. Its disk is still billed at $0.02/h. The instance restarts when your bid is the highest. The current minimum is $0.30/h.",
  );
  assert.match(
    describeAlert(instance({ ...held, min_bid: undefined, storage_total_cost: 0 }), "outbid"),
    /billed at \$\?\/h\. .* highest\.$/,
  );
  assert.equal(
    describeAlert(disk(93.7), "disk"),
    "The disk of 1 is 93% full (94 of 100 GB). Writes will fail when it's full, and a disk can't be enlarged.",
  );
});
