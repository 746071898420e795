// What is said about a template's variables and ports.
import assert from "node:assert/strict";
import { test } from "node:test";
import { findEnvProblems } from "../../../../src/domain/template/env-lint.ts";

const envCases: readonly [env: string, severity: string | undefined, says: RegExp][] = [
  ["-e A=b -p 8080:8080/udp -v /a:/b -p 70001:70001", undefined, /./],
  ["-e =b", "error", /name for the variable/],
  ["-e 'A B=c'", "error", /letters/],
  ["-e 1A=c", "error", /letters/],
  ["-e __proto__=c", "error", /can't be used/],
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
  ["--gpus=all", "warning", /isn't recognized/],
  ["-e A", "warning", /isn't recognized/],
  ["-e A='open", "warning", /couldn't be read/],
  ["-e 'A=\0'", "error", /invalid character/],
  [Array.from({ length: 65 }, (_, at) => `-p ${at + 1}:${at + 1}`).join(" "), "warning", /65 ports/],
];
for (const [env, severity, says] of envCases)
  test(`env ${JSON.stringify(env).slice(0, 50)}`, () => {
    const [first] = findEnvProblems(env, false);
    assert.equal(first?.severity, severity, first?.message);
    if (severity) assert.match(first?.message ?? "", says);
  });
