// The template's form: draft, form, wire and text are the same thing in four dresses; only what changed is sent; every rule has its words.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { OPERATORS, type StoredFilters } from "../../src/domain/offer/filter.ts";
import { FILTER_FIELDS, normalised, readRows, renamed, rowsOf } from "../../src/domain/offer/filter-rows.ts";
import { envProblems } from "../../src/domain/template/env-lint.ts";
import { Template } from "../../src/domain/template/template.ts";
import { changedFields, changes, merge } from "../../src/domain/template/template-changes.ts";
import { TemplateDraft } from "../../src/domain/template/template-draft.ts";
import {
  creation,
  draftOfRecord,
  formOf,
  NEW_TEMPLATE,
  readForm,
  TEMPLATE_DRAFT_FIELDS,
  type TemplateField,
  TemplateForm,
  type WholeDraft,
} from "../../src/domain/template/template-form.ts";
import { EXPORT_ENV, lint, missingToken } from "../../src/domain/template/template-lint.ts";
import { isUndecided, readTemplateText, templateText } from "../../src/domain/template/template-text.ts";

const text = fc.oneof(fc.string({ maxLength: 40 }), fc.string({ unit: "grapheme", maxLength: 20 }));
const script = text.map((part) => part.replaceAll("\0", ""));
const scalar = fc.oneof(
  text,
  fc.boolean(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
  fc.integer(),
  fc.constantFrom("any", "true", "5", "=5", '="x"', "a, b", " x ", "[]", 'a="b', "24 GB", "50 %", "1e3", "0x10"),
);
const field = fc
  .oneof(fc.constantFrom(...Object.keys(FILTER_FIELDS)), fc.stringMatching(/^[a-z_]{1,12}$/))
  .filter((name) => name !== "__proto__");
const condition = fc
  .uniqueArray(fc.constantFrom(...OPERATORS), { maxLength: 4 })
  .chain((operators) =>
    fc.tuple(
      ...operators.map((operator) =>
        (operator === "in" || operator === "notin" ? fc.array(scalar, { maxLength: 4 }) : scalar).map(
          (value) => [operator, value] as const,
        ),
      ),
    ),
  )
  .map((parts) => Object.fromEntries(parts));
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)));
/** What services store beside conditions, or in their place. */
const oddField = fc.oneof(field, fc.constantFrom("type", "order", "limit", "", " gpu_ram", "gpu_ram "));
const oddEntry = fc.oneof(json, condition, fc.constant({ eq: true, near: 1 }));
const filters: fc.Arbitrary<StoredFilters> = fc
  .uniqueArray(fc.oneof(fc.tuple(field, condition), fc.tuple(oddField, oddEntry)), {
    maxLength: 5,
    selector: ([name]) => name,
  })
  .map((entries) => JSON.parse(JSON.stringify(Object.fromEntries(entries))));

const plain = { noNullPrototype: true } as const;
const drafts: fc.Arbitrary<WholeDraft> = fc.record(
  {
    name: text.filter((part) => part.trim() !== ""),
    image: text.filter((part) => part.trim() !== ""),
    tag: text,
    desc: text,
    readme: fc.oneof(
      text,
      fc.array(text).map((lines) => lines.join("\n")),
    ),
    env: text,
    onstart: fc.oneof(
      script,
      fc.array(script, { maxLength: 5 }).map((lines) => lines.join("\n")),
    ),
    runtype: fc.constantFrom("ssh", "jupyter", "args"),
    args_str: fc.constantFrom("", "--model a", "'a b' c", '"x"'),
    ssh_direct: fc.boolean(),
    use_ssh: fc.boolean(),
    jup_direct: fc.boolean(),
    jupyter_dir: fc.option(text.filter((part) => part !== "")),
    use_jupyter_lab: fc.boolean(),
    docker_login_repo: text,
    docker_login_user: text,
    docker_login_pass: fc.constant(""),
    href: text,
    repo: text,
    extra_filters: filters,
    recommended_disk_space: fc.oneof(
      fc.integer({ min: 1, max: 5000 }),
      fc.double({ min: 0.001, max: 1e6, noNaN: true }),
    ),
    private: fc.boolean(),
    volume_info: fc.option(fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), json, { ...plain, maxKeys: 3 })),
  },
  plain,
);

describe("one template, four dresses", () => {
  test("draft to form to draft is the identity, and the form has no complaint", () => {
    fc.assert(
      fc.property(drafts, (draft) => {
        const form = TemplateForm.parse(JSON.parse(JSON.stringify(formOf(draft))));
        const read = readForm(form);
        assert.deepEqual(read.problems, []);
        assert.deepEqual(changedFields(draft, read.draft), []);
        assert.deepEqual(read.draft, draft);
      }),
      { numRuns: 2000 },
    );
  });

  test("draft to wire to draft is the identity", () => {
    fc.assert(
      fc.property(drafts, (draft) => {
        const record = JSON.parse(JSON.stringify({ ...draft, hash_id: "abc", id: 7, creator_id: 1, count_created: 3 }));
        assert.deepEqual(draftOfRecord(record), draft);
        const sent = JSON.parse(JSON.stringify(creation(draft)));
        assert.ok(TemplateDraft.safeParse(sent).success);
        assert.deepEqual(changedFields(draftOfRecord({ ...sent, hash_id: "abc" }), draft), []);
      }),
      { numRuns: 2000 },
    );
  });

  test("draft to text to draft is the identity", () => {
    fc.assert(
      fc.property(drafts, (draft) => {
        assert.deepEqual(readTemplateText(templateText(draft)), draft);
      }),
      { numRuns: 2000 },
    );
  });

  test("a script of blank lines alone does nothing, however many they are", () => {
    const blank = { ...formOf(NEW_TEMPLATE), runtype: "ssh" as const, onstart: `${"\n".repeat(200_000)}# nothing` };
    assert.ok(lint(blank).some(({ field, message }) => field === "onstart" && /entrypoint is replaced/.test(message)));
  });

  test("a merged text is undecided while it keeps what both changed", () => {
    const texts = { base: "a\nb\nc", mine: "a\nB1\nc", theirs: "a\nB2\nc" };
    assert.equal(isUndecided(texts, texts.base), true);
    for (const merged of ["a\nB3\nc", "a\nc", "a\n<<<<<<< mine\nB1\n=======\nB2\n>>>>>>> theirs\nc"])
      assert.equal(isUndecided(texts, merged), true, merged);
    for (const merged of [texts.mine, texts.theirs, "a\nB1\nB2\nc"])
      assert.equal(isUndecided(texts, merged), false, merged);
    assert.equal(isUndecided({ ...texts, theirs: "a\nb\nC" }, "a\nB1\nC"), false, "changed in different places");
    const added = { base: "a", mine: "a\nx", theirs: "a\ny" };
    assert.equal(isUndecided(added, "a"), true);
    for (const merged of ["a\nx", "a\ny", "a\nx\ny"]) assert.equal(isUndecided(added, merged), false, merged);
  });

  test("the form's fields are the schema's, and a new template is valid but for what must be typed", () => {
    assert.deepEqual(Object.keys(TemplateForm.shape).sort(), [...TEMPLATE_DRAFT_FIELDS].sort());
    assert.deepEqual(
      readForm(formOf(NEW_TEMPLATE)).problems.map(({ field }) => field),
      ["name", "image"],
    );
  });

  test("a record full of nonsense is read as far as it goes", () => {
    const draft = draftOfRecord({
      name: 7,
      image: null,
      runtype: "jupyter_direc ssh_proxy",
      extra_filters: '{"num_gpus":{"gte":2}}',
      volume_info: 5,
      private: "x",
    });
    assert.deepEqual([draft.name, draft.runtype, draft.volume_info, draft.private], ["", "jupyter", null, false]);
    assert.deepEqual(draft.extra_filters, { num_gpus: { gte: 2 } });
  });

  test("machine filters that are not understood stay: not sent by another save, sent along by an edit, said in the form", () => {
    const extra_filters = {
      gpu_ram: { gte: 24_000 },
      " verified": { eq: true },
      type: "bid",
      order: [["dph_total", "asc"]],
      limit: 5,
    };
    const record = { name: "n", image: "a/b", hash_id: "abc", extra_filters };
    for (const raw of [record, { ...record, extra_filters: JSON.stringify(extra_filters) }]) {
      const base = draftOfRecord(raw);
      assert.deepEqual(Template.parse(raw).extra_filters, { gpu_ram: { gte: 24_000 } });
      const form = formOf(base);
      assert.deepEqual(changes(base, readForm({ ...form, desc: "d" }).draft), { desc: "d" });
      const added = [...form.extra_filters, { field: "num_gpus", operator: "gte", value: "2" } as const];
      const read = readForm({ ...form, extra_filters: added });
      assert.deepEqual(changes(base, read.draft), { extra_filters: { ...extra_filters, num_gpus: { gte: 2 } } });
      assert.deepEqual(read.problems, []);
      const said = lint(form).find(({ field }) => field === "extra_filters")?.message ?? "";
      assert.match(said, /Kept as stored.*: verified, type, order, limit\.$/);
      const twice = [...form.extra_filters, { field: "type", operator: "eq", value: "x" } as const];
      assert.match(readForm({ ...form, extra_filters: twice }).problems[0]?.message ?? "", /type stands there twice/);
    }
  });

  test("text that is no template says why", () => {
    assert.throws(() => readTemplateText("{"), /no JSON/);
    assert.throws(() => readTemplateText('{"nmae": "x"}'), /nmae/);
    assert.throws(() => readTemplateText('{"recommended_disk_space": "x"}'), /recommended_disk_space/);
    assert.throws(() => readTemplateText('{"docker_login_pass": "x"}'), /docker_login_pass/);
  });
});

describe("only what changed", () => {
  test("the body of an edit holds the changed fields, all of them, and nothing else", () => {
    fc.assert(
      fc.property(drafts, drafts, fc.subarray(TEMPLATE_DRAFT_FIELDS), (base, other, picked) => {
        const mine = { ...base, ...Object.fromEntries(picked.map((name) => [name, other[name]])) } as WholeDraft;
        const sent = changes(base, mine);
        for (const name of TEMPLATE_DRAFT_FIELDS) {
          const differs = JSON.stringify(base[name]) !== JSON.stringify(mine[name]);
          if (!picked.includes(name) || !differs) assert.ok(!(name in sent) || differs, name);
          if (name in sent) assert.deepEqual(sent[name], mine[name]);
        }
        assert.deepEqual(changedFields({ ...base, ...sent } as WholeDraft, mine), []);
        assert.ok(Object.keys(sent).every((name) => picked.includes(name as TemplateField)));
      }),
      { numRuns: 1000 },
    );
  });

  test("three drafts merged: mine where I changed it, theirs elsewhere, both named where they differ", () => {
    fc.assert(
      fc.property(
        drafts,
        drafts,
        drafts,
        fc.subarray(TEMPLATE_DRAFT_FIELDS),
        fc.subarray(TEMPLATE_DRAFT_FIELDS),
        (base, a, b, mineOf, theirsOf) => {
          const from = (other: WholeDraft, fields: TemplateField[]) =>
            ({ ...base, ...Object.fromEntries(fields.map((name) => [name, other[name]])) }) as WholeDraft;
          const [mine, theirs] = [from(a, mineOf), from(b, theirsOf)];
          const { merged: draft, both } = merge(base, mine, theirs);
          const changedByMe = changedFields(base, mine);
          for (const name of TEMPLATE_DRAFT_FIELDS)
            assert.deepEqual(draft[name], changedByMe.includes(name) ? mine[name] : theirs[name], name);
          for (const name of both) assert.ok(changedByMe.includes(name) && changedFields(theirs, mine).includes(name));
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("rows of machine filters (interface 4.2)", () => {
  test("filters to rows to filters is the identity, whatever the values", () => {
    fc.assert(
      fc.property(filters, (given) => {
        const { filters: read, problems } = readRows(rowsOf(given));
        assert.deepEqual(problems, []);
        assert.deepEqual(read, given);
      }),
      { numRuns: 5000 },
    );
  });

  const cases: readonly [field: string, operator: "gte" | "eq" | "lte" | "in", value: string, wire: unknown][] = [
    ["gpu_ram", "gte", "24 GB", 22_856],
    ["gpu_ram", "gte", "24000", 24_000],
    ["gpu_ram", "gte", "24000 MB", 24_000],
    ["gpu_ram", "lte", "24GB", 24_576],
    ["cpu_ram", "gte", "64 GB", 64_000],
    ["reliability", "gte", "99.5 %", 0.995],
    ["duration", "gte", "3 days", 259_200],
    ["disk_space", "gte", "1 TB", 1000],
    ["gpu_name", "in", "RTX 4090, H100 SXM", ["RTX 4090", "H100 SXM"]],
    ["gpu_name", "in", '="a, b", c', ["a, b", "c"]],
    ["verified", "eq", "true", true],
    ["os_version", "eq", "24.04", 24.04],
    ["os_version", "eq", '="24.04"', "24.04"],
  ];
  for (const [name, operator, value, wire] of cases)
    test(`${name} ${operator} ${value}`, () => {
      const row = { field: name, operator, value };
      assert.deepEqual(readRows([row]), { filters: { [name]: { [operator]: wire } }, problems: [] });
      assert.deepEqual(readRows([normalised(row)]).filters, { [name]: { [operator]: wire } });
    });

  const wrong: readonly [row: Parameters<typeof readRows>[0][number], part: string, says: RegExp][] = [
    [{ field: "", operator: "eq", value: "5" }, "field", /Choose/],
    [{ field: "__proto__", operator: "eq", value: "5" }, "field", /cannot be used/],
    [{ field: "num_gpus", operator: "gte", value: "" }, "value", /missing/],
    [{ field: "num_gpus", operator: "gte", value: "two" }, "value", /number/],
    [{ field: "dph_total", operator: "lte", value: "0,35" }, "value", /point/],
    [{ field: "verified", operator: "eq", value: "yes" }, "value", /true or false/],
    [{ field: "gpu_name", operator: "in", value: " , " }, "value", /one or more/],
    [{ field: "gpu_name", operator: "eq", value: "={" }, "value", /JSON/],
  ];
  for (const [row, part, says] of wrong)
    test(`refused: ${JSON.stringify(row)}`, () => {
      const { problems } = readRows([row]);
      assert.equal(problems[0]?.part, part);
      assert.match(problems[0]?.message ?? "", says);
    });

  test("another field for a row: yes or no begins with yes, what fits stays", () => {
    const row = { field: "x", operator: "gte", value: "5" } as const;
    assert.deepEqual(renamed(row, " dlperf_per_dphtotal "), { ...row, field: "dlperf_per_dphtotal" });
    assert.deepEqual(renamed(row, "verified"), { field: "verified", operator: "eq", value: "true" });
    const no = { field: "", operator: "neq", value: "false" } as const;
    assert.deepEqual(renamed(no, "verified"), { ...no, field: "verified" });
  });

  test("the same comparison twice is refused, blank rows are passed over", () => {
    const row = { field: "num_gpus", operator: "gte", value: "2" } as const;
    assert.match(readRows([row, row]).problems[0]?.message ?? "", /twice/);
    assert.deepEqual(readRows([{ field: " ", operator: "eq", value: "" }]), { filters: {}, problems: [] });
  });
});

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

  const envCases: readonly [env: string, severity: string | undefined, says: RegExp][] = [
    ["-e A=b -p 8080:8080/udp -v /a:/b -p 70001:70001", undefined, /./],
    ["-e =b", "error", /no name/],
    ["-e 'A B=c'", "error", /letters/],
    ["-e 1A=c", "error", /letters/],
    ["-e __proto__=c", "error", /cannot be used/],
    ["-e A='b\nc'", "error", /line break/],
    ["-e A=b\n-e C=d", undefined, /./],
    ["-e A=b -e A=c", "warning", /twice/],
    ["-e A=b -e a=c", undefined, /./],
    ["-p 8080", "error", /host:container/],
    ["-p 0:1", "error", /1 to 65535/],
    ["-p 65536:1", "error", /1 to 65535/],
    ["-p a:b", "error", /1 to 65535/],
    ["-p 1:2:3", "error", /host:container/],
    ["-p 80-90:80-90", "error", /range/],
    ["-p '1 :2'", "error", /1 to 65535/],
    ["-p 80:80 -p 80:81", "warning", /mapped twice/],
    ["--gpus=all", "warning", /not understood/],
    ["-e A", "warning", /not understood/],
    ["-e A='open", "warning", /cannot be read/],
    ["-e 'A=\0'", "error", /cannot be sent/],
    [Array.from({ length: 65 }, (_, at) => `-p ${at + 1}:${at + 1}`).join(" "), "warning", /65 ports/],
  ];
  for (const [env, severity, says] of envCases)
    test(`env ${JSON.stringify(env).slice(0, 50)}`, () => {
      const [first] = envProblems(env, false);
      assert.equal(first?.severity, severity, first?.message);
      if (severity) assert.match(first?.message ?? "", says);
    });
});
