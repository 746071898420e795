// Offers as rows of a list: equal ones together, one price where there is only one, and what is beyond a limit marked.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { groupOffers } from "../../../../src/domain/offer/offer.ts";
import { buildOfferLine, countOffers, formatGroupCount } from "../../../../src/present/offer/offers.ts";
import { OFFER } from "../../support.ts";

const numbered = (id: number, more = {}) => ({ ...OFFER, id: id as typeof OFFER.id, ...more });

describe("a row of offers", () => {
  test("stands for equal parts of one machine, in the order of the list", () => {
    const other = { dph_total: 0.9 };
    const groups = groupOffers([numbered(1), numbered(2, other), numbered(3), numbered(4, other), numbered(5)]);
    assert.deepEqual(
      groups.map(({ offer, count }) => [offer.id, count]),
      [
        [1, 3],
        [2, 2],
      ],
    );
    assert.match(buildOfferLine({ offer: OFFER, count: 3 }).description, /^3 available {2}·/);
    assert.doesNotMatch(buildOfferLine({ offer: OFFER, count: 1 }).description, /×/);
  });

  test("never puts two machines together, nor two that may be two", () => {
    assert.equal(groupOffers([numbered(1), numbered(2, { machine_id: 9 })]).length, 2);
    const unknown = { machine_id: undefined };
    assert.equal(groupOffers([numbered(1, unknown), numbered(2, unknown)]).length, 2);
  });

  test("shows the price per GPU only where it differs from that of the machine", () => {
    const single = buildOfferLine({ offer: numbered(1, { num_gpus: 1 }), count: 1 }).description;
    assert.match(single, /\$0\.80\/h/);
    assert.doesNotMatch(single, /\/GPU·h/);
    assert.match(buildOfferLine({ offer: OFFER, count: 1 }).description, /\$0\.40\/GPU·h/);
    assert.match(single, /99\.1%/);
  });

  test("is marked, and says why, if a limit rules it out", () => {
    const { label, detail } = buildOfferLine({ offer: OFFER, count: 1 }, { objection: "Too dear." });
    assert.match(label, /^\$\(circle-slash\) 2× RTX 4090, 24 GB$/);
    assert.match(detail, /^Too dear\. {2}·/);
  });
});

test("a count says how many of how many, and that a search may have stopped early", () => {
  assert.deepEqual(
    [countOffers(1, 1, 500, 0), countOffers(3, 40, 500, 0), countOffers(500, 500, 500, 0), countOffers(2, 500, 500, 7)],
    ["1 offer", "3 of 40 offers", "first 500 offers", "2 of first 500 offers · 7 unreadable"],
  );
  assert.deepEqual([formatGroupCount(1, 0.3), formatGroupCount(2, undefined)], ["1 offer · from $0.30/h", "2 offers"]);
});
