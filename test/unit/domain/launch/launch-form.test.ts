// The form of a launch: what it begins with, and that it shows what will be sent.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { emptyDraft, toPlanWithoutOffer, withChoice } from "../../../../src/domain/launch/launch-draft.ts";
import {
  LAUNCH_FIELDS,
  type LaunchForm,
  toBaseForm,
  toFormContext,
  toKey,
  toLaunchForm,
} from "../../../../src/domain/launch/launch-form.ts";
import { toLaunchRequest } from "../../../../src/domain/launch/launch-plan.ts";
import { CREATE_FIELDS, mergeRequest } from "../../../../src/domain/launch/merge-request.ts";
import { readLaunchForm } from "../../../../src/domain/launch/read-launch-form.ts";
import { parseDockerFlags } from "../../../../src/domain/template/environment/docker-flags.ts";
import { parseEnvTable } from "../../../../src/domain/template/environment/env-table.ts";
import { draftOf, IMAGE_DRAFT, launch } from "../../launch-forms.ts";
import { OFFER, TEMPLATE } from "../../support.ts";

const RUNS = { seed: 4711, numRuns: 1500 };

describe("what a form begins with", () => {
  test("a template's values and the defaults", () => {
    const draft = draftOf({
      ...{ jupyter_dir: "/work", use_jupyter_lab: true, runtype: "jupyter", jup_direct: true, args_str: "--x" },
      ...{ onstart: "echo hi", recommended_disk_space: 40, volume_info: { mount_path: "/models", size: 50 } },
    });
    const form: LaunchForm = {
      ...{ image: "a/b:1", login_registry: "", login_user: "", login_token: "", runtype: "jupyter_direct" },
      ...{ use_jupyter_lab: true, jupyter_dir: "/work", vm: false, python_utf8: false, lang_utf8: false },
      ...{ env: TEMPLATE.env ?? "", onstart_order: "instead", onstart: "echo hi", args_str: "--x", disk: "40" },
      ...{ volume: "none", volume_id: "", volume_size: "50", mount_path: "/models", target_state: "running" },
      ...{ cancel_unavail: true, price: "", label: "" },
    };
    assert.deepEqual(toBaseForm(draft), form);
    assert.deepEqual(toLaunchForm(draft), form);
    assert.deepEqual(Object.keys(toBaseForm(draft)), LAUNCH_FIELDS);
  });

  test("an image alone: SSH, and a bid waits for its turn", () => {
    const form = toBaseForm(emptyDraft);
    assert.deepEqual([form.runtype, form.image, form.env, form.cancel_unavail], ["ssh_direct", "", "", true]);
    assert.equal(toLaunchForm({ ...IMAGE_DRAFT, runtype: "ssh" }).image, "a/b");
    assert.equal(toLaunchForm({ ...IMAGE_DRAFT, runtype: "ssh" }).runtype, "ssh");
    const bidding = toBaseForm({ ...emptyDraft, bid: 0.4, search: { ...emptyDraft.search, type: "bid" } });
    assert.deepEqual([bidding.price, bidding.cancel_unavail], ["0.4", false]);
  });

  test("a mode that only the template's service knows is none of ours", () =>
    assert.equal(toBaseForm(draftOf({ runtype: "kubernetes" })).runtype, "args"));

  test("a volume that a template hints at isn't asked for", () => {
    const { volume, mount_path, volume_size } = toBaseForm(draftOf({ volume_info: { mount_path: 7, size: -1 } }));
    assert.deepEqual([volume, mount_path, volume_size], ["none", "", ""]);
  });
});

test("what is known of the machine and the template goes with the form", () => {
  const offer = { ...draftOf({ docker_login_repo: "ghcr.io" }), offer: OFFER };
  const { base, ...context } = toFormContext({ ...offer, search: { ...offer.search, type: "bid" } }, true);
  assert.deepEqual(context, {
    ...{ hasTemplate: true, templateLogin: "ghcr.io", isBid: true, freeGb: 100, leastBid: 0.31, mustRun: true },
    isForSeveral: false,
  });
  assert.equal(base.image, "a/b:1");
  const { base: _, ...bare } = toFormContext(IMAGE_DRAFT, false);
  assert.deepEqual(bare, { hasTemplate: false, isBid: false, mustRun: false, isForSeveral: false });
});

test("entries are keyed as the request has them", () => {
  const keys = parseEnvTable("-e A=b -p 8000:80/udp -h box -v /a:/b -n net").rows.map((row) =>
    row.kind === "raw" ? "" : toKey(row),
  );
  assert.deepEqual(keys, ["A", "-p 8000:80/udp", "-h", "-v /a:/b", "-n net"]);
});

describe("drawn templates and forms", () => {
  test("a choice that is shown in a form again is read as the same choice", () => {
    let read = 0;
    fc.assert(
      fc.property(launch, ([draft, form]) => {
        const { choice } = readLaunchForm(form, toFormContext(draft, false));
        if (choice === undefined) return;
        read += 1;
        const chosen = withChoice(draft, choice);
        assert.deepEqual(readLaunchForm(toLaunchForm(chosen), toFormContext(chosen, false)).choice, choice);
      }),
      RUNS,
    );
    assert.ok(read > RUNS.numRuns / 2, `only ${read} forms could be read`);
  });

  test("the instance gets what the form shows, in all eighteen fields, and keeps the template's entries", () => {
    fc.assert(
      fc.property(launch, ([draft, form]) => {
        const context = toFormContext(draft, false);
        const { choice } = readLaunchForm(form, context);
        if (choice === undefined) return;
        const request = toLaunchRequest(toPlanWithoutOffer(withChoice(draft, choice)), "label", 0);
        const { fields } = mergeRequest(draft.template, request);
        const got = CREATE_FIELDS.map((field) => [field, fields[field].value ?? ""]);
        assert.deepEqual(Object.fromEntries(got), shownBy(form, context.base.env, draft));
      }),
      RUNS,
    );
  });

  /** What a person takes the form to say. */
  function shownBy(form: LaunchForm, inherited: string, { template, search }: typeof IMAGE_DRAFT) {
    const { login_user: user, login_token: token, login_registry: registry } = form;
    const before = template?.onstart ?? "";
    const after = form.onstart.trim() === "" ? before : `${before.replace(/\n$/, "")}\n${form.onstart}`;
    const volume = { volume_id: Number(form.volume_id), mount_path: form.mount_path.trim() };
    const isNew = form.volume === "create";
    return {
      ...{ image: form.image.trim(), template_hash_id: template?.hash_id ?? "", label: "label" },
      ...{ disk: Number(form.disk), runtype: form.runtype, target_state: form.target_state },
      price: search.type === "bid" ? Number(form.price.replace("$", "")) : "",
      env: { ...parseDockerFlags(inherited).env, ...parseDockerFlags(form.env).env },
      onstart: form.onstart_order === "after" && before !== "" ? after : form.onstart,
      ...{ args_str: form.args_str, use_jupyter_lab: form.use_jupyter_lab, jupyter_dir: form.jupyter_dir },
      ...{ python_utf8: form.python_utf8, lang_utf8: form.lang_utf8 },
      image_login: token === "" ? "" : `-u ${user.trim()} -p ${token} ${registry.trim()}`,
      ...{ cancel_unavail: form.cancel_unavail, vm: form.vm },
      volume_info:
        form.volume === "none"
          ? ""
          : { create_new: isNew, ...volume, ...(isNew ? { size: Number(form.volume_size) } : {}) },
    };
  }
});
