// What the page for background jobs may ask: nothing but its form.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EMPTY_JOBS_FORM } from "../../../src/domain/host/jobs-form.ts";
import { jobsPage } from "../../../src/protocol/jobs-page.ts";

test("the page sends a whole form as typed text, and no request of its own making", () => {
  const { create, change, machine } = jobsPage;
  for (const { question } of [create, change]) {
    assert.equal(question.safeParse(EMPTY_JOBS_FORM).success, true);
    assert.equal(question.safeParse({ ...EMPTY_JOBS_FORM, machine: 7 }).success, false);
    assert.equal(question.safeParse({ ...EMPTY_JOBS_FORM, confirmed: true }).success, false);
    assert.equal(question.safeParse({ machine: "7", image: "a/b" }).success, false);
  }
  assert.equal(machine.question.safeParse({ path: "/" }).success, false);
});
