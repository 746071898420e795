// The table of a template's variables and ports: nothing that was written is ever lost or changed beside what was edited.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { parseDockerFlags } from "../../../../../src/domain/template/environment/docker-flags.ts";
import {
  type EnvEntry,
  formatEnvTable,
  parseEnvTable,
  withEntry,
  withNewEntry,
  withoutRow,
} from "../../../../../src/domain/template/environment/env-table.ts";

const RUNS = { numRuns: 10_000 };

/** Flag strings as people and hostile people write them: real flags, quotes open and closed, blanks of every kind. */
const piece = fc.oneof(
  fc.constantFrom("-e", "-p", "--env", "--publish", "-h", "-v", "-n", "-e ", "-p ", "--env=", "-eA=", "--gpus all"),
  fc.constantFrom(" ", "  ", "\t", "\n", "\r\n", "'", '"', "\\", "$(id)", "`x`", "=", ":", "\u00a0", "\u2028", "\0"),
  fc.constantFrom("A=b", "A='b c'", 'A="b \\" c"', "8080:80", "80:80/udp", "1:2:3", "__proto__=x", "'open", "end\\"),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ maxLength: 12 }),
);
const flags = fc.array(piece, { maxLength: 14 }).map((parts) => parts.join(""));
const value = fc.oneof(fc.string({ maxLength: 30 }), fc.string({ unit: "binary", maxLength: 30 }), piece);
const name = fc.string({ maxLength: 12 }).filter((text) => !text.includes("="));
const host = value.filter((text) => text !== "" && !text.includes(":"));
const plainObject = { noNullPrototype: true } as const;
const said: fc.Arbitrary<EnvEntry> = fc.oneof(
  fc.record({ kind: fc.constant("variable" as const), name, value }, plainObject),
  fc.record({ kind: fc.constant("port" as const), host, container: value }, plainObject),
  fc.record({ kind: fc.constant("option" as const), flag: fc.constantFrom("-h", "-v", "-n"), value }, plainObject),
);

const meaning = (text: string) =>
  parseEnvTable(text).rows.map(({ lead: _, source, ...rest }) => (rest.kind === "raw" ? { ...rest, source } : rest));

describe("env table (interface 2.3)", () => {
  const cases: readonly [text: string, rows: readonly unknown[], tail: string][] = [
    ["", [], ""],
    ["-e A=b", [{ kind: "variable", name: "A", value: "b" }], ""],
    [
      "-eA=b --env=C='d e'",
      [
        { kind: "variable", name: "A", value: "b" },
        { kind: "variable", name: "C", value: "d e" },
      ],
      "",
    ],
    [
      "-p 8080:80/udp -p 22",
      [
        { kind: "port", host: "8080", container: "80/udp" },
        { kind: "port", host: "", container: "22" },
      ],
      "",
    ],
    ["-v /a:/b", [{ kind: "option", flag: "-v", value: "/a:/b" }], ""],
    [
      "--gpus all -e A",
      [
        { kind: "raw", source: "--gpus" },
        { kind: "raw", source: "all" },
        { kind: "raw", source: "-e A" },
      ],
      "",
    ],
    ["-e A=b -e C='open -e D=e", [{ kind: "variable", name: "A", value: "b" }], " -e C='open -e D=e"],
    ["-e A=b -p", [{ kind: "variable", name: "A", value: "b" }], " -p"],
  ];
  for (const [text, rows, tail] of cases)
    test(JSON.stringify(text), () => {
      assert.deepEqual(meaning(text), rows);
      assert.equal(parseEnvTable(text).tail, tail);
    });

  test("any text comes back letter by letter", () => {
    fc.assert(
      fc.property(fc.oneof(flags, fc.string({ unit: "binary" })), (text) => {
        assert.equal(formatEnvTable(parseEnvTable(text)), text);
      }),
      RUNS,
    );
  });

  test("what is written into a row is what is read out of it, and every other row stays as it was written", () => {
    fc.assert(
      fc.property(flags, said, fc.nat(), (text, entry, pick) => {
        const before = parseEnvTable(text);
        fc.pre(before.rows.length > 0);
        const at = pick % before.rows.length;
        const after = parseEnvTable(formatEnvTable(withEntry(before, at, entry)));
        const { lead: _, source: __, ...read } = after.rows[at] ?? { lead: "", source: "" };
        assert.deepEqual(read, entry);
        const others = (table: typeof before) => [table.rows.filter((_, index) => index !== at), table.tail];
        assert.deepEqual(others(after), others(before));
      }),
      RUNS,
    );
  });

  test("a new row comes after the others and before the tail; taking it away brings the text back", () => {
    fc.assert(
      fc.property(flags, said, (text, entry) => {
        const before = parseEnvTable(text);
        const after = parseEnvTable(formatEnvTable(withNewEntry(before, entry)));
        const { lead: _, source: __, ...read } = after.rows[before.rows.length] ?? { lead: "", source: "" };
        assert.deepEqual(read, entry);
        assert.deepEqual(after.rows.slice(0, before.rows.length), before.rows);
        assert.equal(after.tail.trimStart(), before.tail.trimStart());
        const back = withoutRow(after, before.rows.length);
        assert.deepEqual(meaning(formatEnvTable(back)), meaning(text));
        if (before.tail === "") assert.equal(formatEnvTable(back), text);
      }),
      RUNS,
    );
  });

  test("removing any row leaves the others with their meaning", () => {
    fc.assert(
      fc.property(flags, fc.nat(), (text, pick) => {
        const before = parseEnvTable(text);
        fc.pre(before.rows.length > 0);
        const at = pick % before.rows.length;
        const left = meaning(text).filter((_, index) => index !== at);
        const after = formatEnvTable(withoutRow(before, at));
        assert.deepEqual(meaning(after), left);
        assert.equal(parseEnvTable(after).tail.trimStart(), before.tail.trimStart());
      }),
      RUNS,
    );
  });

  test("agrees with the object form an instance gets", () => {
    fc.assert(
      fc.property(flags, (text) => {
        const table = parseEnvTable(text);
        fc.pre(table.tail.trim() === "");
        const variables = table.rows.flatMap((row) =>
          row.kind === "variable" && !/^-|^$/.test(row.name) ? [[row.name, row.value]] : [],
        );
        const ports = table.rows.flatMap((row) =>
          row.kind === "port"
            ? [[`-p ${row.host === "" && !row.source.includes(":") ? "" : `${row.host}:`}${row.container}`, "1"]]
            : [],
        );
        const { env } = parseDockerFlags(text);
        for (const [key, wanted] of Object.entries(Object.fromEntries(variables))) assert.equal(env[key], wanted);
        for (const [key] of ports) assert.ok(Object.hasOwn(env, key ?? ""), key);
      }),
      { numRuns: 3000 },
    );
  });
});
