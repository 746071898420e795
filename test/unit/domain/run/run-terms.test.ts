// What a summary for a run begins with, and what of it is confirmed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyDraft, toLaunchPlan, withOffer, withTemplate } from "../../../../src/domain/launch/launch-draft.ts";
import { anySearch } from "../../../../src/domain/offer/offer-search.ts";
import type { RunDraft } from "../../../../src/domain/run/run-plan.ts";
import {
  changeLimits,
  confirmTerms,
  createTerms,
  endsAfterward,
  startRental,
  suggestTemplate,
  withPriceLimit,
} from "../../../../src/domain/run/run-terms.ts";
import { Template } from "../../../../src/domain/template/template.ts";
import { OFFER } from "../../support.ts";

const DRAFT: RunDraft = { name: "a.py", command: "python3 a.py", setUp: "pip install x", folder: "/a" };
const template = (digit: string, rest: object = {}) =>
  Template.parse({ hash_id: digit.repeat(32), name: "Mine", image: "a/b", runtype: "ssh_direct", ...rest });

test("a summary begins with a limit, and with an instance that is destroyed and stops itself if need be", () => {
  assert.deepEqual(createTerms(DRAFT, {}), {
    ...{ command: "python3 a.py", results: [], limits: { hours: 24 } },
    ...{ afterward: "destroy", stopsItself: true },
  });
});

test("a summary begins with what the run and the last one of its kind had", () => {
  const draft = { ...DRAFT, results: ["*.pt"], limits: { total: 5, perHour: 1 } };
  const { results, limits, afterward, stopsItself } = createTerms(draft, { afterward: "keep", stopsItself: false });
  assert.deepEqual([results, limits, afterward, stopsItself], [["*.pt"], { total: 5, perHour: 1 }, "keep", false]);
});

test("limits that end no command get the usual time", () => {
  const terms = createTerms(DRAFT, { afterward: "stop" });
  assert.deepEqual(changeLimits(terms, { perHour: 2 }), { ...terms, limits: { perHour: 2, hours: 24 } });
  assert.deepEqual(changeLimits(terms, { hours: 3 }).limits, { hours: 3 });
});

test("what was changed in the summary is what runs, and nothing else of the run changes", () => {
  const terms = { ...createTerms(DRAFT, {}), command: "python3 a.py --fast", results: ["out/"], limits: { hours: 2 } };
  const { draft, afterward } = confirmTerms({ ...DRAFT, results: ["*"], data: ["d"] }, terms);
  assert.deepEqual(draft, {
    ...{ ...DRAFT, data: ["d"] },
    ...{ command: "python3 a.py --fast", results: ["out/"], limits: { hours: 2 } },
  });
  assert.equal(afterward, "destroy");
});

test("an instance stops itself only if it isn't to be kept, whatever was chosen before that", () => {
  for (const [afterward, chosen, confirmed] of [
    ["keep", true, false],
    ["keep", false, false],
    ["stop", true, true],
    ["destroy", true, true],
    ["destroy", false, false],
  ] as const) {
    const terms = createTerms(DRAFT, { afterward, stopsItself: chosen });
    assert.equal(confirmTerms(DRAFT, terms).stopsItself, confirmed, `${afterward} ${chosen}`);
    assert.equal(endsAfterward(terms), afterward !== "keep");
  }
});

test("the limit on the price binds what takes the place of a dead machine, too", () => {
  const draft = withOffer(emptyDraft, OFFER, anySearch);
  const plan = toLaunchPlan({ ...draft, offer: OFFER });
  assert.deepEqual(withPriceLimit(plan, { perHour: 2, hours: 1 }), { ...plan, mostPerHour: 2 });
  assert.equal(withPriceLimit({ ...plan, mostPerHour: 2 }, { hours: 1 }).mostPerHour, undefined, "it was taken back");
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
