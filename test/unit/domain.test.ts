// The pure functions: filters, flags, template merge, phases, money, safe text.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { secondsToWait } from "../../src/api/reply.ts";
import { WireId } from "../../src/domain/base/id.ts";
import { dollars, perHour, total } from "../../src/domain/base/money.ts";
import { readRows } from "../../src/domain/base/wire.ts";
import { burn, Instance, launchToken, ownLabel, type Phase, phase } from "../../src/domain/instance/instance.ts";
import { matches, type OPERATORS } from "../../src/domain/offer/filter.ts";
import { perGpuHour, perVramGbHour, readOffer, vramGb, vramGbToMb } from "../../src/domain/offer/offer.ts";
import { describeCondition } from "../../src/domain/offer/offer-search.ts";
import { mergeEnv, parseDockerFlags } from "../../src/domain/template/docker-flags.ts";
import { effectiveConfiguration, imageWithTag } from "../../src/domain/template/template.ts";
import { redactText, redactValue, rememberSecret } from "../../src/lib/redact.ts";
import { label, plain } from "../../src/lib/text.ts";
import { labelFor, mintIntent } from "../../src/services/launch/intent.ts";
import { offerOf } from "./support.ts";

describe("filters (interface 4.2, 4.5)", () => {
  const cases: readonly [operator: (typeof OPERATORS)[number], wanted: never, yes: unknown[], no: unknown[]][] = [
    ["eq", 3 as never, [3], [2, "3", undefined]],
    ["neq", 3 as never, [2, undefined], [3]],
    ["lt", 3 as never, [2], [3, 4, undefined, "2"]],
    ["lte", 3 as never, [2, 3], [4]],
    ["gt", 3 as never, [4], [3, undefined]],
    ["gte", 3 as never, [3, 4], [2]],
    ["in", ["a", "b"] as never, ["a"], ["c", undefined]],
    ["notin", ["a", "b"] as never, ["c", undefined], ["a"]],
  ];
  for (const [operator, wanted, yes, no] of cases) {
    test(operator, () => {
      const holds = (value: unknown) => matches({ value }, { value: { [operator]: wanted } }, (record) => record.value);
      for (const value of yes) assert.equal(holds(value), true, `${value}`);
      for (const value of no) assert.equal(holds(value), false, `${value}`);
    });
  }

  test("two operators are a range; all fields must hold", () => {
    const read = (record: Record<string, unknown>, field: string) => record[field];
    assert.equal(matches({ a: 2, b: "x" }, { a: { gte: 1, lt: 3 }, b: { eq: "x" } }, read), true);
    assert.equal(matches({ a: 3, b: "x" }, { a: { gte: 1, lt: 3 }, b: { eq: "x" } }, read), false);
    assert.equal(matches({ a: 2, b: "y" }, { a: { gte: 1, lt: 3 }, b: { eq: "x" } }, read), false);
  });

  test("for numbers, lt, eq and gt exclude each other and cover everything", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (value, wanted) => {
        const held = (["lt", "eq", "gt"] as const).filter((operator) =>
          matches({ value }, { value: { [operator]: wanted } }, (record) => record.value),
        );
        assert.equal(held.length, 1);
      }),
    );
  });
});

describe("docker flags (interface 2.3, 4.3 rule 4)", () => {
  const cases: readonly [text: string, env: Record<string, string>, unread: string[]][] = [
    ["", {}, []],
    ["-e A=b", { A: "b" }, []],
    ["-eA=b", { A: "b" }, []],
    ["--env A=b", { A: "b" }, []],
    ["--env=A=b", { A: "b" }, []],
    ['-e "A=b c" -p 8080:8080', { A: "b c", "-p 8080:8080": "1" }, []],
    ["-e A='x y' -e B=1=2", { A: "x y", B: "1=2" }, []],
    ["-p 70001:70001/udp -h box -v /a:/b", { "-p 70001:70001/udp": "1", "-h": "box", "-v /a:/b": "1" }, []],
    ["-e A", {}, ["-e", "A"]],
    ["--gpus all", {}, ["--gpus", "all"]],
    ["-e", {}, ["-e"]],
    ['-e A="open', { A: '"open' }, []],
  ];
  for (const [text, env, unread] of cases) {
    test(JSON.stringify(text), () => assert.deepEqual(parseDockerFlags(text), { env, unread }));
  }

  test("variables written with quotes come back as they were", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (value) => {
        const quoted = `'${value.replaceAll("'", `'"'"'`)}'`;
        assert.equal(parseDockerFlags(`-e A=${quoted}`).env.A, value);
      }),
    );
  });

  test("a name like __proto__ stays a name", () => {
    const merged = mergeEnv("-e __proto__=x", {});
    assert.equal(Object.getOwnPropertyDescriptor(merged, "__proto__")?.value, "x");
    assert.equal(({} as Record<string, unknown>).x, undefined);
  });
});

describe("template and request merged (interface 4.3, rules 6 to 8)", () => {
  const template = {
    image: "a/b",
    tag: "1",
    runtype: "ssh",
    ssh_direct: true,
    env: "-e A=t -e B=t -p 1:1",
    onstart: "echo t",
    recommended_disk_space: 40,
    extra_filters: { gpu_ram: { gte: 1 }, verified: { eq: true } },
  };
  test("the template alone", () => {
    const got = effectiveConfiguration(template, {});
    assert.equal(got.image, "a/b:1");
    assert.equal(got.runtype, "ssh_direct");
    assert.equal(got.disk, 40);
    assert.deepEqual(got.env, { A: "t", B: "t", "-p 1:1": "1" });
  });
  test("scalars of the request win; null means not given", () => {
    const got = effectiveConfiguration(template, { image: "c/d:2", disk: 9, onstart: null });
    assert.deepEqual([got.image, got.disk, got.onstart], ["c/d:2", 9, "echo t"]);
  });
  test("env is merged, the request's value wins", () => {
    assert.deepEqual(effectiveConfiguration(template, { env: { B: "r", C: "r" } }).env, {
      A: "t",
      B: "r",
      C: "r",
      "-p 1:1": "1",
    });
  });
  test("extra_filters are merged by key, the request's value wins", () => {
    const got = effectiveConfiguration(template, { extra_filters: { gpu_ram: { gte: 2 } } });
    assert.deepEqual(got.extra_filters, { gpu_ram: { gte: 2 }, verified: { eq: true } });
  });
  test("a template's volume_info has no effect", () => {
    const withVolume = { ...template, volume_info: { volume_id: 1 } };
    assert.equal(effectiveConfiguration(withVolume, {}).volume_info, undefined);
    assert.deepEqual(effectiveConfiguration(template, { volume_info: { volume_id: 2 } }).volume_info, { volume_id: 2 });
  });
  test("without a template the disk defaults to 8 GB", () =>
    assert.equal(effectiveConfiguration(undefined, { image: "x" }).disk, 8));
  test("a tag is added once, and a registry's port is none", () => {
    assert.equal(imageWithTag("a/b", "1"), "a/b:1");
    assert.equal(imageWithTag("a/b:2", "1"), "a/b:2");
    assert.equal(imageWithTag("r:5000/b", "1"), "r:5000/b:1");
    assert.equal(imageWithTag("a/b@sha256:0", "1"), "a/b@sha256:0");
  });
});

describe("instances (interface 3)", () => {
  const cases: readonly [fields: Record<string, unknown>, phase: Phase][] = [
    [{}, "starting"],
    [{ actual_status: null }, "starting"],
    [{ actual_status: "created" }, "starting"],
    [{ actual_status: "loading" }, "starting"],
    [{ actual_status: "running" }, "running"],
    [{ actual_status: "running", intended_status: "stopped" }, "stopping"],
    [{ actual_status: "exited" }, "ended"],
    [{ actual_status: "exited", intended_status: "stopped" }, "stopped"],
    [{ actual_status: "exited", intended_status: "running", cur_state: "stopped" }, "scheduling"],
    [{ actual_status: "unknown" }, "lost"],
    [{ actual_status: "offline" }, "lost"],
    [{ actual_status: "frobnicating" }, "unclear"],
    [{ actual_status: 7 }, "starting"],
  ];
  for (const [fields, expected] of cases) {
    test(`${JSON.stringify(fields)} is ${expected}`, () =>
      assert.equal(phase(Instance.parse({ id: 1, ...fields })), expected));
  }
  test("a stopped one costs its disk, an unpriced one nothing that is known", () => {
    assert.equal(
      burn(Instance.parse({ id: 1, actual_status: "stopped", dph_total: 2, storage_total_cost: 0.01 })),
      0.01,
    );
    assert.equal(burn(Instance.parse({ id: 1, actual_status: "running" })), undefined);
    assert.equal(burn(Instance.parse({ id: 1, actual_status: "running", dph_total: 0 })), undefined);
    const queued = { id: 1, actual_status: "exited", intended_status: "running", cur_state: "stopped" };
    assert.equal(
      burn(Instance.parse({ ...queued, dph_total: 1, storage_total_cost: 0.01 })),
      0.01,
      "it has no GPU yet",
    );
  });
  test("the launch token leads the label and never shows", () => {
    const intent = mintIntent();
    assert.match(intent.token, /^vsc-[a-z2-7]{16}$/);
    const sent = labelFor(intent, "my run");
    assert.equal(launchToken(sent), intent.token);
    assert.equal(ownLabel(sent), "my run");
    assert.equal(ownLabel(labelFor(intent, "")), "");
    assert.equal(labelFor(intent, "x".repeat(300)).length, 128);
    assert.equal(ownLabel("vsc-notours"), "vsc-notours");
  });
  test("no two intents are alike", () =>
    assert.equal(new Set(Array.from({ length: 1000 }, () => mintIntent().token)).size, 1000));
});

describe("offers", () => {
  const offer = offerOf({
    id: 1,
    num_gpus: 2,
    gpu_ram: 24_564,
    dph_total: 1.2,
    verification: "verified",
    reliability2: 0.9,
  });
  test("prices by every measure", () => {
    assert.equal(perGpuHour(offer), 0.6);
    assert.equal(vramGb(24_564), 24);
    assert.equal(vramGb(81_559), 80);
    assert.deepEqual([24, 80, 999].map(vramGb), [24, 80, 999], "some services send GB");
    assert.equal(perVramGbHour(offer)?.toFixed(6), "0.025000");
  });
  test("GB typed are sent so that every card sold with them is found, and none of the next smaller size", () => {
    const cards = [
      [11, 11_264],
      [12, 12_288],
      [16, 15_360],
      [24, 24_564],
      [24, 23_028],
      [48, 46_068],
      [80, 81_559],
      [141, 143_771],
    ] as const;
    for (const [gb, mb] of cards) {
      assert.equal(vramGb(mb), gb);
      assert.ok(vramGbToMb(gb) <= mb);
      for (const [other, least] of cards) assert.ok(other <= gb || vramGbToMb(other) > mb, `${least}`);
    }
    assert.equal(describeCondition("gpu_ram", { gte: vramGbToMb(24) }), "VRAM ≥ 24 GB");
    assert.equal(describeCondition("gpu_ram", { gte: 24_000 }), "VRAM ≥ 24 GB");
  });
  test("verified and reliability have aliases", () =>
    assert.deepEqual([offer.verified, offer.reliability], [true, 0.9]));
  test("an incredible price is no price", () => {
    for (const dph_total of [0, -1, Number.NaN, 1e308, "0.3", null])
      assert.equal(perGpuHour(offerOf({ id: 1, num_gpus: 1, dph_total })), undefined);
  });
});

describe("records from a server", () => {
  test("broken records are counted, the others kept, of two with one id the first", () => {
    const list = [
      { id: 1 },
      { id: null },
      null,
      [],
      "x",
      { id: 2 ** 53 },
      { id: -1 },
      { id: 1.5 },
      { id: 1 },
      { id: "12" },
    ];
    const { rows, unreadable } = readRows(readOffer, list, (offer) => offer.id);
    assert.deepEqual(
      rows.map((row) => row.value.id),
      [1, 12],
    );
    assert.equal(unreadable, 7);
  });
  test("ids stay exact or are refused", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const parsed = WireId.safeParse(value);
        if (parsed.success)
          assert.ok(Number.isSafeInteger(parsed.data) && parsed.data > 0 && String(parsed.data) === String(value));
      }),
    );
  });
});

describe("words for people", () => {
  test("money", () => {
    assert.deepEqual([0.4123, 0.4, 12.4, 0.0173, undefined].map(dollars), [
      "$0.412",
      "$0.40",
      "$12.40",
      "$0.0173",
      "$?",
    ]);
    assert.equal(perHour(undefined), "$?/h");
    assert.deepEqual([total(0.412, 8), total(0.001, 8), total(undefined, 8)], ["$3.30", "$0.008", "$?"]);
  });
  test("nothing invisible and no icon survives in a label", () => {
    assert.equal(plain("a\u202eb\u0000c\nd"), "abc d");
    assert.ok(!label("$(trash) x").includes("$(trash)"));
    assert.equal([...plain("x".repeat(10_000))].length, 200);
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => assert.doesNotMatch(plain(text), /[\p{Cc}\p{Cf}]/u)),
    );
  });
  test("secrets are masked by name and by value", () => {
    rememberSecret("s3cr3t-value");
    assert.doesNotMatch(redactText("x s3cr3t-value y Bearer abcdef"), /s3cr3t|abcdef/);
    const masked = JSON.stringify(
      redactValue({ api_key: "k", nested: { image_login: "-u a -p b", note: "s3cr3t-value" }, env: { A: "1" } }),
    );
    assert.doesNotMatch(masked, /"k"|-u a|s3cr3t|"1"/);
  });
  test("a value 100,000 levels deep is cut, not followed", () => {
    const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    assert.ok(JSON.stringify(redactValue(deep)).length < 200);
  });
});

test("the seconds a busy service asks for are kept where they make sense, and bounded", () => {
  const cases: readonly (readonly [header: string | undefined, text: string, seconds: number])[] = [
    ["1", "", 1],
    ["86400", "", 60],
    ["0", "", 0],
    ["-5", "", 5],
    ["soon", "", 5],
    ["Wed, 21 Oct 2026 07:28:00 GMT", "", 5],
    ["", "", 5],
    [undefined, "", 5],
    [undefined, "API requests too frequent: endpoint threshold=4.5", 4.5],
    [undefined, "threshold=99999", 60],
  ];
  for (const [header, text, seconds] of cases) assert.equal(secondsToWait(header, text), seconds, `${header} ${text}`);
});

test("a secret that a log's bound cuts in two leaves neither half", () => {
  const secret = `tok_${"Q7z".repeat(20)}`;
  rememberSecret(secret);
  for (let before = 1930; before < 2005; before += 1) {
    const shown = String(redactValue(`${"x".repeat(before)}${secret}${"y".repeat(20_000)}`));
    assert.ok(!shown.includes("Q7z"), `${before} characters before it`);
    assert.ok(shown.length <= 2001);
  }
  const many = String(redactValue(`${secret} `.repeat(1000)));
  assert.ok(!many.includes("Q7z"));
});
