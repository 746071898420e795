// What is kept of a list comes back as it was, or not at all.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  cutKeptRows,
  type KeptRow,
  LONGEST_FILE,
  readKeptList,
  writeKeptList,
} from "../../../../src/domain/base/kept-row.ts";

const NOW = 1_800_000_000_000;
const row = (id: string, rows: KeptRow["rows"] = []): KeptRow => ({
  id,
  label: "RTX 4090",
  description: "running · $0.40/h",
  icon: "vm-running",
  accessible: "RTX 4090, running",
  rows,
});
const leaf = (id: string) => {
  const { rows: _, ...rest } = row(id);
  return rest;
};
const written = (rows: readonly KeptRow[], at = NOW) => writeKeptList({ tag: "me", at, rows: cutKeptRows(rows) }) ?? "";

describe("kept rows", () => {
  test("come back as they were, in their account and for a week", () => {
    const rows = [row("a", [leaf("b")]), row("c")];
    assert.deepEqual(readKeptList(written(rows), "me", NOW + 1000)?.rows, rows);
    assert.equal(readKeptList(written(rows), "somebody else", NOW), undefined);
    assert.ok(readKeptList(written(rows), "me", NOW + 6 * 86_400_000));
    assert.equal(readKeptList(written(rows), "me", NOW + 8 * 86_400_000), undefined);
    assert.equal(readKeptList(written(rows), "me", NOW - 3_600_000), undefined, "read in the future");
  });

  test("are ignored where the file says anything else", () => {
    const list = { version: 1, tag: "me", at: NOW, rows: [row("a")] };
    assert.ok(readKeptList(JSON.stringify(list), "me", NOW));
    for (const odd of [
      { ...list, version: 2 },
      { ...list, at: 1e300 },
      { ...list, more: 1 },
      { ...list, rows: [row("a"), row("a")] },
      { ...list, rows: [{ ...row("a"), command: "workbench.action.quit" }] },
      { ...list, rows: [{ ...row("a"), context: "instance canDestroy" }] },
      { ...list, rows: [{ ...row("a"), icon: "x) [y](command:z" }] },
      { ...list, rows: [{ ...row("a"), label: "x".repeat(1000) }] },
      { ...list, rows: Array.from({ length: 501 }, (_, at) => row(`${at}`)) },
      [],
      null,
    ])
      assert.equal(readKeptList(JSON.stringify(odd), "me", NOW), undefined, JSON.stringify(odd)?.slice(0, 100));
    for (const text of ["", "{", "[".repeat(100_000), `"${"x".repeat(LONGEST_FILE)}"`])
      assert.equal(readKeptList(text, "me", NOW), undefined);
  });

  test("are cut to what a file has room for, and headings keep what is below them", () => {
    const many = Array.from({ length: 400 }, (_, at) => leaf(`below ${at}`));
    const cut = cutKeptRows([
      row("first", many),
      row(
        "second",
        many.map(({ id }) => leaf(`2 ${id}`)),
      ),
      row("third"),
    ]);
    assert.deepEqual(
      cut.map(({ rows }) => rows.length),
      [400, 98],
    );
    assert.equal(cutKeptRows([row("x".repeat(500)), row("kept")]).length, 1, "half an id is another row's");
    const long = "漢".repeat(20_000);
    const full = Array.from({ length: 500 }, (_, at) => ({ ...row(`${at}`), label: long, description: long }));
    assert.equal(written(full), "", "the file stays small");
  });

  test("whatever a service writes into its rows can be read back", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 700 }), (text) => {
        const safe = text.toWellFormed();
        const given = { ...row("a"), label: safe, description: safe, accessible: safe };
        assert.ok(readKeptList(written([given]), "me", NOW));
      }),
    );
  });
});
