// What the page of a template may say.
import assert from "node:assert/strict";
import { test } from "node:test";
import { NEW_TEMPLATE, toForm } from "../../../src/domain/template/template-form.ts";
import { PageState, TabState, templatePage } from "../../../src/protocol/template-page.ts";

test("no message but a save or a look at a registry can carry a password, and none is kept", () => {
  const form = { ...toForm(NEW_TEMPLATE), docker_login_pass: "typed" };
  const place = { account: "abc", key: "new-1" };
  assert.equal(templatePage.change.question.safeParse({ form, secret: true }).success, false);
  assert.equal(PageState.safeParse({ base: form, form, mayHoldPassword: false, place }).success, false);
  assert.equal(TabState.safeParse({ ...place, at: 1, form }).success, false);
  assert.equal(templatePage.save.question.safeParse(form).success, true);
});

test("a page names an action of a closed list, and gives it nothing: no hash, no offer, no price", () => {
  const asks = (question: unknown) => templatePage.act.question.safeParse(question).success;
  for (const action of ["launch", "saveToFile", "editOnstart", "previewReadme"]) assert.equal(asks(action), true);
  for (const other of ["delete", "", null, { launch: "abc" }, ["launch", "abc"], "cloudGpu.launchFromTemplate"])
    assert.equal(asks(other), false);
});
