// What people read: rows, receipts and the lines above a list, from plain data.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../src/domain/base/error.ts";
import { Instance, priceNow } from "../../src/domain/instance/instance.ts";
import { parseLabel } from "../../src/domain/instance/label.ts";
import type { LaunchPlan } from "../../src/domain/launch/launch-plan.ts";
import { parseBid } from "../../src/domain/offer/bid.ts";
import { parseDisk } from "../../src/domain/offer/disk.ts";
import { relaxations } from "../../src/domain/offer/offer-search.ts";
import { parseImage } from "../../src/domain/template/image.ts";
import { Template } from "../../src/domain/template/template.ts";
import { banner, whyEmpty } from "../../src/present/base/state.ts";
import { instanceRow } from "../../src/present/instance/instances.ts";
import { receipt, rentQuestion } from "../../src/present/launch/receipt.ts";
import { templateRow } from "../../src/present/template/templates.ts";
import { Store } from "../../src/services/core/loaded.ts";
import { offerOf } from "./support.ts";

const OFFER = offerOf({
  id: 7,
  machine_id: 8,
  gpu_name: "RTX 4090",
  num_gpus: 2,
  gpu_ram: 24_564,
  dph_total: 0.8,
  min_bid: 0.31,
  disk_space: 100,
  storage_cost: 0.15,
  reliability: 0.991,
  geolocation: "Sweden, SE",
});
const TEMPLATE = Template.parse({
  hash_id: "abc123",
  name: "T",
  image: "a/b",
  tag: "1",
  runtype: "ssh",
  ssh_direct: true,
  env: "-e HF_TOKEN=verysecret -e MODE=fast -p 8080:8080 --gpus all",
});
const PLAN: LaunchPlan = {
  offer: OFFER,
  type: "ondemand",
  template: TEMPLATE,
  image: undefined,
  runtype: undefined,
  diskGb: 20,
  label: "run",
  bid: undefined,
};

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
  test("its id holds nothing that changes", () => {
    assert.equal(row({ actual_status: "running", dph_total: 1 }).id, row({ actual_status: "exited", label: "x" }).id);
  });
  test("when the service is away the row says since when, and stops to spin", () => {
    const stale = row({ actual_status: "loading" }, 0.4, new Date(2026, 0, 1, 14, 2).getTime());
    assert.match(stale.description, /^loading · \$0\.40\/h · as of 14:02/);
    assert.equal(stale.icon, "sync");
    assert.equal(stale.color, "disabledForeground");
  });
  test("a hostile label neither draws icons nor moves the price", () => {
    const name = row({ label: "$(trash)\u202e 0.01/h\u0000" }).label;
    assert.doesNotMatch(name, /\$\(trash\)|\u202e|\p{Cc}/u);
  });
});

test("what a template's icon says stands in its spoken name as well", () => {
  const row = (more: object) => templateRow(Template.parse({ ...TEMPLATE, ...more }), "t", undefined);
  const looks = [{}, { private: true }, { recommended: true }]
    .map(row)
    .map(({ icon, accessible }) => [icon, accessible]);
  assert.deepEqual(looks, [
    ["package", "T, template, image a/b:1"],
    ["lock", "T, template, image a/b:1, private"],
    ["star-full", "T, template, image a/b:1, recommended"],
  ]);
});

describe("a receipt", () => {
  const all = receipt(PLAN, "vsc-aaaaaaaaaaaaaaaa run");
  const sent = (name: string) => all.sent.find((line) => line.name === name);
  test("costs", () => {
    assert.deepEqual(
      all.costs.slice(0, 3).map((line) => line.value),
      ["$0.80/h", "$6.40", "$19.20"],
    );
    assert.equal(all.costs[3]?.value, "$0.0042/h of it, also while stopped");
  });
  test("what will be sent, and from where; secrets masked", () => {
    assert.deepEqual([sent("image")?.value, sent("image")?.from], ["a/b:1", "template"]);
    assert.deepEqual([sent("disk")?.value, sent("disk")?.from], ["20", "this launch"]);
    assert.equal(sent("variable HF_TOKEN")?.value, "••••");
    assert.equal(sent("variable MODE")?.value, "fast");
    assert.equal(sent("flags not understood")?.value, "--gpus all");
    assert.doesNotMatch(JSON.stringify(all), /verysecret/);
  });
  test("what the offer does not say is listed as not known", () => {
    assert.ok(all.notKnown.some((line) => /traffic/i.test(line)));
    const bare = receipt({ ...PLAN, offer: offerOf({ id: 7, dph_total: 1 }) }, "x");
    assert.ok(bare.notKnown.some((line) => /disk costs/.test(line)));
    assert.equal(bare.costs[3]?.value, "$?/h, also while stopped");
  });
  test("an interruptible one shows the bid and that it may stop", () => {
    const bid = receipt({ ...PLAN, type: "bid", bid: 0.35 }, "x");
    assert.deepEqual(
      bid.costs.slice(0, 2).map((line) => line.value),
      ["$0.35/h; the lowest is $0.31/h", "$0.354/h"],
    );
    assert.equal(bid.sent.find((line) => line.name === "price")?.value, "0.35");
    assert.ok(bid.notKnown.some((line) => /bids more/.test(line)));
  });
  test("the question names machine, price, day and disk", () => {
    const { message, detail } = rentQuestion(PLAN, false, false);
    assert.equal(message, "Rent 2× RTX 4090 for $0.80/h?");
    assert.match(detail, /\$19\.20 a day, with 20 GB of disk.*billed from now until you destroy it/s);
  });
});

describe("what is typed for a launch", () => {
  const says = (work: () => unknown, shape: RegExp) =>
    assert.throws(work, (error) => error instanceof AppError && error.kind === "rejected" && shape.test(error.message));
  test("disk", () => {
    assert.equal(parseDisk("8", OFFER), 8);
    for (const [typed, shape] of [
      ["7.9", /too small/],
      ["0", /too small/],
      ["-8", /not a number/],
      ["1e9", /not a number/],
      ["", /not a number/],
      ["101", /more than/],
      ["8,5", /decimal point/],
    ] as const) {
      says(() => parseDisk(typed, OFFER), shape);
    }
  });
  test("bid", () => {
    assert.equal(parseBid("$0.35", OFFER), 0.35);
    for (const [typed, shape] of [
      ["0", /outside/],
      ["0.3", /never start/],
      ["0,35", /decimal point/],
      ["1e-9", /not a number/],
      ["999", /outside/],
      ["0.3555", /three decimals/],
      ["NaN", /not a number/],
    ] as const) {
      says(() => parseBid(typed, OFFER), shape);
    }
  });
  test("label", () => {
    assert.equal(parseLabel("  a b "), "a b");
    for (const [typed, shape] of [
      ["x".repeat(101), /too many/],
      ["a\nb", /line break/],
      ["vsc-x", /another word/],
    ] as const)
      says(() => parseLabel(typed), shape);
  });
  test("image", () => {
    for (const good of [
      "ubuntu",
      "ubuntu:24.04",
      "a/b:1",
      `ghcr.io:443/a/b@sha256:${"0".repeat(64)}`,
      "vastai/base-image:@vastai-automatic-tag",
    ])
      assert.equal(parseImage(good), good);
    for (const bad of ["", "A/B", "a b", "a:b:c", "-x", "a/", "x".repeat(1025)]) says(() => parseImage(bad), /Image:/);
  });
});

describe("a list that is empty or old", () => {
  const offline = new AppError("offline", "h cannot be reached: nobody answers there.");
  const base = { state: "ready", at: 1, count: 0, unreadable: 0, complete: true } as const;
  test("each reason has its own word", () => {
    assert.equal(whyEmpty({ ...base, state: "idle" }), "signedOut");
    assert.equal(whyEmpty({ ...base, state: "loading", at: undefined }), "loading");
    assert.equal(whyEmpty(base), "empty");
    assert.equal(whyEmpty({ ...base, complete: false }), "incomplete");
    assert.equal(whyEmpty({ ...base, unreadable: 2 }), "incomplete");
    assert.equal(whyEmpty({ ...base, count: 2 }), "rows");
    assert.equal(whyEmpty({ ...base, state: "failed", error: offline }), "unreachable");
    assert.equal(whyEmpty({ ...base, state: "loading", error: offline }), "unreachable");
    assert.equal(whyEmpty({ ...base, state: "failed", error: new AppError("key-refused", "x") }), "refused");
    assert.equal(whyEmpty({ ...base, state: "failed", error: new AppError("not-allowed", "x") }), "forbidden");
  });
  test("the line above tells the reason and the age, or what could not be read", () => {
    assert.match(
      banner({ ...base, count: 1, state: "failed", error: offline }) ?? "",
      /cannot be reached.*Shown as of \d\d:\d\d/,
    );
    assert.match(banner({ ...base, count: 1, unreadable: 3 }) ?? "", /^3 entries/);
    assert.equal(banner({ ...base, count: 1 }), undefined);
  });
  test("while it is tried again nothing looks better than it is", () => {
    const store = new Store<number>();
    store.ready(1);
    store.failed(offline);
    store.loading();
    const now = store.current;
    assert.ok(now.state === "loading" && now.error === offline && now.last?.value === 1);
    store.ready(2);
    store.loading();
    assert.ok(store.current.state === "loading" && store.current.error === undefined);
  });
});

test("loosening a filter promises what it then gives", () => {
  const offers = [0.2, 0.4, 0.9].map((dph_total, index) =>
    offerOf({ id: index + 1, dph_total, gpu_ram: 24_564, verified: index > 0 }),
  );
  const found = relaxations({ dph_total: { lte: 0.1 }, verified: { eq: true } }, offers);
  assert.deepEqual(found, [
    { field: "dph_total", condition: undefined, count: 2 },
    { field: "dph_total", condition: { lte: 0.4 }, count: 1 },
  ]);
});
