// Template files: what is written is read back, comments stay, and whatever a stranger wrote is refused where it stands.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { TemplateHash, TemplateId } from "../../../../src/domain/base/id.ts";
import { listChangedFields } from "../../../../src/domain/template/template-changes.ts";
import {
  createTemplateFile,
  formatPosition,
  readSendable,
  readTemplateFile,
  withProposalsOf,
  withSync,
  withTemplateContent,
} from "../../../../src/domain/template/template-file.ts";
import { NEW_TEMPLATE, type WholeDraft } from "../../../../src/domain/template/template-form.ts";

const sync = { id: TemplateId.parse(7), hash: TemplateHash.parse("abc") };
const text = fc.string({ unit: "grapheme", maxLength: 40 }).map((part) => part.replaceAll("\0", ""));
const drafts = fc
  .record({
    name: text.filter((name) => name.trim() !== ""),
    desc: text,
    readme: fc.array(text).map((lines) => lines.join("\n")),
    onstart: fc.array(text).map((lines) => lines.join("\n")),
    href: text,
    private: fc.boolean(),
    runtype: fc.constantFrom("ssh" as const, "jupyter" as const, "args" as const),
    use_ssh: fc.boolean(),
    recommended_disk_space: fc.integer({ min: 1, max: 999 }),
    extra_filters: fc.dictionary(fc.constantFrom("gpu_ram", "num_gpus"), fc.record({ gte: fc.integer() })),
  })
  .map((parts): WholeDraft => ({ ...NEW_TEMPLATE, image: "a/b", ...parts }));

/** What is in the file, where it is refused and in which words. */
const HOSTILE: readonly [what: string, file: string, place: string, said: RegExp][] = [
  ["nothing", "", "1:1", /./],
  ["a list", "[]", "1:1", /a JSON object/],
  ["no JSON", '{ "name": "a",\n  image }', "2:3", /Invalid JSON/],
  ["__proto__", '{ "name": "a", "image": "b",\n "__proto__": { "private": false } }', "2:2", /can't be used/],
  [
    "__proto__ further in",
    '{ "name": "a", "image": "b", "volume_info": { "x": { "__proto__": 1 } } }',
    "1:54",
    /can't be used/,
  ],
  ["a registry token", '{ "name": "a", "image": "b",\n  "docker_login_pass": "x" }', "2:3", /can't be stored in files/],
  ["a key twice", '{ "name": "a", "image": "b",\n  "name": "c" }', "2:3", /twice/],
  ["an unknown field", '{ "name": "a", "image": "b",\n\n  "constructor": 1 }', "3:3", /isn't a template field/],
  ["a wrong type", '{ "name": "a", "image": "b",\n  "private": "no" }', "2:14", /private/],
  ["a wrong filter", '{ "name": "a", "image": "b",\n  "extra_filters": { "gpu_ram": 5 } }', "2:33", /extra_filters/],
  ["a wrong lock", '{ "name": "a", "image": "b",\n  "$sync": { "hash": "a\\u0000" } }', "2:22", /hash/],
  ["no name", '{ "image": "b" }', "1:1", /name is missing/],
  ["an endless number", '{ "name": "a", "image": "b", "recommended_disk_space": 1e999 }', "1:56", /disk/],
  ["a NUL", '{ "name": "a", "image": "b", "onstart": "\\u0000" }', "1:41", /invalid character/],
  ["a long script", `{ "name": "a", "image": "b", "onstart": ["${"x".repeat(5000)}"] }`, "1:41", /longer than/],
  ["depth", `{ "name": "a", "volume_info": ${"[".repeat(40)}`, "1:62", /nested/],
  ["100,000 brackets", "[".repeat(100_000), "1:33", /nested/],
  ["5 MB", `{ "name": "${"a".repeat(5_000_000)}", "image": "b" }`, "1:1", /too large/],
];

test("everything wrong with a file is said at once, each at its place", () => {
  const text = `{
  "image": "a b",
  "runtype": "telnet",
  "extra_filters": {
    "reliability": { "gte": 99 },
    "gpu_name": { "gte": "4090" },
    "num_gpus": { "gte": "lots" }
  },
  "colour": 1
}`;
  const { problems, draft } = readTemplateFile(text);
  assert.equal(draft, undefined);
  const errors = problems.filter(({ severity }) => severity === "error");
  assert.deepEqual(
    errors.map(({ offset }) => formatPosition(text, offset)).sort(),
    ["1:1", "2:12", "3:14", "5:29", "6:26", "7:26", "9:3"],
    JSON.stringify(errors),
  );
});

describe("reading and writing", () => {
  test("a draft written to a file is read back as it was, with its lock", () => {
    fc.assert(
      fc.property(drafts, (draft) => {
        const read = readTemplateFile(createTemplateFile(draft, sync));
        assert.deepEqual(read.draft && listChangedFields(draft, read.draft), []);
        assert.deepEqual(read.sync, sync);
      }),
      { numRuns: 300 },
    );
  });

  test("a pull changes what differs; comments, order and the rest stay letter by letter", () => {
    const file = `{
  // Ours.
  "image": "a/b", /* kept */
  "name": "One",
  "readme": [
    "a",
    "b"
  ],
}
`;
    const filled = withTemplateContent(
      file,
      { ...NEW_TEMPLATE, name: "Two", image: "a/b", readme: "a\nb", desc: "d" },
      sync,
    );
    assert.ok(filled.startsWith(file.replace("One", "Two").slice(0, -2)), filled);
    const read = readSendable(filled);
    assert.deepEqual([read.draft.name, read.draft.desc, read.sync], ["Two", "d", sync]);
  });

  test("whatever two templates say, a pull of one into the file of the other leaves the one", () => {
    fc.assert(
      fc.property(drafts, drafts, (mine, theirs) => {
        const other = { ...sync, hash: TemplateHash.parse("def") };
        const read = readTemplateFile(withTemplateContent(createTemplateFile(mine, sync), theirs, other));
        assert.deepEqual(read.draft && listChangedFields(theirs, read.draft), []);
        assert.deepEqual(read.sync, other);
      }),
      { numRuns: 200 },
    );
  });

  test("a mode with SSH has SSH unless the file says otherwise, as in the form", () => {
    const said = (more: object) => readSendable(JSON.stringify({ name: "a", image: "b", ...more })).draft.use_ssh;
    for (const runtype of ["ssh", "jupyter"]) {
      assert.equal(said({ runtype }), true, runtype);
      assert.equal(said({ runtype, use_ssh: false }), false, runtype);
    }
    for (const more of [{}, { runtype: "args" }]) assert.equal(said(more), false);
    const off: WholeDraft = { ...NEW_TEMPLATE, name: "a", image: "b", runtype: "ssh" };
    const pulled = withTemplateContent('{ "name": "a", "image": "b" }', off, sync);
    assert.deepEqual([readSendable(pulled).draft.runtype, readSendable(pulled).draft.use_ssh], ["ssh", false]);
  });

  test("re-pinning changes the lock and nothing else", () => {
    const file = '{\n  "name": "a", // n\n  "image": "b"\n}\n';
    const pinned = withSync(file, sync);
    assert.equal(withSync(withSync(pinned, { hash: sync.hash }), sync), pinned);
    assert.ok(pinned.startsWith('{\n  "name": "a", // n\n  "image": "b"'));
  });

  test("stored filters that are no conditions stay in the file and are pushed as they are, with a warning", () => {
    const extra_filters = { gpu_ram: { gte: 1 }, type: "bid", order: [["dph_total", "asc"]] };
    const file = createTemplateFile({ ...NEW_TEMPLATE, name: "a", image: "b", extra_filters }, sync);
    assert.deepEqual(readSendable(file).draft.extra_filters, extra_filters);
    assert.match(
      readTemplateFile(file)
        .problems.map(({ message }) => message)
        .join(),
      /These filters aren't recognized.*type, order/,
    );
  });

  test("the lint speaks at the field it is about", () => {
    const file = '{\n  "name": "a",\n  "image": "A b",\n  "runtype": "ssh",\n  "args_str": "x"\n}';
    const places = readTemplateFile(file).problems.map(
      ({ offset, severity }) => `${severity} ${formatPosition(file, offset)}`,
    );
    assert.ok(places.includes("error 3:12") && places.includes("warning 5:15"), places.join());
  });
});

describe("hostile files", () => {
  for (const [what, file, place, said] of HOSTILE)
    test(`${what}: refused at ${place}`, () => {
      const began = performance.now();
      const { draft, problems } = readTemplateFile(file);
      assert.ok(performance.now() - began < 1000);
      const found = problems.filter(({ severity }) => severity === "error");
      const hit = found.find(({ message }) => said.test(message));
      assert.ok(hit, found.map(({ message }) => message).join("\n"));
      assert.equal(formatPosition(file, hit.offset), place);
      assert.throws(() => readSendable(file), /Nothing was sent/);
      assert.throws(() => withTemplateContent(file, NEW_TEMPLATE, sync).length < 0 || readSendable(file));
      assert.ok(draft === undefined || !("docker_login_pass" in draft) || draft.docker_login_pass === "");
      assert.equal(({} as { private?: unknown }).private, undefined, "no prototype was touched");
    });

  test("no text throws, none reaches a prototype, and what is accepted is a template", () => {
    const before = Object.getOwnPropertyNames(Object.prototype).join();
    const key = fc.oneof(
      fc.constantFrom("__proto__", "constructor", "prototype", "name", "image", "$sync", "extra_filters", "toString"),
      fc.string({ maxLength: 5 }),
    );
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string({ maxLength: 5 }),
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        tie("list"),
        tie("object"),
      ),
      list: fc.array(tie("value"), { maxLength: 3 }),
      object: fc.array(fc.tuple(key, tie("value")), { maxLength: 5 }).map((entries) => entries),
    }));
    const write = (value: unknown): string => {
      if (!Array.isArray(value)) return JSON.stringify(value) ?? "null";
      return value.every((item) => Array.isArray(item) && item.length === 2 && typeof item[0] === "string")
        ? `{${value.map(([name, item]) => `${JSON.stringify(name)}:${write(item)}`).join(",")}}`
        : `[${value.map(write).join(",")}]`;
    };
    fc.assert(
      fc.property(fc.oneof(json.object.map(write), fc.string(), fc.json()), (file) => {
        const { draft } = readTemplateFile(file);
        assert.ok(
          draft === undefined || (typeof draft.name === "string" && Object.getPrototypeOf(draft) === Object.prototype),
        );
      }),
      { numRuns: 2000 },
    );
    assert.equal(Object.getOwnPropertyNames(Object.prototype).join(), before);
  });
});

describe("hostile sizes", () => {
  const keys = Array.from({ length: 70_000 }, (_, at) => `"k${at}":1`).join(",");
  const files: readonly [what: string, rest: string][] = [
    ["unknown fields", keys],
    ["unknown operators", `"extra_filters":{"gpu_ram":{${keys}}}`],
    ["unknown filters", `"extra_filters":{${keys}}`],
    ["wrong lines", `"readme":[${"1,".repeat(400_000)}1]`],
    ["one key again and again", '"a":1,'.repeat(150_000)],
    ["Invalid JSON", "x ".repeat(400_000)],
  ];
  for (const [what, rest] of files)
    test(`${what}: 900 KB of them are a hundred problems at most`, () => {
      const { problems } = readTemplateFile(`{"name":"a","image":"b",${rest}}`);
      assert.ok(problems.length > 0 && problems.length <= 100, `${problems.length}`);
    });
});

test("a body as the interface's documents show it is a file: an empty token is none", () => {
  const { problems, draft } = readTemplateFile(
    '{ "name": "a", "image": "b", "docker_login_repo": "", "docker_login_user": "", "docker_login_pass": "" }',
  );
  assert.deepEqual([problems, draft?.docker_login_pass], [[], ""]);
});

describe("what it says to run", () => {
  const fileWith = (run: string) => `{\n  "name": "a", "image": "b",\n  // How to train.\n  "run": ${run}\n}\n`;
  const WHOLE =
    '{ "command": "make", "setup": "", "results": ["out/**"], "resultsEveryMinutes": 10, "dataFolders": ["data/"], "whenDone": "stop", "maxPricePerHour": 0.8 }';
  const RUN = {
    command: "make",
    setup: "",
    results: ["out/**"],
    resultsEveryMinutes: 10,
    dataFolders: ["data"],
    whenDone: "stop",
    maxPricePerHour: 0.8,
  };

  test("it is read, and isn't part of what is sent", () => {
    const { run, draft, problems } = readTemplateFile(fileWith(WHOLE));
    assert.deepEqual([run, problems], [RUN, []]);
    assert.deepEqual(draft, readTemplateFile('{ "name": "a", "image": "b" }').draft);
    assert.deepEqual(readSendable(fileWith('{ "command": " make " }')).run, { command: "make" });
    assert.equal(readTemplateFile('{ "name": "a", "image": "b" }').run, undefined);
  });

  test("it stays in the file, whatever becomes of the template", () => {
    const draft = { ...NEW_TEMPLATE, name: "c", image: "d" };
    for (const text of [withTemplateContent(fileWith(WHOLE), draft, sync), withSync(fileWith(WHOLE), sync)]) {
      assert.deepEqual(readTemplateFile(text).run, RUN);
      assert.match(text, /How to train/);
    }
    assert.deepEqual(readTemplateFile(withProposalsOf(fileWith(WHOLE), createTemplateFile(draft, sync))).run, RUN);
    for (const before of ["", "{", '{ "name": "a", "image": "b" }'])
      assert.equal(withProposalsOf(before, createTemplateFile(draft)), createTemplateFile(draft));
  });

  describe("a mistake in it is named with its field and place", () => {
    for (const [run, says] of [
      ["7", /^4:10 run: /],
      ["{}", /run\.command is missing/],
      ['{ "command": " " }', /^4:23 run\.command: Enter a command/],
      ['{ "command": "a", "setup": 7 }', /run\.setup: /],
      ['{ "command": "a", "results": ["../a"] }', /run\.results\.0: “\.\.\/a” isn't inside/],
      ['{ "command": "a", "results": "out" }', /run\.results: Enter a list/],
      [
        '{ "command": "a", "resultsEveryMinutes": 0 }',
        /run\.resultsEveryMinutes: Enter a whole number of minutes from 1 to/,
      ],
      ['{ "command": "a", "dataFolders": ["a", "a/b"] }', /run\.dataFolders\.1: “a\/b” is inside “a”/],
      ['{ "command": "a", "dataFolders": ["."] }', /run\.dataFolders\.0: “\.” isn't inside/],
      ['{ "command": "a", "maxPricePerHour": 0 }', /run\.maxPricePerHour: /],
      ['{ "command": "a", "whenDone": "end" }', /run\.whenDone: /],
      ['{ "command": "a", "on": "new" }', /“on” isn't a template field/],
      ['{ "command": "a", "command": "b" }', /command is listed twice/],
      ['{ "command": "a", "__proto__": {} }', /This name can't be used/],
    ] as const)
      test(run, () => {
        const { problems, run: read } = readTemplateFile(fileWith(run));
        const [first] = problems.map(({ offset, message }) => `${formatPosition(fileWith(run), offset)} ${message}`);
        assert.match(first ?? "", says);
        assert.equal(read, undefined);
      });
  });
});

describe("what it says to launch with", () => {
  const fileWith = (launch: string) => `{\n  "name": "a", "image": "b",\n  "launch": ${launch}\n}\n`;
  const WHOLE = JSON.stringify({
    ...{ image: "c/d:2", runtype: "jupyter_direct", env: { MODE: "train", "-p 8000:8000": "1" }, onstart: ["a", "b"] },
    ...{ use_jupyter_lab: true, jupyter_dir: "/work", python_utf8: true, lang_utf8: false, vm: false, disk: 20 },
    ...{ label: "night", target_state: "stopped", cancel_unavail: false, args_str: "" },
  });

  test("is read beside the template, and stays when the template is written anew", () => {
    const { launch, draft, problems } = readTemplateFile(fileWith(WHOLE));
    assert.deepEqual([launch, problems], [{ ...JSON.parse(WHOLE), onstart: "a\nb" }, []]);
    assert.ok(draft && !("launch" in draft));
    assert.deepEqual(readSendable(fileWith(WHOLE)).launch, launch);
    assert.equal(readTemplateFile('{ "name": "a", "image": "b" }').launch, undefined);
    const written = withProposalsOf(fileWith(WHOLE), createTemplateFile(draft, sync));
    assert.deepEqual(readTemplateFile(written).launch, launch);
    const pulled = withTemplateContent(fileWith(WHOLE), { ...draft, desc: "New." }, sync);
    assert.deepEqual(readTemplateFile(pulled).launch, launch);
  });

  describe("is refused where it is wrong", () => {
    for (const [launch, says] of [
      ["7", /^3:13 launch: /],
      ['{ "image_login": "-u a -p b c" }', /^3:15 “image_login” isn't a template field/],
      ['{ "volume_info": {} }', /“volume_info” isn't a template field/],
      ['{ "price": 1 }', /“price” isn't a template field/],
      ['{ "runtype": "telnet" }', /launch\.runtype: /],
      ['{ "disk": 1 }', /launch\.disk: /],
      ['{ "env": "-e A=1" }', /launch\.env: /],
      ['{ "env": { "A B": "1" } }', /launch\.env\.A B: isn't a variable name or an option/],
      ['{ "env": { "-p 0:80": "1" } }', /launch\.env\.-p 0:80: ports must have the form host:container/],
      ['{ "env": { "-h box": "1" } }', /launch\.env\.-h box: isn't a variable name or an option/],
      ['{ "env": { "A": "\\u0000" } }', /launch\.env\.A: values can't contain NUL characters/],
      ['{ "env": { "HF_TOKEN": "x" } }', /^3:36 launch\.env\.HF_TOKEN: “HF_TOKEN” looks like a secret/],
      ['{ "env": { "__proto__": "x" } }', /This name can't be used/],
      ['{ "args_str": "\'" }', /launch\.args_str: A quote isn't closed/],
      ['{ "image": " " }', /launch\.image: /],
      ['{ "target_state": "off" }', /launch\.target_state: /],
    ] as const)
      test(launch, () => {
        const { problems, launch: read } = readTemplateFile(fileWith(launch));
        const [first] = problems.map(({ offset, message }) => `${formatPosition(fileWith(launch), offset)} ${message}`);
        assert.match(first ?? "", says);
        assert.equal(read, undefined);
      });
  });
});

describe("a file with a mistake", () => {
  const withSyncAnd = (rest: string) => `{ "name": "a", "image": "b/c", ${rest}, "$sync": { "id": 7, "hash": "abc" } }`;
  for (const [what, rest] of [
    ["an unknown field", '"colour": 1'],
    ["a wrong type", '"private": "no"'],
    ["a field twice", '"name": "z"'],
    ["a wrong run", '"run": { "command": "x", "foo": 1 }'],
    ["no comma", '"desc": "a" "tag": "b"'],
  ] as const)
    test(`that has ${what} still says what it is in step with, and only what is wrong`, () => {
      const read = readTemplateFile(withSyncAnd(rest));
      assert.deepEqual([read.draft, read.sync], [undefined, sync]);
      assert.ok(read.problems.some(({ severity }) => severity === "error"));
      assert.doesNotMatch(JSON.stringify(read.problems), /sync|Unrecognized/);
    });

  test("in its lock isn't in step with anything", () => {
    assert.equal(readTemplateFile('{ "name": "a", "image": "b", "$sync": { "hash": "a", "x": 1 } }').sync, undefined);
  });
});

/** The text with the first problem's way out taken. */
function fixed(text: string): string {
  const fix = readTemplateFile(text).problems.find((problem) => problem.fix)?.fix;
  assert.ok(fix);
  return text.slice(0, fix.offset) + fix.text + text.slice(fix.offset + fix.length);
}

test("a number with a unit is proposed as the file takes it", () => {
  const file = (field: string, value: string) =>
    `{ "name": "a", "image": "b", "extra_filters": { "${field}": ${value} } }`;
  for (const [field, value, number] of [
    ["gpu_ram", '{ "gte": "20 GB" }', '{ "gte": 18883 }'],
    ["gpu_ram", '{ "lte": "20 GB" }', '{ "lte": 20480 }'],
    ["gpu_ram", '{ "lte": 20 }', '{ "lte": 20480 }'],
    ["gpu_ram", '{ "eq": 24 }', '{ "eq": 24576 }'],
    ["reliability", '{ "gte": "99%" }', '{ "gte": 0.99 }'],
    ["duration", '{ "gte": "3 days" }', '{ "gte": 259200 }'],
    ["num_gpus", '{ "gte": "2" }', '{ "gte": 2 }'],
  ] as const) {
    assert.equal(fixed(file(field, value)), file(field, number));
    const after = readTemplateFile(file(field, number)).problems;
    assert.ok(!after.some(({ fix }) => fix), `${field} ${number}`);
  }
  const lost = readTemplateFile(file("gpu_ram", '{ "gte": "lots" }')).problems;
  assert.deepEqual(
    lost.map(({ message, fix }) => [message, fix]),
    [["Enter a number.", undefined]],
  );
});

test("a secret typed into a file is said at its name, and emptied without touching what is beside it", () => {
  const text = '{ "name": "a", "image": "b", "env": "-e MODE=x -e HF_TOKEN=hunter2 -p 80:80", "runtype": "args" }';
  const [problem, ...more] = readTemplateFile(text).problems;
  assert.deepEqual([problem?.severity, more], ["warning", []]);
  assert.equal(text.slice(problem?.offset, (problem?.offset ?? 0) + (problem?.length ?? 0)), "HF_TOKEN");
  assert.match(problem?.message ?? "", /“HF_TOKEN” looks like a secret/);
  assert.equal(fixed(text), text.replace("hunter2", ""));
  assert.deepEqual(readTemplateFile(fixed(text)).problems, []);
});

test("a tag in the image is said to override another one only in a file that has another one", () => {
  const says = (tag: string) =>
    readTemplateFile(`{ "name": "a", "image": "a/b:24.04"${tag} }`).problems.map(({ message }) => message);
  for (const tag of [', "tag": "latest"', ', "tag": "22.04"'])
    assert.deepEqual(says(tag), ["The tag “24.04” in the image overrides the tag below."], tag);
  for (const none of ["", ', "tag": ""']) assert.deepEqual(says(none), [], none);
  assert.deepEqual(says(', "private": 1').length, 1, "also beside a field that can't be read");
});

test("a registry with a path is said, and the file of a template that has one can be sent all the same", () => {
  const file = '{ "name": "a", "image": "b", "docker_login_repo": "r.example/me", "docker_login_user": "u" }';
  const [problem] = readTemplateFile(file).problems;
  assert.deepEqual([problem?.severity, problem?.offset], ["warning", file.indexOf('"r.example')]);
  assert.match(problem?.message ?? "", /host only/);
  assert.equal(readSendable(file).draft.docker_login_repo, "r.example/me");
});

test("a GPU that nobody has is said at its name, with the closest one to take instead", () => {
  const gpus = ["RTX 4090", "H100 SXM"];
  const text = '{ "name": "a", "image": "b", "extra_filters": { "gpu_name": { "in": ["RTX 4090", "H100", "foo"] } } }';
  const problems = readTemplateFile(text, gpus).problems;
  assert.deepEqual(
    problems.map(({ severity, message, offset, length }) => [severity, message, text.slice(offset, offset + length)]),
    [
      ["warning", "No machine on offer has a GPU called H100. Closest: H100 SXM.", '"H100"'],
      ["warning", "No machine on offer has a GPU called foo.", '"foo"'],
    ],
  );
  assert.deepEqual(
    problems.map(({ fix }) => fix?.text),
    ['"H100 SXM"', undefined],
  );
  assert.deepEqual(readTemplateFile(text).problems, [], "nothing is unknown before any name is known");
});
