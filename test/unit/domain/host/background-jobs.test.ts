// What a person may type for background jobs, and what each refusal says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../../../src/domain/base/error.ts";
import { parseMachine, parsePrice, parseVariables, parseWords } from "../../../../src/domain/host/background-jobs.ts";

const says = (wanted: RegExp) => (error: unknown) =>
  error instanceof AppError && error.kind === "rejected" && wanted.test(error.message);

test("what is typed is read, or refused with the reason", () => {
  assert.equal(parseMachine(" 123 "), 123);
  for (const text of ["", "12.5", "-1", "0", "1e3", "99999999999999999999"])
    assert.throws(() => parseMachine(text), says(/^Machine: /), text);
  assert.equal(parsePrice("P", "$ 4.80"), 4.8);
  for (const text of ["", "4,80", "-1", "NaN", "1e9", "99999999"])
    assert.throws(() => parsePrice("P", text), says(/^P: /), text);
  assert.deepEqual(parseVariables(`A=1 B='two words' C= D==`), { A: "1", B: "two words", C: "", D: "=" });
  for (const text of ["A", "=1", "A=1 A=2", "-p=1", "__proto__=1", "A=two words"])
    assert.throws(() => parseVariables(text), says(/^Environment: /), text);
  assert.throws(
    () => parseVariables("HF_TOKEN=good secretvalue"),
    (error) => !/secretvalue/.test((error as Error).message),
  );
});

test("shell words are refused at their column", () => {
  assert.throws(() => parseWords("Arguments", `a 'b`), says(/^Arguments, column 3: the quote ' is not closed/));
  assert.throws(() => parseWords("Arguments", `a"b c\\"`), says(/^Arguments, column 2: the quote " is not closed/));
  assert.throws(() => parseWords("Arguments", `ab\\`), says(/^Arguments, column 3: nothing follows the backslash/));
  assert.deepEqual(parseWords("Arguments", `a 'b c' "d\\"e"`), ["a", "b c", 'd"e']);
});
