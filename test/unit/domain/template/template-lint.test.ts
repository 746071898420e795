// What is said at the fields of a template: every rule has its words.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  FORM_SECTIONS,
  NEW_TEMPLATE,
  readForm,
  TEMPLATE_DRAFT_FIELDS,
  type TemplateField,
  type TemplateForm,
  toForm,
} from "../../../../src/domain/template/template-form.ts";
import { EXPORT_ENV, findMissingToken, lintForm } from "../../../../src/domain/template/template-lint.ts";

describe("what is said at the fields", () => {
  const base = toForm({ ...NEW_TEMPLATE, name: "n", image: "a/b" });
  const ssh = { ...base, runtype: "ssh", use_ssh: true, onstart: "run &" } as const;
  const rules: readonly [title: string, form: TemplateForm, field: TemplateField, severity: string, says: RegExp][] = [
    ["no name", { ...base, name: "" }, "name", "error", /Enter a name/],
    ["no image", { ...base, image: "" }, "image", "error", /Enter an image/],
    ["an image with blanks", { ...base, image: "a b" }, "image", "error", /can't contain spaces/],
    ["an image with a scheme", { ...base, image: "https://a/b" }, "image", "error", /scheme/],
    ["an image in capitals", { ...base, image: "reg.example/You/B" }, "image", "warning", /lowercase/],
    ["a tag twice", { ...base, image: "a/b:1" }, "image", "warning", /overrides/],
    ["a digest", { ...base, image: "a/b@sha256:0" }, "image", "note", /digest/],
    ["a digest after a tag", { ...base, image: "a/b:1@sha256:0" }, "image", "note", /digest/],
    ["a strange tag", { ...base, tag: "a b" }, "tag", "error", /letters/],
    ["onstart of 4,049", { ...base, onstart: "x".repeat(4049) }, "onstart", "error", /4048/],
    ["onstart of many bytes", { ...base, onstart: "é".repeat(2100) }, "onstart", "warning", /4200 bytes/],
    ["onstart with NUL", { ...base, onstart: "a\0b" }, "onstart", "error", /invalid character/],
    ["onstart with CRLF", { ...base, onstart: "a\r\nb" }, "onstart", "warning", /Windows/],
    ["onstart with BOM", { ...base, onstart: "\uFEFFa" }, "onstart", "warning", /BOM/],
    ["an entrypoint nobody starts", { ...ssh, onstart: `${EXPORT_ENV}\n# x` }, "onstart", "warning", /doesn't start/],
    ["onstart beside the image's entrypoint", { ...base, onstart: "x" }, "onstart", "note", /may not run/],
    ["arguments with SSH", { ...ssh, args_str: "--x" }, "args_str", "warning", /ignored/],
    ["an open quote in arguments", { ...base, args_str: "'x" }, "args_str", "error", /quote isn't closed/],
    ["SSH mode without SSH", { ...ssh, use_ssh: false }, "use_ssh", "warning", /shell may not be available/],
    [
      "Jupyter without SSH",
      { ...ssh, runtype: "jupyter", use_ssh: false },
      "use_ssh",
      "warning",
      /shell may not be available/,
    ],
    ["an image that only starts a shell", { ...base, image: "python" }, "runtype", "warning", /only starts a shell/],
    ["SSH without SSH mode", { ...base, use_ssh: true }, "runtype", "warning", /no effect/],
    ["Jupyter options with SSH", { ...ssh, jup_direct: true }, "runtype", "warning", /Jupyter options/],
    [
      "a relative Jupyter directory",
      { ...base, runtype: "jupyter", jupyter_dir: "w" },
      "jupyter_dir",
      "warning",
      /absolute path/,
    ],
    ["variables SSH does not see", { ...ssh, env: "-e A=b" }, "env", "warning", /don't see/],
    ["a secret of one's own", { ...base, private: true, env: "-e HF_TOKEN=x" }, "env", "note", /secret/],
    ["a secret in public", { ...base, private: false, env: "-e HF_TOKEN=x" }, "env", "warning", /secret/],
    [
      "a login in public",
      { ...base, private: false, docker_login_repo: "r", docker_login_user: "u" },
      "private",
      "warning",
      /everyone/,
    ],
    [
      "a registry with a path",
      { ...base, docker_login_repo: "r.example/me" },
      "docker_login_repo",
      "error",
      /host only/,
    ],
    ["half a login", { ...base, docker_login_user: "u" }, "docker_login_user", "warning", /token together/],
    ["a token alone", { ...base, docker_login_pass: "p" }, "docker_login_pass", "warning", /no effect without/],
    ["a script for a link", { ...base, href: "javascript:alert(1)" }, "href", "warning", /https/],
    ["a link with a user", { ...base, href: "https://a@b/" }, "href", "warning", /https/],
    [
      "no number for a disk",
      { ...base, recommended_disk_space: "12,5" },
      "recommended_disk_space",
      "error",
      /size in GB/,
    ],
    ["no disk", { ...base, recommended_disk_space: "" }, "recommended_disk_space", "error", /size in GB/],
    ["a disk of 0", { ...base, recommended_disk_space: "0" }, "recommended_disk_space", "error", /larger than 0/],
    ["a small disk", { ...base, recommended_disk_space: "4" }, "recommended_disk_space", "warning", /8 GB/],
    ["a volume", { ...base, volume_info: "{}" }, "volume_info", "warning", /no effect/],
    ["a volume that is none", { ...base, volume_info: "[1]" }, "volume_info", "error", /object/],
    [
      "VRAM in GB",
      { ...base, extra_filters: [{ field: "gpu_ram", operator: "gte", value: "24 MB" }] },
      "extra_filters",
      "warning",
      /24 GB/,
    ],
    [
      "VRAM exactly",
      { ...base, extra_filters: [{ field: "gpu_ram", operator: "eq", value: "24000" }] },
      "extra_filters",
      "warning",
      /uneven VRAM sizes/,
    ],
    [
      "one of nothing",
      { ...base, extra_filters: [{ field: "gpu_name", operator: "in", value: "[]" }] },
      "extra_filters",
      "warning",
      /at least one value/,
    ],
    [
      "an order of names",
      { ...base, extra_filters: [{ field: "gpu_name", operator: "gte", value: "4090" }] },
      "extra_filters",
      "error",
      /gpu_name is text/,
    ],
    [
      "9,900 % reliability",
      { ...base, extra_filters: [{ field: "reliability", operator: "gte", value: "9900" }] },
      "extra_filters",
      "error",
      /percentage/,
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
      const said = lintForm(form).filter((problem) => problem.field === field && says.test(problem.message));
      assert.deepEqual(
        said.map((problem) => problem.severity),
        [severity],
        JSON.stringify(lintForm(form)),
      );
      assert.ok(!lintForm(base).some((problem) => says.test(problem.message)), "a plain template has none of it");
      const [fix] = said.flatMap((problem) => problem.fix ?? []);
      if (fix)
        assert.ok(
          !lintForm({ ...form, ...fix.changes }).some((problem) => says.test(problem.message)),
          "the fix settles it",
        );
    });

  test("a tag in the image overrides nothing where no tag is entered", () => {
    for (const tag of ["latest", "22.04"])
      assert.equal(lintForm({ ...base, image: "a/b:24.04", tag })[0]?.fix?.changes.tag, "24.04", tag);
    assert.deepEqual(lintForm({ ...base, image: "a/b:24.04", tag: "" }), []);
  });

  test("an image that only starts a shell may run a program, or be logged in to", () => {
    const shell = { ...base, image: "docker.io/library/ubuntu" };
    const says = (form: TemplateForm) => lintForm(form).map(({ field }) => field);
    assert.deepEqual(says(shell), ["runtype"]);
    assert.deepEqual(says({ ...shell, args_str: "sleep infinity" }), []);
    assert.deepEqual(says({ ...shell, runtype: "ssh", use_ssh: true }), []);
  });

  test("all mistakes in filters are said at once, each at its row and part", () => {
    const extra_filters = [
      { field: "num_gpus", operator: "gte", value: "lots" },
      { field: "gpu_name", operator: "gte", value: "4090" },
      { field: "reliability", operator: "gte", value: "9900 %" },
      { field: "verified", operator: "lt", value: "true" },
      { field: "geolocation", operator: "in", value: "SE, Germany" },
      { field: "driver_version", operator: "gte", value: "535.1" },
      { field: "made_up", operator: "gte", value: "text" },
    ] as const;
    const said = lintForm({ ...base, extra_filters: [...extra_filters] });
    assert.deepEqual(
      said.map(({ severity, row, part }) => [severity, row, part]).sort(([, a], [, b]) => Number(a) - Number(b)),
      [
        ["error", 0, "value"],
        ["error", 1, "operator"],
        ["error", 2, "value"],
        ["error", 3, "operator"],
        ["error", 4, "value"],
      ],
    );
  });

  test("what is said is in the order of the form, where every field stands once", () => {
    assert.deepEqual(Object.values(FORM_SECTIONS).flat().sort(), [...TEMPLATE_DRAFT_FIELDS].sort());
    const extra_filters = [
      { field: "num_gpus", operator: "gte", value: "2" },
      { field: "gpu_name", operator: "gte", value: "4090" },
      { field: "duration", operator: "gte", value: "long" },
    ] as const;
    const all = lintForm({
      ...base,
      ...{ name: "", image: "", tag: "a b", args_str: "'x", onstart: "\0", volume_info: "[" },
      ...{ extra_filters: [...extra_filters], recommended_disk_space: "" },
    });
    assert.deepEqual(
      all.filter(({ severity }) => severity === "error").map(({ field, row }) => `${field} ${row ?? ""}`.trim()),
      [
        "name",
        "image",
        "tag",
        "args_str",
        "onstart",
        "extra_filters 1",
        "extra_filters 2",
        "recommended_disk_space",
        "volume_info",
      ],
    );
  });

  test("what is stored nowhere needs its registry token typed, where it has a registry and a user", () => {
    const login = { ...base, docker_login_repo: "r", docker_login_user: "u" };
    assert.deepEqual(
      findMissingToken(login).map(({ field, severity }) => [field, severity]),
      [["docker_login_pass", "warning"]],
    );
    for (const form of [base, { ...login, docker_login_pass: "p" }, { ...login, docker_login_user: "" }])
      assert.deepEqual(findMissingToken(form), []);
  });

  test("4,047 and 4,048 characters of onstart are fine", () => {
    for (const length of [4047, 4048])
      assert.deepEqual(
        lintForm({ ...base, onstart: "x".repeat(length) }).filter(({ severity }) => severity !== "note"),
        [],
      );
  });

  test("an error in a field that is not sent keeps nothing from being saved", () => {
    const form = { ...base, onstart: "x".repeat(5000) };
    assert.equal(
      lintForm(form, readForm(form), new Set(["onstart"])).find(({ field }) => field === "onstart")?.severity,
      "warning",
    );
  });
});

test("a script of blank lines alone does nothing, however many they are", () => {
  const blank = {
    ...toForm(NEW_TEMPLATE),
    image: "a/b",
    runtype: "ssh" as const,
    onstart: `${"\n".repeat(200_000)}# nothing`,
  };
  assert.ok(
    lintForm(blank).some(
      ({ field, message }) => field === "onstart" && /replaces the image's own entrypoint/.test(message),
    ),
  );
});
