// Money and identifiers by their properties: a price is never guessed or hidden, an id is exact or refused.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { pathFor } from "../../src/api/table/endpoint.ts";
import { endpoints } from "../../src/api/table/endpoints.ts";
import { WireId } from "../../src/domain/base/id.ts";
import { dollars, knownPrice, perHour, total } from "../../src/domain/base/money.ts";

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
        assert.match(dollars(value), amount);
        assert.match(total(value, hours), amount);
        const unknown = value === undefined || !Number.isFinite(value);
        assert.equal(dollars(value) === "$?", unknown);
        assert.equal(perHour(value), `${dollars(value)}/h`);
        if (unknown) assert.equal(total(value, hours), "$?");
      }),
      RUNS,
    );
  });

  test("a price a service may state is above zero, finite and unchanged; every other is unknown", () => {
    fc.assert(
      fc.property(anyNumber, (value) => {
        const believable = value > 0 && value < 1e6;
        assert.equal(knownPrice(value), believable ? value : undefined);
      }),
      RUNS,
    );
  });

  test("what costs something never reads as nothing", () => {
    fc.assert(
      fc.property(price, (value) => {
        assert.ok(amountOf(dollars(value)) > 0, dollars(value));
        assert.ok(amountOf(total(value, 1)) > 0, total(value, 1));
      }),
      RUNS,
    );
  });

  test("what is read is within half a percent from a cent on, or half of the last digit", () => {
    fc.assert(
      fc.property(price, (value) => {
        const off = Math.abs(amountOf(dollars(value)) - value);
        assert.ok(
          off <= Math.max(value >= 0.01 ? value * 0.005 : 0, 0.0001) + 1e-9,
          `${value} reads ${dollars(value)}`,
        );
      }),
      RUNS,
    );
  });

  test("the dearer never reads as the cheaper, by rate or by hours", () => {
    fc.assert(
      fc.property(price, price, fc.integer({ min: 1, max: 10_000 }), (a, b, hours) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        assert.ok(amountOf(dollars(less)) <= amountOf(dollars(more)));
        assert.ok(amountOf(total(less, hours)) <= amountOf(total(more, hours)));
        assert.ok(amountOf(total(a, hours)) <= amountOf(total(a, hours + 1)));
      }),
      RUNS,
    );
  });

  test("at least two decimals are written, so that $0.4 is not taken for $0.04", () => {
    fc.assert(
      fc.property(price, (value) => assert.match(dollars(value), /\.\d{2,4}$/)),
      RUNS,
    );
  });
});

describe("ids", () => {
  const exact = (value: unknown): boolean =>
    typeof value === "number"
      ? Number.isInteger(value) && value >= 1 && value <= 9_007_199_254_740_991
      : typeof value === "string" &&
        value !== "" &&
        [...value].every((digit) => "0123456789".includes(digit)) &&
        value[0] !== "0" &&
        BigInt(value) <= 9_007_199_254_740_991n;
  const candidate = fc.oneof(
    fc.integer(),
    fc.maxSafeNat(),
    fc.double(),
    fc.bigInt({ min: 0n, max: 2n ** 60n }).map(String),
    fc
      .maxSafeNat()
      .chain((id) => fc.constantFrom(`${id}`, `0${id}`, ` ${id}`, `${id}\n`, `+${id}`, `${id}.0`, `${id}e0`)),
    fc.constantFrom("9007199254740991", "9007199254740992", "0x10", "١٢", "1_0", "", "-1", "1/../2"),
    fc.string(),
    fc.anything(),
  );

  test("whole numbers that are exact, and the digits of one, are taken as that number; nothing else is", () => {
    fc.assert(
      fc.property(candidate, (value) => {
        const read = WireId.safeParse(value);
        assert.equal(read.success, exact(value), String(JSON.stringify(value)));
        if (read.success) assert.equal(String(read.data), String(value));
      }),
      RUNS,
    );
  });

  test("a path with an id has digits in its place and is otherwise as the interface writes it", () => {
    const rows = Object.values(endpoints).filter((row) => row.path.includes("{id}"));
    assert.ok(rows.length >= 3);
    fc.assert(
      fc.property(fc.constantFrom(...rows), candidate, (row, value) => {
        const [before, after] = row.path.split("{id}");
        if (typeof value === "number" && exact(value)) assert.equal(pathFor(row, value), `${before}${value}${after}`);
        else assert.throws(() => pathFor(row, value as number), RangeError);
      }),
      RUNS,
    );
  });
});
