// What agents send to tools: only what their schemas have, whoever sends it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AGENT_TOOLS, type AgentTool, findAgentTool, readToolInput } from "../../../../src/domain/agent/tools.ts";
import { AppError } from "../../../../src/domain/base/error.ts";

function refusal(tool: AgentTool, given: unknown): string {
  let said = "";
  assert.throws(
    () => readToolInput(tool, given),
    (error) => {
      assert.ok(error instanceof AppError && error.kind === "rejected", String(error));
      said = error.message;
      return true;
    },
  );
  assert.ok(said.length < 400, said);
  assert.doesNotMatch(said, /[\p{Cc}\p{Cf}]/u);
  return said;
}

test("what fits is passed on as it is", () => {
  const search = { gpu: "RTX 4090", gpus: 2, maxPricePerHour: 0.6, country: "DE", type: "bid", hours: 3, most: 20 };
  assert.deepEqual(readToolInput("searchOffers", search), search);
  assert.deepEqual(readToolInput("searchOffers", {}), {});
  assert.deepEqual(readToolInput("quoteLaunch", { offer: 7, hours: 2 }), { offer: 7, hours: 2 });
  assert.deepEqual(readToolInput("getInstances", {}), {});
  assert.deepEqual(readToolInput("getRun", { run: "x" }), { run: "x" });
  const run = { instance: 7, maxHours: 2, command: "python3 a.py \\\n\t--epochs 3" };
  assert.deepEqual(readToolInput("run", run), run);
  for (const file of ["train.py", "./a/b.sh", "a..b/..c.py", "a/b c.ipynb"])
    assert.deepEqual(readToolInput("run", { instance: 7, maxHours: 2, file }), { instance: 7, maxHours: 2, file });
  assert.deepEqual(readToolInput("endInstance", { instance: 7, action: "stop" }), { instance: 7, action: "stop" });
});

describe("an input that no tool has is refused by its name:", () => {
  for (const tool of Object.keys(AGENT_TOOLS) as AgentTool[])
    for (const key of ["wrong", "confirmed", "api_key", "account", "base", "constructor", "maxAttempts", "limits"])
      test(`${key} of ${tool}`, () => {
        const said = refusal(tool, { offer: 7, hours: 1, [key]: true });
        assert.match(said, /no input/);
      });
  test("by the name of a prototype", () =>
    assert.match(refusal("searchOffers", JSON.parse('{"__proto__": {"most": 20}}')), /“__proto__”/));
  test("of 64 KB", () => assert.match(refusal("searchOffers", { ["k".repeat(65_536)]: 1 }), /no input “k+…”/));
  test("of a prototype, whose value has everything", () =>
    assert.match(
      refusal("launch", JSON.parse('{"quote": "quote-a", "__proto__": {"confirmed": true}}')),
      /“__proto__”/,
    ));
  test("turned around", () => assert.match(refusal("getRun", { "\u202eyek\u0000": 1 }), /“yek”/));
});

describe("a value that doesn't fit is refused by its field:", () => {
  for (const [tool, given, field] of [
    ["searchOffers", { gpu: 4090 }, "gpu"],
    ["searchOffers", { gpu: "x".repeat(65_536) }, "gpu"],
    ["searchOffers", { gpus: 1.5 }, "gpus"],
    ["searchOffers", { maxPricePerHour: "1" }, "maxPricePerHour"],
    ["searchOffers", { maxPricePerHour: Number.POSITIVE_INFINITY }, "maxPricePerHour"],
    ["searchOffers", { country: "Germany" }, "country"],
    ["searchOffers", { country: "DE\n" }, "country"],
    ["searchOffers", { type: "__proto__" }, "type"],
    ["searchOffers", { diskGb: 0 }, "diskGb"],
    ["searchOffers", { hours: Number.NaN }, "hours"],
    ["searchOffers", { most: 1000 }, "most"],
    ["quoteLaunch", { hours: 1 }, "offer"],
    ["quoteLaunch", { offer: "7", hours: 1 }, "offer"],
    ["quoteLaunch", { offer: -7, hours: 1 }, "offer"],
    ["quoteLaunch", { offer: 2 ** 60, hours: 1 }, "offer"],
    ["quoteLaunch", { offer: 7, hours: -1 }, "hours"],
    ["getInstances", { instance: [1] }, "instance"],
    ["getRun", { run: { id: 1 } }, "run"],
    ["getRun", { run: "" }, "run"],
    ["quoteLaunch", { offer: 7, hours: 0.01 }, "hours"],
    ["quoteLaunch", { offer: 7, hours: 2161 }, "hours"],
    ["quoteLaunch", { offer: 7, hours: 1, template: "x", image: "a/b" }, "image"],
    ["launch", {}, "quote"],
    ["launch", { quote: 7 }, "quote"],
    ["launch", { quote: "q".repeat(61) }, "quote"],
    ["run", { instance: 7, maxHours: 1 }, "command"],
    ["run", { instance: 7, maxHours: 1, command: "a", file: "a.py" }, "command"],
    ["run", { instance: 7, maxHours: 1, command: "echo \u202eok" }, "command"],
    ["run", { instance: 7, maxHours: 1, command: "echo \u001b[2K" }, "command"],
    ["run", { instance: 7, maxHours: 1, file: "a\u200b.py" }, "command"],
    ["run", { instance: 7, maxHours: 1, command: "x".repeat(501) }, "command"],
    ["run", { instance: 7, maxHours: 1, file: "\\\\host\\share\\a.py" }, "file"],
    ["run", { instance: 7, maxHours: 1, file: "//host/share/a.py" }, "file"],
    ["run", { instance: 7, maxHours: 1, file: "\\\\?\\UNC\\host\\share\\a.py" }, "file"],
    ["run", { instance: 7, maxHours: 1, file: "/etc/a.py" }, "file"],
    ["run", { instance: 7, maxHours: 1, file: "C:\\a.py" }, "file"],
    ["run", { instance: 7, maxHours: 1, file: "c:a.py" }, "file"],
    ["run", { instance: 7, maxHours: 1, file: "../a.py" }, "file"],
    ["run", { instance: 7, maxHours: 1, file: "b/..\\..\\a.py" }, "file"],
    ["run", { instance: 7, maxHours: 1, file: "b/.." }, "file"],
    ["run", { instance: 7, command: "nvidia-smi" }, "maxHours"],
    ["run", { instance: 7, command: "nvidia-smi", maxHours: 10_000 }, "maxHours"],
    ["endInstance", { instance: 7 }, "action"],
    ["endInstance", { instance: 7, action: "remind" }, "action"],
    ["endInstance", { instance: 7, action: "stop", hours: 0 }, "hours"],
  ] as const)
    test(`${field} of ${tool}: ${JSON.stringify(given).slice(0, 40)}`, () =>
      assert.ok(refusal(tool, given).startsWith(`${field}: `)));
  for (const [tool, given] of [
    ["run", { instance: 7, maxHours: 1, command: "a\u0300".repeat(500_000) }],
    ["run", { instance: 7, maxHours: 1, file: "../".repeat(350_000) }],
    ["launch", { quote: "q".repeat(1_000_000) }],
  ] as const)
    test(`${Object.keys(given).at(-1)} of ${tool}, with 1 MB`, () => {
      refusal(tool, given);
    });
  for (const given of [undefined, null, "all", 7, [], () => 1])
    test(`an input that is ${typeof given}`, () => assert.match(refusal("getInstances", given), /^input: /));
});

describe("a command that would look like another one is refused: with", () => {
  const UNSEEN = {
    "a Hangul filler": "\u3164",
    "a leading Hangul filler": "\u115f",
    "a Hangul vowel filler": "\u1160",
    "a halfwidth Hangul filler": "\uffa0",
    "a variation selector": "\ufe0f",
    "a supplementary variation selector": "\u{e0100}",
    "a tag": "\u{e0041}",
    "a grapheme joiner": "\u034f",
    "an empty Braille cell": "\u2800",
    "a note without a head": "\u{1d159}",
    "an empty hieroglyph": "\u{13441}",
    "a Khitan filler": "\u{16fe4}",
    "the sign of a line break": "\u23ce",
    "a character that no font has": "\u0378",
    "a character of an icon font": "\ue000",
    "a no-break space": "\u00a0",
    "an em space": "\u2003",
    "an ideographic space": "\u3000",
    "a right-to-left override": "\u202e",
    "a pile of marks": "a\u0300\u0301\u0302\u0303",
  };
  for (const [name, text] of Object.entries(UNSEEN))
    test(name, () => {
      for (const given of [{ command: `echo ${text} ok` }, { file: `a${text}.py` }])
        assert.match(refusal("run", { instance: 7, maxHours: 1, ...given }), /invisible characters/);
    });
  for (const command of ["echo Größe", "echo e\u0301", "echo \u0e17\u0e35\u0e48", "echo 😀"])
    test(`but not ${command}`, () =>
      assert.equal(readToolInput("run", { instance: 7, maxHours: 1, command }).command, command));
});

test("a tool is found by its name, and by nothing else", () => {
  assert.equal(findAgentTool("cloudGpu_getRun"), "getRun");
  for (const name of ["getRun", "cloudGpu_grant", "__proto__", "constructor", ""])
    assert.equal(findAgentTool(name), undefined);
});
