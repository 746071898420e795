// Offers as columns: what a table of them holds, whatever a service sent.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Offer } from "../../../../../src/domain/offer/offer.ts";
import { isKnownColumn, readColumn } from "../../../../../src/domain/offer/table/columns.ts";
import {
  getRowText,
  NUMBER_FIELDS,
  OfferTable,
  toOfferTable,
} from "../../../../../src/domain/offer/table/offer-table.ts";
import { offerOf } from "../../../support.ts";
import { drawHostileOffers, drawOffers, JOB } from "./hostile-offers.ts";

const offer = (record: object) => offerOf({ id: 7, ...record });

describe("a table", () => {
  test("holds what each offer says, and is what a page accepts", () => {
    const offers = drawOffers(300);
    const table = toOfferTable(offers);
    assert.equal(OfferTable.safeParse(table).success, true);
    for (const [row, { id, dph_total, gpu_name, verified }] of offers.entries()) {
      assert.equal(table.numbers.id[row], id);
      assert.equal(table.numbers.dph_total[row], dph_total ?? Number.NaN);
      assert.equal(table.numbers.verified[row], Number(verified));
      assert.equal(getRowText(table.texts.gpu_name, row), gpu_name);
    }
    assert.equal(table.texts.gpu_name.words.length, 7, "each text once, and none");
  });

  test("of 2,000 hostile records nothing is more than unknown, and no text is long or invisible", () => {
    const table = toOfferTable(drawHostileOffers(2000));
    for (const field of NUMBER_FIELDS)
      for (const value of table.numbers[field])
        assert.ok(Number.isNaN(value) || (value >= 0 && value < 2 ** 53), `${field} ${value}`);
    assert.ok(table.numbers.dph_total.every((price) => Number.isNaN(price) || price > 0));
    for (const { words } of Object.values(table.texts))
      for (const word of words) {
        assert.ok([...word].length <= 80);
        assert.doesNotMatch(word, /[\p{Cc}\p{Cf}\p{Cs}]/u);
      }
    assert.equal(OfferTable.safeParse(table).success, true);
  });

  test("holds more texts than two bytes can number", () => {
    const offers = Array.from({ length: 70_000 }, (_, at) => offer({ id: at + 1, cpu_name: `CPU ${at}` }));
    const { cpu_name } = toOfferTable(offers).texts;
    assert.ok(cpu_name.at instanceof Uint32Array);
    assert.equal(getRowText(cpu_name, 69_999), "CPU 69999");
  });

  test("has what is usual only if somebody says so", () => {
    const offers = [
      offer({ gpu_name: "A", dph_total: 0.9, num_gpus: 1 }),
      offer({ gpu_name: "B", dph_total: 1, num_gpus: 1 }),
    ];
    assert.equal(isKnownColumn(toOfferTable(offers), "usual"), false);
    assert.equal(isKnownColumn(toOfferTable(offers, { usual: () => undefined }), "usual"), false);
    const usual = ({ gpu_name }: Offer) => (gpu_name === "A" ? { price: 1, text: "usually $1" } : undefined);
    const table = toOfferTable(offers, { usual });
    assert.equal(isKnownColumn(table, "usual"), true);
    assert.deepEqual([getRowText(table.texts.usual, 0), getRowText(table.texts.usual, 1)], ["usually $1", ""]);
    const [below, unknown] = readColumn(table, "usual", JOB);
    assert.ok(Math.abs((below ?? 0) + 0.1) < 1e-9);
    assert.ok(Number.isNaN(unknown));
  });
});
