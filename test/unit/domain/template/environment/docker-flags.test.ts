// Docker flag strings: whatever one writes for a shell is read as it was meant.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { CreateInstanceBody } from "../../../../../src/domain/launch/create-request.ts";
import { mergeEnv, parseDockerFlags } from "../../../../../src/domain/template/environment/docker-flags.ts";
import { quoteWord } from "../../../../../src/lib/shell-words.ts";

const RUNS = { numRuns: 10_000 };
const oneLine = (text: string) => !/[\0\r\n]/.test(text);
/** Half of all characters are those a shell could stumble over. */
const awkward = fc.constantFrom(..."'\"\\$` \t=-#*?[]{}()<>|&;!~%^,:/@éß€漢🚀\u2028\ud800");
const value = fc
  .string({ unit: fc.oneof(awkward, fc.string({ unit: "binary", minLength: 1, maxLength: 1 })) })
  .filter(oneLine);
const name = fc.oneof(fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.]{0,12}$/), fc.constantFrom("constructor", "toString"));
const port = fc.integer({ min: 1, max: 65_535 });
const solid = fc
  .string({ unit: fc.oneof(awkward, fc.constantFrom(..."abc/")), minLength: 1 })
  .filter((text) => /^\S+$/.test(text));
const entry = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(name, value) },
  fc.tuple(
    fc.tuple(port, port, fc.constantFrom("", "/udp", "/tcp")).map(([from, to, way]) => `-p ${from}:${to}${way}`),
    fc.constant("1"),
  ),
  fc.tuple(fc.constant("-h"), value),
  fc.tuple(
    fc.tuple(solid, solid).map(([from, to]) => `-v ${from}:${to}`),
    fc.constant("1"),
  ),
  fc.tuple(
    solid.map((network) => `-n ${network}`),
    fc.constant("1"),
  ),
);
const environment = fc.array(entry, { maxLength: 6 }).map((entries) => Object.fromEntries(entries));

/** An instance's environment as one would write it in a template. */
function writeFlags(env: Readonly<Record<string, string>>): string {
  const flags = Object.entries(env).map(([name, value]) => {
    if (name === "-h") return `-h ${quoteWord(value)}`;
    if (/^-[pvn] /.test(name)) return `${name.slice(0, 2)} ${quoteWord(name.slice(3))}`;
    return `-e ${quoteWord(`${name}=${value}`)}`;
  });
  return flags.join(" ");
}

describe("an environment written as flags (interface 2.3, 4.3 rule 4)", () => {
  test("every one the interface accepts comes back exactly, with nothing unread", () => {
    fc.assert(
      fc.property(environment, (env) => {
        assert.ok(CreateInstanceBody.safeParse({ image: "a/b", env }).success, "the interface accepts it");
        const text = writeFlags(env);
        assert.deepEqual(parseDockerFlags(text), { env, unread: [] });
        assert.ok(oneLine(text));
      }),
      RUNS,
    );
  });

  test("reading and writing again settles at once", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.oneof(awkward, fc.constantFrom("-e ", "-p ", "A", "1:1", " ")) }), (text) => {
        const { env } = parseDockerFlags(text);
        assert.deepEqual(parseDockerFlags(writeFlags(env)).env, env);
      }),
      RUNS,
    );
  });

  test("what a request adds to a template is there, and what it does not touch stays", () => {
    fc.assert(
      fc.property(environment, environment, (template, request) => {
        const merged = mergeEnv(writeFlags(template), request);
        assert.deepEqual(merged, { ...template, ...request });
      }),
    );
  });

  test("a variable named like an option is not taken for one", () =>
    assert.deepEqual(parseDockerFlags('-e "-p 22:22=1"'), { env: {}, unread: ["-e", "-p 22:22=1"] }));

  test("a name like __proto__ comes back as a name", () => {
    const env = Object.fromEntries([["__proto__", "x y"]]);
    assert.deepEqual(parseDockerFlags(writeFlags(env)), { env, unread: [] });
  });
});

describe("docker flags (interface 2.3, 4.3 rule 4)", () => {
  const cases: readonly [text: string, env: Record<string, string>, unread: string[]][] = [
    ["", {}, []],
    ["-e A=b", { A: "b" }, []],
    ["-eA=b", { A: "b" }, []],
    ["--env A=b", { A: "b" }, []],
    ["--env=A=b", { A: "b" }, []],
    ['-e "A=b c" -p 8080:8080', { A: "b c", "-p 8080:8080": "1" }, []],
    ["-e A='x y' -e B=1=2", { A: "x y", B: "1=2" }, []],
    ["-p 70001:70001/udp -h box -v /a:/b", { "-p 70001:70001/udp": "1", "-h": "box", "-v /a:/b": "1" }, []],
    ["-e A", {}, ["-e", "A"]],
    ["--gpus all", {}, ["--gpus", "all"]],
    ["-e", {}, ["-e"]],
    ['-e A="open', { A: '"open' }, []],
  ];
  for (const [text, env, unread] of cases) {
    test(JSON.stringify(text), () => assert.deepEqual(parseDockerFlags(text), { env, unread }));
  }

  test("variables written with quotes come back as they were", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (value) => {
        const quoted = `'${value.replaceAll("'", `'"'"'`)}'`;
        assert.equal(parseDockerFlags(`-e A=${quoted}`).env.A, value);
      }),
    );
  });

  test("a name like __proto__ stays a name", () => {
    const merged = mergeEnv("-e __proto__=x", {});
    assert.equal(Object.getOwnPropertyDescriptor(merged, "__proto__")?.value, "x");
    assert.equal(({} as Record<string, unknown>).x, undefined);
  });
});
