// What a summary for a run begins with, and what of it is confirmed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyDraft, toLaunchPlan, withOffer, withTemplate } from "../../../../src/domain/launch/launch-draft.ts";
import { anySearch } from "../../../../src/domain/offer/offer-search.ts";
import type { RunDraft } from "../../../../src/domain/run/run-plan.ts";
import {
  changeAttempts,
  changeLimits,
  confirmTerms,
  createTerms,
  endsWhenDone,
  startRental,
  suggestTemplate,
  withPriceLimit,
} from "../../../../src/domain/run/run-terms.ts";
import { Template } from "../../../../src/domain/template/template.ts";
import { OFFER } from "../../support.ts";

const DRAFT: RunDraft = { name: "a.py", command: "python3 a.py", setup: "pip install x", folder: "/a" };
const template = (digit: string, rest: object = {}) =>
  Template.parse({ hash_id: digit.repeat(32), name: "Mine", image: "a/b", runtype: "ssh_direct", ...rest });

test("a summary begins with a limit, and with an instance that is destroyed and stops itself if need be", () => {
  assert.deepEqual(createTerms(DRAFT, {}), {
    ...{ command: "python3 a.py", secrets: [], results: [], limits: { maxHours: 24 } },
    ...{ whenDone: "destroy", stopsItself: true },
  });
});

test("a summary begins with what the run and the last one of its kind had", () => {
  const draft = { ...DRAFT, results: ["*.pt"], limits: { maxCost: 5, maxPricePerHour: 1 } };
  const { results, limits, whenDone, stopsItself } = createTerms(draft, { whenDone: "keep", stopsItself: false });
  assert.deepEqual(
    [results, limits, whenDone, stopsItself],
    [["*.pt"], { maxCost: 5, maxPricePerHour: 1 }, "keep", false],
  );
});

test("limits that end no command get the usual time", () => {
  const terms = createTerms(DRAFT, { whenDone: "stop" });
  assert.deepEqual(changeLimits(terms, { maxPricePerHour: 2 }), {
    ...terms,
    limits: { maxPricePerHour: 2, maxHours: 24 },
  });
  assert.deepEqual(changeLimits(terms, { maxHours: 3 }).limits, { maxHours: 3 });
  const agreed = changeAttempts(terms, 3);
  assert.deepEqual(agreed.limits, { maxHours: 24, maxAttempts: 3 });
  assert.deepEqual(changeLimits(agreed, { maxHours: 3 }).limits, { maxHours: 3, maxAttempts: 3 });
});

test("what was changed in the summary is what runs, and nothing else of the run changes", () => {
  const terms = {
    ...createTerms(DRAFT, {}),
    command: "python3 a.py --fast",
    results: ["out/"],
    limits: { maxHours: 2 },
  };
  const { draft, whenDone } = confirmTerms({ ...DRAFT, results: ["*"], data: ["d"] }, terms);
  assert.deepEqual(draft, {
    ...{ ...DRAFT, data: ["d"] },
    ...{ command: "python3 a.py --fast", results: ["out/"], limits: { maxHours: 2 } },
  });
  assert.equal(whenDone, "destroy");
});

test("an instance stops itself only if it isn't to be kept, whatever was chosen before that", () => {
  for (const [whenDone, chosen, confirmed] of [
    ["keep", true, false],
    ["keep", false, false],
    ["stop", true, true],
    ["destroy", true, true],
    ["destroy", false, false],
  ] as const) {
    const terms = createTerms(DRAFT, { whenDone, stopsItself: chosen });
    assert.equal(confirmTerms(DRAFT, terms).stopsItself, confirmed, `${whenDone} ${chosen}`);
    assert.equal(endsWhenDone(terms), whenDone !== "keep");
  }
});

test("the limit on the price binds what takes the place of a dead machine, too", () => {
  const draft = withOffer(emptyDraft, OFFER, anySearch);
  const plan = toLaunchPlan({ ...draft, offer: OFFER });
  assert.deepEqual(withPriceLimit(plan, { maxPricePerHour: 2, maxHours: 1 }), { ...plan, mostPerHour: 2 });
  assert.equal(
    withPriceLimit({ ...plan, mostPerHour: 2 }, { maxHours: 1 }).mostPerHour,
    undefined,
    "it was taken back",
  );
});

test("an image that is named goes before a template, and nothing is chosen without either", () => {
  const mine = template("a");
  const start = startRental("c/d", mine);
  assert.deepEqual([start.image, start.template, start.runtype], ["c/d", undefined, "ssh"]);
  assert.deepEqual(startRental(undefined, mine), withTemplate(emptyDraft, mine));
  assert.equal(startRental(undefined, undefined), emptyDraft);
});

test("the template of the last run is suggested again, else a trusted one for PyTorch, and never one without SSH", () => {
  const closed = { runtype: "args" };
  const torch = template("b", { name: "PyTorch 2" });
  const byImage = template("c", { image: "pytorch/pytorch" });
  const trusted = [template("d"), template("e", { name: "PyTorch", ...closed }), torch, byImage];
  const last = template("a");
  assert.equal(suggestTemplate(last, trusted), last);
  assert.equal(suggestTemplate(undefined, trusted), torch);
  assert.equal(suggestTemplate(template("a", closed), trusted), torch);
  assert.equal(suggestTemplate(undefined, [template("d"), byImage]), byImage);
  assert.equal(suggestTemplate(undefined, [template("d")]), undefined);
});
