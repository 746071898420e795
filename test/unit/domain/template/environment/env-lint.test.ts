// What is said about a template's variables and ports.
import assert from "node:assert/strict";
import { test } from "node:test";
import { findEnvProblems } from "../../../../../src/domain/template/environment/env-lint.ts";

const envCases: readonly [env: string, severity: string | undefined, says: RegExp][] = [
  ["-e A=b -p 8080:8080/udp -v /a:/b -p 70001:70001", undefined, /./],
  ["-e =b", "error", /name for the variable/],
  ["-e 'A B=c'", "error", /letters/],
  ["-e 1A=c", "warning", /letters/],
  ["-e __proto__=c", "error", /can't be used/],
  ["-e A='b\nc'", "error", /line break/],
  ["-e A=b\n-e C=d", undefined, /./],
  ["-e A=b -e A=c", "warning", /twice/],
  ["-e A=b -e a=c", undefined, /./],
  ["-p 8080", "warning", /host:container/],
  ["-p 127.0.0.1:8080:8080", "warning", /host:container/],
  ["-p [::1]:8080:8080/tcp", "warning", /host:container/],
  ["-p 127.0.0.1::8080", "warning", /host:container/],
  ["-p 8080:8080/sctp", "warning", /host:container/],
  ["-p 0", "error", /host:container/],
  ["-p 22000:22000/tcp -p 22000:22000/udp", undefined, /./],
  ["-p 22000:22000 -p 22000:22000/tcp", "warning", /mapped twice/],
  ["-e MY-VAR=1", "warning", /letters/],
  ["-e=A=1 -p=80:80", undefined, /./],
  ["-p 0:1", "error", /1 to 65535/],
  ["-p 65536:1", "error", /1 to 65535/],
  ["-p a:b", "error", /1 to 65535/],
  ["-p 1:2:3", "error", /host:container/],
  ["-p 80-90:80-90", "warning", /range/],
  ["-p 80-70000:80-90", "error", /range/],
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
    const [first] = findEnvProblems(env, "launch");
    assert.equal(first?.severity, severity, first?.message);
    if (severity) assert.match(first?.message ?? "", says);
  });
