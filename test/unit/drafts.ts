// Templates as people and services write them, for tests that try many.
import fc from "fast-check";
import { OPERATORS, type StoredFilters } from "../../src/domain/offer/filter.ts";
import { FILTER_FIELDS } from "../../src/domain/offer/filter-rows.ts";
import type { WholeDraft } from "../../src/domain/template/template-form.ts";

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
export const filters: fc.Arbitrary<StoredFilters> = fc
  .uniqueArray(fc.oneof(fc.tuple(field, condition), fc.tuple(oddField, oddEntry)), {
    maxLength: 5,
    selector: ([name]) => name,
  })
  .map((entries) => JSON.parse(JSON.stringify(Object.fromEntries(entries))));

const plain = { noNullPrototype: true } as const;
export const drafts: fc.Arbitrary<WholeDraft> = fc.record(
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
