// A template that is made of a launch's form gives the same launch again.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { emptyDraft, toPlanWithoutOffer, withTemplate } from "../../../../src/domain/launch/launch-draft.ts";
import { type LaunchForm, toBaseForm, toFormContext } from "../../../../src/domain/launch/launch-form.ts";
import { toLaunchRequest } from "../../../../src/domain/launch/launch-plan.ts";
import { mergeRequest } from "../../../../src/domain/launch/merge-request.ts";
import { toNewTemplate } from "../../../../src/domain/launch/new-template.ts";
import { buildLaunchScript, readLaunchForm } from "../../../../src/domain/launch/read-launch-form.ts";
import { parseDockerFlags } from "../../../../src/domain/template/environment/docker-flags.ts";
import { Template } from "../../../../src/domain/template/template.ts";
import { NEW_TEMPLATE } from "../../../../src/domain/template/template-form.ts";
import { draftOf, IMAGE_DRAFT, launch } from "../../launch-forms.ts";

test("a drawn form as a template, launched without a change, is what the form was", () => {
  fc.assert(
    fc.property(launch, ([draft, form]) => {
      const context = toFormContext(draft, false);
      if (readLaunchForm(form, context).choice === undefined) return;
      const template = Template.parse({ ...toNewTemplate(form, draft), hash_id: "new" });
      const request = toLaunchRequest(toPlanWithoutOffer(withTemplate(emptyDraft, template)), "label", 0);
      const { fields } = mergeRequest(template, request);
      // Without a word about it, a mode goes by the proxy.
      const runtype = /_/.test(form.runtype) || form.runtype === "args" ? form.runtype : `${form.runtype}_proxy`;
      assert.deepEqual(
        {
          image: fields.image.value,
          runtype: fields.runtype.value,
          env: fields.env.value,
          onstart: fields.onstart.value ?? "",
          args_str: fields.args_str.value ?? "",
          jupyter_dir: fields.jupyter_dir.value ?? "",
          use_jupyter_lab: fields.use_jupyter_lab.value,
          disk: fields.disk.value,
        },
        {
          image: form.image.trim(),
          runtype,
          env: parseDockerFlags(form.env).env,
          onstart: buildLaunchScript(form, context),
          args_str: form.args_str,
          jupyter_dir: form.jupyter_dir,
          use_jupyter_lab: form.use_jupyter_lab,
          disk: Number(form.disk),
        },
      );
    }),
    { seed: 4712, numRuns: 1500 },
  );
});

describe("what only a request has", () => {
  const draft = draftOf({ docker_login_repo: "ghcr.io", docker_login_user: "me", readme: "# R", desc: "D" });
  const form: LaunchForm = {
    ...toBaseForm(draft),
    ...{ login_registry: "r.example", login_user: "you", login_token: "secret-canary", vm: true, label: "mine" },
    ...{ volume: "create", volume_id: "7", volume_size: "20", mount_path: "/data", target_state: "stopped" },
  };

  test("is left out, a volume becomes a hint, and a token is typed again", () => {
    const made = toNewTemplate(form, draft);
    assert.deepEqual(made, {
      ...NEW_TEMPLATE,
      ...{ name: "T", desc: "D", readme: "# R", image: "a/b", tag: "1", env: draft.template?.env, runtype: "ssh" },
      ...{ ssh_direct: true, use_ssh: true, docker_login_repo: "r.example", docker_login_user: "you" },
      ...{ extra_filters: { vms_enabled: { eq: true } }, volume_info: { mount_path: "/data", size: 20 } },
    });
    assert.ok(!JSON.stringify(made).includes("canary"));
  });

  test("a template's own login and machines stay, and no volume is no hint", () => {
    const plain = draftOf({ docker_login_repo: "ghcr.io", docker_login_user: "me", extra_filters: { cpu: { eq: 1 } } });
    const made = toNewTemplate(toBaseForm(plain), plain);
    assert.deepEqual([made.docker_login_repo, made.docker_login_user], ["ghcr.io", "me"]);
    assert.deepEqual([made.extra_filters, made.volume_info], [{ cpu: { eq: 1 } }, null]);
  });

  test("a new template is private and has no name but the old one's", () => {
    assert.equal(toNewTemplate(form, draftOf({ private: false })).private, true);
    assert.equal(toNewTemplate({ ...toBaseForm(IMAGE_DRAFT), image: "c/d" }, IMAGE_DRAFT).name, "");
  });

  test("a size or a disk that can't be read is none", () => {
    const made = toNewTemplate({ ...form, volume_size: "x", mount_path: "", disk: "lots" }, draft);
    assert.deepEqual([made.volume_info, made.recommended_disk_space], [{}, 8]);
  });
});
