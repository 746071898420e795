// What the sentences of a public service stand for.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findRefusedInput, toRefusalCode } from "../../../src/api/worded-refusals.ts";

describe("a refusal's code", () => {
  const said: readonly (readonly [operation: string, code: string, text: string, means: string])[] = [
    ["editTemplate", "", "None found to edit", "none_found"],
    ["deleteTemplate", "", "Users are still using this template", "template_in_use"],
    ["deleteTemplate", "auth", "Only the creator may delete it", "not_creator"],
    ["fetchImageTags", "", "UNAUTHORISED: access to the requested resource", "registry_error"],
    ["fetchImageTags", "", "denied: requested access", "registry_error"],
    ["createTemplate", "", "Only the creator may", ""],
    ["editTemplate", "invalid_args", "image is empty", "invalid_args"],
  ];
  for (const [operation, code, text, means] of said)
    test(`${operation}: "${text}" is ${means || "none"}`, () =>
      assert.equal(toRefusalCode(operation, { code, text }), means));
});

test("the input that a refusal names", () => {
  assert.equal(findRefusedInput("image must not be empty"), "image");
  assert.equal(findRefusedInput("Unknown field 'runtype'"), "runtype");
  assert.equal(findRefusedInput("A template named 'image' already exists"), undefined);
  assert.equal(findRefusedInput("something is wrong"), "something");
  assert.equal(findRefusedInput("No."), undefined);
});
