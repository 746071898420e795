// Long texts from outside go through every function that may read them. The functions are found in the modules themselves, so that a
// new one isn't forgotten. How their time grows is measured by `npm run fuzz`.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findReaders, mixText } from "../../fuzz/long-texts.ts";

/** Characters. */
const LENGTH = 32_000;
const TEXTS = [mixText(1, LENGTH), mixText(2, LENGTH), '"-e a=b '.repeat(LENGTH / 8)];

const { readers, gone } = await findReaders();

for (const [path, inFile] of Map.groupBy(readers, (one) => one.path))
  describe(path, () => {
    for (const { name, run } of inFile)
      test(`${name} takes long texts of any kind`, async () => {
        for (const text of ["x", ...TEXTS])
          try {
            await run(text);
          } catch (error) {
            // Others refuse the text.
            assert.ok(!(error instanceof TypeError), `${name} reads more than texts: give it a recipe (${error})`);
            assert.doesNotMatch(String(error), /call stack/);
          }
      });
  });

test("recipes and exceptions name functions that are there", () => {
  assert.deepEqual(gone, []);
});
