// What bills as rows, and the total over them: never more than is known, never $0 for what is unknown.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { InstanceAutoStop } from "../../../../src/domain/instance/auto-stop.ts";
import { Instance } from "../../../../src/domain/instance/instance.ts";
import { Volume } from "../../../../src/domain/instance/volume.ts";
import type { LaunchRecord } from "../../../../src/domain/launch/launch-record.ts";
import { Workergroup } from "../../../../src/domain/serverless/workergroup.ts";
import { buildPaidView, type PaidFacts } from "../../../../src/present/account/paying-rows.ts";

const instanceOf = (id: number, more: object = {}) => ({
  value: Instance.parse({ id, label: `run ${id}`, actual_status: "running", dph_total: 0.5, ...more }),
  launchPrice: undefined,
});
const STOPPED = { actual_status: "stopped", intended_status: "stopped", storage_total_cost: 0.012 };
const launchOf = (...facts: string[]): LaunchRecord =>
  ({
    token: "vsc-aaaaaaaaaaaaaaaa",
    ids: [],
    facts: new Set(["claimed", ...facts]),
    prepared: {
      version: 1,
      machine: "1× RTX 4090",
      origin: "o",
      account: "a",
      at: 0,
      offer: 7,
      tracked: true,
      price: 0.4,
    },
  }) as unknown as LaunchRecord;
const volumeOf = (more: object = {}) => ({
  value: Volume.parse({ id: 9, label: "data", disk_space: 100, storage_total_cost: 0.02, ...more }),
});
const EMPTY = { rows: [], unreadable: 0 };
const refused = { kind: "not-allowed", message: "No." };
const broken = { kind: "server", message: "The service failed." };

function factsOf(more: Partial<PaidFacts> = {}, instances: Partial<PaidFacts["instances"]> = {}): PaidFacts {
  const whole = { ...EMPTY, isWhole: true, isListed: true, at: 0 };
  const others = { launches: EMPTY, volumes: EMPTY, workergroups: EMPTY, diskCosts: new Map(), failed: [] };
  return { ...others, instances: { ...whole, ...instances }, ...more };
}
test("what other accounts had rented comes last, in no total, and leads to them", () => {
  const base = "https://gpu.example";
  const reading = {
    ...{ key: "k", name: "work", base, isLeft: false },
    ...{ count: 2, price: 0.4, at: 1_790_000_000_000 },
  };
  const empty = { rows: [], unreadable: 0 };
  const facts = {
    instances: { ...empty, isWhole: true, isListed: true, at: 1 },
    ...{ launches: empty, volumes: empty, workergroups: empty, diskCosts: new Map(), failed: [] },
  };
  const { total, groups } = buildPaidView(facts, () => undefined, 0, [reading]);
  assert.equal(total, undefined);
  assert.deepEqual(
    groups.map(({ name }) => name),
    [undefined, "Other accounts"],
  );
  const [row] = groups.at(-1)?.rows ?? [];
  assert.match(row?.label ?? "", /^work at gpu\.example: 2 instances at \$0\.40\/h \(as of /);
  assert.deepEqual(row?.thing, { kind: "account" });
  assert.equal(row?.detail, "Switch Account…");
  const left = buildPaidView(facts, () => undefined, 0, [{ ...reading, isLeft: true }]).groups.at(-1)?.rows[0];
  assert.match(left?.label ?? "", /^work at gpu\.example \(signed out, needs its API key\): 2 instances/);
});

test("what is known of the balance comes after what bills", () => {
  const facts = factsOf({}, { rows: [instanceOf(1)] });
  const last = buildPaidView(facts, () => undefined, 0, [], ["Balance: $3.00, enough for about 6 h."]).groups.at(-1);
  assert.equal(last?.name, "Balance");
  assert.deepEqual(
    last?.rows.map(({ label, thing }) => [label, thing.kind]),
    [["Balance: $3.00, enough for about 6 h.", "none"]],
  );
});

const show = (facts: PaidFacts) => buildPaidView(facts, () => undefined, 0);
const rowsOf = (facts: PaidFacts) => show(facts).groups.flatMap(({ rows }) => rows);
const totalOf = (facts: PaidFacts) => show(facts).total;
const wordsOf = (facts: PaidFacts) =>
  show(facts).groups.map(({ name, rows }) => [name, ...rows.map((row) => `${row.label}: ${row.description}`)]);

test("what runs, what only has a disk, and the rest are groups of their own, each with its price", () => {
  const starting = instanceOf(3, { actual_status: "loading", dph_total: 0.3 });
  const rows = [instanceOf(2, STOPPED), instanceOf(1), starting];
  const workergroup = { value: Workergroup.parse({ id: 5, endpoint_name: "chat", endpoint_id: 1 }) };
  const facts = factsOf(
    {
      launches: { ...EMPTY, rows: [launchOf()] },
      volumes: { ...EMPTY, rows: [volumeOf()] },
      workergroups: { ...EMPTY, rows: [workergroup] },
    },
    { rows },
  );
  const [running, disks, [launches, launch] = [], ...others] = wordsOf(facts);
  assert.deepEqual(running, ["Instances", "run 1: $0.50/h · running · 1", "run 3: $0.30/h · loading · 3"]);
  assert.deepEqual(disks, ["Only the disk is billed", "run 2: $0.012/h · stopped · 2"]);
  assert.equal(launches, "Unresolved launches");
  assert.match(launch ?? "", /^1× RTX 4090 of .*: may have been rented: \$0\.40\/h · Review…$/);
  assert.deepEqual(others, [
    ["Volumes", "data: $0.02/h · 100 GB · 9"],
    ["Workergroups", "Workergroup 5: rents workers automatically · chat · Show"],
  ]);
  const things = rowsOf(facts).map(({ thing }) => thing.kind);
  assert.deepEqual(things, ["instance", "instance", "instance", "launch", "none", "workergroup"]);
});

describe("the total", () => {
  const rows = [instanceOf(1), instanceOf(2, STOPPED)];
  const said = {
    "is exact where all is known": [factsOf({}, { rows }), "$0.512/h"],
    "counts volumes": [factsOf({ volumes: { ...EMPTY, rows: [volumeOf()] } }, { rows }), "$0.532/h"],
    "is a minimum with an unknown price": [
      factsOf({}, { rows: [...rows, instanceOf(3, { dph_total: 0 })] }),
      "at least $0.512/h",
    ],
    "is a minimum with a disk of unknown price": [
      factsOf({}, { rows: [instanceOf(1), instanceOf(2, { ...STOPPED, storage_total_cost: undefined })] }),
      "at least $0.50/h",
    ],
    "is unknown, not $0, where nothing is known": [
      factsOf({}, { rows: [instanceOf(3, { dph_total: 0 })] }),
      "total unknown",
    ],
    "is a minimum with a launch that may have rented": [
      factsOf({ launches: { ...EMPTY, rows: [launchOf()] } }, { rows }),
      "at least $0.512/h",
    ],
    "doesn't doubt for a refused launch": [
      factsOf({ launches: { ...EMPTY, rows: [launchOf("refused")] } }, { rows }),
      "$0.512/h",
    ],
    "is a minimum with workergroups": [
      factsOf({ workergroups: { ...EMPTY, rows: [{ value: Workergroup.parse({ id: 5 }) }] } }, { rows }),
      "at least $0.512/h",
    ],
    "is a minimum where volumes may not be read": [
      factsOf({ volumes: { ...EMPTY, error: refused } }, { rows }),
      "at least $0.512/h",
    ],
    "is a minimum where the list has gaps": [factsOf({}, { rows, isWhole: false }), "at least $0.512/h"],
    "is missing where nothing bills": [factsOf(), undefined],
  } as const;
  for (const [name, [facts, total]] of Object.entries(said)) test(name, () => assert.equal(totalOf(facts), total));

  test("of an old reading is of then, because rentals may have ended since", () => {
    assert.match(totalOf(factsOf({}, { rows, error: broken })) ?? "", /^\$0\.512\/h as of \d/);
  });
});

test("a price that isn't known is said to be unknown", () => {
  const facts = factsOf(
    {},
    { rows: [instanceOf(1, { dph_total: 0 }), instanceOf(2, { ...STOPPED, storage_total_cost: 0 })] },
  );
  assert.deepEqual(
    rowsOf(facts).map(({ description }) => description),
    ["price unknown · running · 1", "price unknown · stopped · 2"],
  );
});

describe("nothing", () => {
  const NOTHING = "No charges found in this account.";
  const says = (facts: PaidFacts) => rowsOf(facts).map(({ label }) => label);

  test("is said of complete lists", () => assert.deepEqual(says(factsOf()), [NOTHING]));

  const gaps: Readonly<Record<string, readonly [PaidFacts, RegExp]>> = {
    "a list with gaps": [factsOf({}, { isWhole: false }), /^The list of instances is incomplete/],
    "a service without a list": [
      factsOf({}, { isWhole: false, isListed: false }),
      /^This service can't list instances/,
    ],
    "unreadable records": [
      factsOf({}, { isWhole: false, unreadable: 2 }),
      /^Instances that couldn't be read and aren't listed: 2\./,
    ],
    "a list that failed": [factsOf({}, { isWhole: false, at: undefined, error: broken }), /^The service failed/],
    "an old list": [factsOf({}, { error: broken }), /^The list of instances is from .*: The service failed/],
    "forbidden volumes": [
      factsOf({ volumes: { ...EMPTY, error: refused } }),
      /doesn't have permission to list volumes/,
    ],
    "volumes refused by the key": [
      factsOf({ volumes: { ...EMPTY, error: { kind: "key-refused", message: "" } } }),
      /doesn't have permission to list volumes/,
    ],
    "volumes that failed": [factsOf({ volumes: { ...EMPTY, error: broken } }), /^Volumes couldn't be read/],
    "forbidden workergroups": [
      factsOf({ workergroups: { ...EMPTY, error: refused } }),
      /doesn't have permission to list workergroups/,
    ],
    "unreadable volumes": [factsOf({ volumes: { ...EMPTY, unreadable: 1 } }), /^Volumes that couldn't be read/],
    "launches that failed": [factsOf({ launches: { ...EMPTY, error: broken } }), /^Launches couldn't be read/],
  };
  for (const [name, [facts, line]] of Object.entries(gaps))
    test(`isn't said of ${name}`, () => {
      const [first, ...more] = says(facts);
      assert.match(first ?? "", line);
      assert.deepEqual(more, []);
    });

  test("of what failed to be read is read again by Enter", () => {
    const [row] = rowsOf(factsOf({ volumes: { ...EMPTY, error: broken } }));
    assert.deepEqual([row?.thing, row?.description], [{ kind: "reread" }, "Press Enter to try again"]);
  });
});

describe("what couldn't be ended", () => {
  const end = (id: number, kind: "destroy" | "stop") => ({ id, kind, outcome: "failed", reason: "No." }) as const;

  test("comes first, with its sentence and with Try Again for each kind of order", () => {
    const rows = [instanceOf(1), instanceOf(2), instanceOf(3), instanceOf(4)];
    const failed = [end(4, "stop"), end(2, "destroy"), end(3, "destroy")];
    const [still, rest] = show(factsOf({ failed }, { rows })).groups;
    assert.equal(still?.name, "Still billed");
    assert.deepEqual(
      still?.rows.slice(0, 2).map(({ label, description, thing }) => [label, description, thing]),
      [
        ["Try Again", "destroy 2 instances", { kind: "again", order: "destroy" }],
        ["Try Again", "stop 1 instance", { kind: "again", order: "stop" }],
      ],
    );
    assert.deepEqual(
      still?.rows.slice(2).map(({ icon, label, detail }) => [icon, label, detail]),
      [
        ["error", "run 4", "May still be running at full price. No."],
        ["error", "run 2", "May still exist and cost money. No."],
        ["error", "run 3", "May still exist and cost money. No."],
      ],
    );
    assert.deepEqual(
      rest?.rows.map(({ label }) => label),
      ["run 1"],
    );
  });
});

test("an instance with an order in progress can't be selected, and says how far it is", () => {
  const facts = factsOf({}, { rows: [instanceOf(1)] });
  const [row] = buildPaidView(facts, () => ({ kind: "destroy", stage: "sending" }), 0).groups.flatMap(
    ({ rows }) => rows,
  );
  assert.deepEqual([row?.thing.kind, row?.description], ["none", "$0.50/h · destroying… · 1"]);
});

test("a stopped disk that is to be destroyed says when, beside what it has cost", () => {
  const now = new Date(2026, 10, 24, 14, 2).getTime();
  const [until, hours] = [now + 3_600_000, { stoppedHours: 24 }];
  const rows = [1, 2, 3, 4, 5].map((id) => instanceOf(id, STOPPED));
  const diskCosts = new Map([[1, { since: now - 60_000, amount: 1, isLeast: true }]]);
  const ends = new Map<number, InstanceAutoStop>([
    [1, { until, ending: "destroy", ...hours, second: "kept" }],
    [2, { until, ending: "destroy", ...hours, second: "unsure" }],
    [3, { until, ending: "destroy" }],
    [4, { until, ending: "stop" }],
  ]);
  const { groups } = buildPaidView(factsOf({ diskCosts, ends }, { rows }), () => undefined, now);
  const details = groups.flatMap(({ rows: lines }) => lines).map(({ detail }) => detail);
  assert.equal(details[0], "Disk has cost at least $1.00 · destroys at 15:02 if still stopped");
  assert.deepEqual(details.slice(1), [
    "asks at 15:02 whether to destroy it",
    "destroys at 15:02",
    undefined,
    undefined,
  ]);
});

test("disks of stopped instances: the one that has cost most comes first, and what isn't known last", () => {
  const since = new Date(2026, 10, 24, 14, 2).getTime();
  const now = since + 3 * 86_400_000;
  const rows = [1, 2, 3, 4].map((id) => instanceOf(id, STOPPED));
  const diskCosts = new Map([
    [2, { since, amount: 1.2, isLeast: false }],
    [3, { since: now - 60_000, amount: 3.456, isLeast: true }],
    [4, { since: now, amount: 0, isLeast: true }],
  ]);
  const facts = factsOf({ diskCosts }, { rows });
  const { groups } = buildPaidView(facts, () => undefined, now);
  const [at, recently] = [
    /^Its disk has cost \$1\.20 since .*24.* 14:02, when it was stopped$/,
    /at least \$3\.46 since \d\d:\d\d$/,
  ];
  const details = groups.flatMap(({ rows: lines }) => lines).map(({ label, detail = "" }) => [label, detail] as const);
  assert.deepEqual(
    details.map(([label]) => label),
    ["run 3", "run 2", "run 1", "run 4"],
  );
  assert.match(details[0]?.[1] ?? "", recently);
  assert.match(details[1]?.[1] ?? "", at);
  assert.deepEqual(
    details.slice(2).map(([, detail]) => detail),
    ["", ""],
  );
});
