// Money: a price is never guessed or hidden, and the dearer never reads as the cheaper.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { formatHourlyPrice, formatPrice, formatTotal, toPrice } from "../../../../src/domain/base/money.ts";

const RUNS = { numRuns: 10_000 };
const anyNumber = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0, -0, Number.NaN, Infinity, -Infinity, 5e-324));
const price = fc.oneof(
  fc.double({ min: 1e-9, max: 1e6, noNaN: true }),
  fc.double({ min: 0.001, max: 20, noNaN: true }),
);
/** What a person reads in an amount; "<$0.0001" is read as that. */
const amountOf = (text: string) => Number(text.replace(/[<$]/g, ""));

describe("money", () => {
  test("any number, or none, reads as an amount or as unknown: no NaN, no Infinity, and unknown never as nothing", () => {
    const amount = /^(?:\$\?|-?\$\d+(?:\.\d+)?(?:e\+\d+)?|<\$0\.0*1)$/;
    fc.assert(
      fc.property(fc.option(anyNumber, { nil: undefined }), anyNumber, (value, hours) => {
        assert.match(formatPrice(value), amount);
        assert.match(formatTotal(value, hours), amount);
        const unknown = value === undefined || !Number.isFinite(value);
        assert.equal(formatPrice(value) === "$?", unknown);
        assert.equal(formatHourlyPrice(value), `${formatPrice(value)}/h`);
        if (unknown) assert.equal(formatTotal(value, hours), "$?");
      }),
      RUNS,
    );
  });

  test("a price a service may state is above zero, finite and unchanged; every other is unknown", () => {
    fc.assert(
      fc.property(anyNumber, (value) => {
        const believable = value > 0 && value < 1e6;
        assert.equal(toPrice(value), believable ? value : undefined);
      }),
      RUNS,
    );
  });

  test("what costs something never reads as nothing", () => {
    fc.assert(
      fc.property(price, (value) => {
        assert.ok(amountOf(formatPrice(value)) > 0, formatPrice(value));
        assert.ok(amountOf(formatTotal(value, 1)) > 0, formatTotal(value, 1));
      }),
      RUNS,
    );
  });

  test("what is read is within half a percent from a cent on, or half of the last digit", () => {
    fc.assert(
      fc.property(price, (value) => {
        const off = Math.abs(amountOf(formatPrice(value)) - value);
        assert.ok(
          off <= Math.max(value >= 0.01 ? value * 0.005 : 0, 0.0001) + 1e-9,
          `${value} reads ${formatPrice(value)}`,
        );
      }),
      RUNS,
    );
  });

  test("the dearer never reads as the cheaper, by rate or by hours", () => {
    fc.assert(
      fc.property(price, price, fc.integer({ min: 1, max: 10_000 }), (a, b, hours) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        assert.ok(amountOf(formatPrice(less)) <= amountOf(formatPrice(more)));
        assert.ok(amountOf(formatTotal(less, hours)) <= amountOf(formatTotal(more, hours)));
        assert.ok(amountOf(formatTotal(a, hours)) <= amountOf(formatTotal(a, hours + 1)));
      }),
      RUNS,
    );
  });

  test("at least two decimals are written, so that $0.4 is not taken for $0.04", () => {
    fc.assert(
      fc.property(price, (value) => assert.match(formatPrice(value), /\.\d{2,4}$/)),
      RUNS,
    );
  });
});

describe("words for people", () => {
  test("money", () => {
    assert.deepEqual([0.4123, 0.4, 12.4, 0.0173, undefined].map(formatPrice), [
      "$0.412",
      "$0.40",
      "$12.40",
      "$0.0173",
      "$?",
    ]);
    assert.equal(formatHourlyPrice(undefined), "$?/h");
    assert.deepEqual(
      [formatTotal(0.412, 8), formatTotal(0.001, 8), formatTotal(undefined, 8)],
      ["$3.30", "$0.008", "$?"],
    );
  });
});
