// Places: the two letters of a country, the regions they make up, and both as text.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatPlaces, listCountries, listPlaces, REGIONS, readPlaceCode } from "../../../../src/domain/offer/place.ts";

describe("a place", () => {
  test("has the country's two letters at its end, or none", () => {
    assert.deepEqual(["Sweden, SE", ", US", "DE", "Sweden", "", undefined, "x, se", "Texas, USA"].map(readPlaceCode), [
      "SE",
      "US",
      "DE",
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("no country is in two regions, and each is one the editor can name", () => {
    const all = REGIONS.flatMap(listCountries);
    assert.equal(new Set(all).size, all.length);
    const names = new Intl.DisplayNames("en", { type: "region" });
    assert.deepEqual(
      all.filter((code) => names.of(code) === code),
      [],
    );
  });

  test("of a condition; a whole region is named, what is left over by its letters", () => {
    assert.deepEqual([...listPlaces({ in: ["DE", "SE"] })], ["DE", "SE"]);
    assert.deepEqual([...listPlaces({ eq: "DE" })], ["DE"]);
    assert.equal(formatPlaces([...listCountries("europe"), "US"]), "Europe, US");
    assert.equal(formatPlaces(["SE", "DE"]), "SE, DE");
    assert.equal(formatPlaces(listCountries("europe").slice(1)), listCountries("europe").slice(1).join(", "));
  });
});
