// What the page of a template's form works out from what is typed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FIRST_TEMPLATE, type TemplateForm, toForm } from "../../../../src/domain/template/template-form.ts";
import type { PageState } from "../../../../src/protocol/template-page.ts";
import { chooseMode, type Model, updateTemplateModel } from "../../../../src/webview/template/model.ts";

function open(stored: Partial<TemplateForm>, typed: Partial<TemplateForm> = {}): Model {
  const base = { ...toForm(FIRST_TEMPLATE), ...stored, docker_login_pass: "" as const };
  const form = { ...base, ...typed, docker_login_pass: "" as const };
  const state: PageState = { place: { account: "a", key: "k", root: "k" }, base, form, mayHoldPassword: false };
  return updateTemplateModel(undefined, { state, form });
}

const through = (model: Model, ...modes: TemplateForm["runtype"][]): TemplateForm =>
  modes.reduce((now, mode) => {
    const form = { ...now.form, ...chooseMode(now, mode) };
    return updateTemplateModel(now, { state: now.state, form });
  }, model).form;

test("direct SSH is off with the image's own entrypoint, and afterward as it was before", () => {
  for (const direct of [true, false]) {
    const model = open({ runtype: "ssh", use_ssh: true, ssh_direct: direct });
    assert.deepEqual([through(model, "args").ssh_direct, through(model, "args").use_ssh], [false, false]);
    for (const way of [
      ["args", "ssh"],
      ["args", "args", "ssh"],
      ["jupyter", "args", "ssh"],
      ["args", "jupyter"],
    ] as const) {
      const { ssh_direct, use_ssh } = through(model, ...way);
      assert.deepEqual([ssh_direct, use_ssh], [direct, true], way.join(" → "));
    }
  }
});

test("direct SSH of a stored template comes back after a reload in another mode, and isn't invented", () => {
  const typed = { runtype: "args", use_ssh: false, ssh_direct: false } as const;
  assert.equal(through(open({ runtype: "ssh", use_ssh: true, ssh_direct: true }, typed), "ssh").ssh_direct, true);
  assert.equal(through(open(typed), "ssh").ssh_direct, false);
});
