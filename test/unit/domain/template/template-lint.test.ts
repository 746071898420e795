// What is said at the fields of a template: every rule has its words.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  formOf,
  NEW_TEMPLATE,
  readForm,
  type TemplateField,
  type TemplateForm,
} from "../../../../src/domain/template/template-form.ts";
import { EXPORT_ENV, lint, missingToken } from "../../../../src/domain/template/template-lint.ts";

describe("what is said at the fields", () => {
  const base = formOf({ ...NEW_TEMPLATE, name: "n", image: "a/b" });
  const ssh = { ...base, runtype: "ssh", use_ssh: true, onstart: "run &" } as const;
  const rules: readonly [title: string, form: TemplateForm, field: TemplateField, severity: string, says: RegExp][] = [
    ["no name", { ...base, name: "" }, "name", "error", /name is needed/],
    ["no image", { ...base, image: "" }, "image", "error", /image is needed/],
    ["an image with blanks", { ...base, image: "a b" }, "image", "error", /no blanks/],
    ["an image with a scheme", { ...base, image: "https://a/b" }, "image", "error", /scheme/],
    ["an image in capitals", { ...base, image: "reg.example/You/B" }, "image", "warning", /lower-case/],
    ["a tag twice", { ...base, image: "a/b:1" }, "image", "warning", /wins/],
    ["a digest", { ...base, image: "a/b@sha256:0" }, "image", "note", /digest/],
    ["a strange tag", { ...base, tag: "a b" }, "tag", "error", /letters/],
    ["onstart of 4,049", { ...base, onstart: "x".repeat(4049) }, "onstart", "error", /4048/],
    ["onstart of many bytes", { ...base, onstart: "é".repeat(2100) }, "onstart", "warning", /4200 bytes/],
    ["onstart with NUL", { ...base, onstart: "a\0b" }, "onstart", "error", /cannot be sent/],
    ["onstart with CRLF", { ...base, onstart: "a\r\nb" }, "onstart", "warning", /Windows/],
    ["onstart with BOM", { ...base, onstart: "\uFEFFa" }, "onstart", "warning", /BOM/],
    ["an entrypoint nobody starts", { ...ssh, onstart: `${EXPORT_ENV}\n# x` }, "onstart", "warning", /does not start/],
    ["onstart beside the image's entrypoint", { ...base, onstart: "x" }, "onstart", "note", /may not run/],
    ["arguments with SSH", { ...ssh, args_str: "--x" }, "args_str", "warning", /ignored/],
    ["an open quote in arguments", { ...base, args_str: "'x" }, "args_str", "error", /quote is not closed/],
    ["SSH mode without SSH", { ...ssh, use_ssh: false }, "use_ssh", "warning", /may be no shell/],
    ["Jupyter without SSH", { ...ssh, runtype: "jupyter", use_ssh: false }, "use_ssh", "warning", /may be no shell/],
    ["SSH without SSH mode", { ...base, use_ssh: true }, "runtype", "warning", /no effect/],
    ["Jupyter options with SSH", { ...ssh, jup_direct: true }, "runtype", "warning", /Jupyter options/],
    [
      "a relative Jupyter directory",
      { ...base, runtype: "jupyter", jupyter_dir: "w" },
      "jupyter_dir",
      "warning",
      /from the root on/,
    ],
    ["variables SSH does not see", { ...ssh, env: "-e A=b" }, "env", "warning", /do not see/],
    ["a secret in public", { ...base, private: false, env: "-e HF_TOKEN=x" }, "env", "warning", /secret/],
    [
      "a login in public",
      { ...base, private: false, docker_login_repo: "r", docker_login_user: "u" },
      "private",
      "warning",
      /everybody/,
    ],
    ["half a login", { ...base, docker_login_user: "u" }, "docker_login_user", "warning", /belong together/],
    ["a token alone", { ...base, docker_login_pass: "p" }, "docker_login_pass", "warning", /not used/],
    ["a script for a link", { ...base, href: "javascript:alert(1)" }, "href", "warning", /https/],
    ["a link with a user", { ...base, href: "https://a@b/" }, "href", "warning", /https/],
    [
      "no number for a disk",
      { ...base, recommended_disk_space: "12,5" },
      "recommended_disk_space",
      "error",
      /number of GB/,
    ],
    ["no disk", { ...base, recommended_disk_space: "" }, "recommended_disk_space", "error", /number of GB/],
    ["a disk of 0", { ...base, recommended_disk_space: "0" }, "recommended_disk_space", "error", /larger than 0/],
    ["a small disk", { ...base, recommended_disk_space: "4" }, "recommended_disk_space", "warning", /8 GB/],
    ["a volume", { ...base, volume_info: "{}" }, "volume_info", "warning", /no effect/],
    ["a volume that is none", { ...base, volume_info: "[1]" }, "volume_info", "error", /object/],
    [
      "VRAM in GB",
      { ...base, extra_filters: [{ field: "gpu_ram", operator: "gte", value: "24" }] },
      "extra_filters",
      "warning",
      /24 GB/,
    ],
    [
      "VRAM exactly",
      { ...base, extra_filters: [{ field: "gpu_ram", operator: "eq", value: "24000" }] },
      "extra_filters",
      "warning",
      /odd sizes/,
    ],
    [
      "one of nothing",
      { ...base, extra_filters: [{ field: "gpu_name", operator: "in", value: "[]" }] },
      "extra_filters",
      "warning",
      /nothing/,
    ],
    [
      "a VM",
      { ...base, extra_filters: [{ field: "vms_enabled", operator: "eq", value: "true" }] },
      "extra_filters",
      "note",
      /SSH keys/,
    ],
  ];
  for (const [title, form, field, severity, says] of rules)
    test(title, () => {
      const said = lint(form).filter((problem) => problem.field === field && says.test(problem.message));
      assert.deepEqual(
        said.map((problem) => problem.severity),
        [severity],
        JSON.stringify(lint(form)),
      );
      assert.ok(!lint(base).some((problem) => says.test(problem.message)), "a plain template has none of it");
      const [fix] = said.flatMap((problem) => problem.fix ?? []);
      if (fix)
        assert.ok(
          !lint({ ...form, ...fix.changes }).some((problem) => says.test(problem.message)),
          "the fix settles it",
        );
    });

  test("what is stored nowhere needs its registry token typed, where it has a registry and a user", () => {
    const login = { ...base, docker_login_repo: "r", docker_login_user: "u" };
    assert.deepEqual(
      missingToken(login).map(({ field, severity }) => [field, severity]),
      [["docker_login_pass", "warning"]],
    );
    for (const form of [base, { ...login, docker_login_pass: "p" }, { ...login, docker_login_user: "" }])
      assert.deepEqual(missingToken(form), []);
  });

  test("4,047 and 4,048 characters of onstart are fine", () => {
    for (const length of [4047, 4048])
      assert.deepEqual(
        lint({ ...base, onstart: "x".repeat(length) }).filter(({ severity }) => severity !== "note"),
        [],
      );
  });

  test("an error in a field that is not sent keeps nothing from being saved", () => {
    const form = { ...base, onstart: "x".repeat(5000) };
    assert.equal(
      lint(form, readForm(form), new Set(["onstart"])).find(({ field }) => field === "onstart")?.severity,
      "warning",
    );
  });
});

test("a script of blank lines alone does nothing, however many they are", () => {
  const blank = { ...formOf(NEW_TEMPLATE), runtype: "ssh" as const, onstart: `${"\n".repeat(200_000)}# nothing` };
  assert.ok(lint(blank).some(({ field, message }) => field === "onstart" && /entrypoint is replaced/.test(message)));
});
