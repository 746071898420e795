// What instances cost is worked out anew with each list: only what matters for the time that is asked for is gone through.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { LineReader, type Reading, type SeenInstance, writeLine } from "../../../../src/domain/account/ledger.ts";
import { clip, sumSpent, traceSpending } from "../../../../src/domain/account/spending.ts";
import { InstanceId } from "../../../../src/domain/base/id.ts";

const [MINUTE, DAY] = [60_000, 86_400_000];
const seen = (id: number, low = 1, high = 1): SeenInstance => ({ id: InstanceId.parse(id), low, high, start: 0 });
const near = (one: number, other: number) => assert.ok(Math.abs(one - other) < 1e-9, `${one} ≈ ${other}`);

describe("the months before the time that is asked for", () => {
  test("are not gone through again with each list", () => {
    let looks = 0;
    class Counted extends Map<InstanceId, SeenInstance> {
      override [Symbol.iterator]() {
        looks += 1;
        return super[Symbol.iterator]();
      }
    }
    const one = seen(1);
    const all = new Counted([[one.id, one]]);
    const readings = Array.from({ length: 60 * 24 * 60 + 1 }, (_, at) => ({
      at: at * MINUTE,
      hasGaps: false,
      seen: all,
    }));
    const { observed } = sumSpent(traceSpending(readings, 59.5 * DAY, 60 * DAY));
    near(Math.round(observed * 1e6) / 1e6, 12);
    assert.ok(looks <= 12 * 60 + 2, `${looks} readings`);
  });

  test("drawn lives: without them it is the same", () => {
    const moment = fc.record({
      at: fc.integer({ min: 0, max: 300 }),
      ids: fc.uniqueArray(fc.integer({ min: 1, max: 3 })),
      low: fc.integer({ min: 0, max: 2 }),
      hasGaps: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.uniqueArray(moment, { selector: ({ at }) => at }), fc.nat(300), (moments, begin) => {
        const readings = moments.map(({ at, ids, low, hasGaps }): Reading => {
          const rows = ids.map((id) => seen(id, low, 2));
          return { at: at * MINUTE, hasGaps, seen: new Map(rows.map((row) => [row.id, row])) };
        });
        const [from, to] = [begin * MINUTE, 300 * MINUTE];
        const whole = traceSpending(readings, 0, to).flatMap((one) => clip(one, from, to));
        const [one, other] = [sumSpent(traceSpending(readings, from, to)), sumSpent(whole)];
        near(one.observed, other.observed);
        near(one.inferred.low, other.inferred.low);
        near(one.inferred.high, other.inferred.high);
        assert.equal(one.isOpen, other.isOpen);
      }),
    );
  });
});

test("an instance that is known to be gone has ended, although what else there is isn't known", () => {
  const id = InstanceId.parse(1);
  const here: Reading = { at: 0, hasGaps: true, seen: new Map([[id, seen(1)]]) };
  const gone: Reading = { at: DAY, hasGaps: true, seen: new Map(), ended: [id] };
  const lines = new LineReader();
  const read = [writeLine(undefined, here), writeLine(here, gone), writeLine(gone, { ...gone, at: 2 * DAY })].map(
    (one) => lines.read(JSON.stringify(one)),
  );
  const readings = read.filter((one) => one !== undefined);
  assert.equal(readings.length, 3);
  assert.deepEqual(sumSpent(traceSpending(readings, 0, 3 * DAY)).inferred, { low: 0, high: 24 });
});
