// What machines are asked and answer for a project that is opened there.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatSentLine, readProjectLine, readProjectReadiness } from "../../../../src/domain/run/project-there.ts";

const FILE = { size: 3, seconds: 1_700_000_000, isExecutable: true };

test("what was uploaded is read as it was written down", () => {
  for (const path of ["a", "two words/ü.py", " a", "-x", "$(id)", "'\""]) {
    const line = formatSentLine(path, FILE);
    assert.ok(line !== undefined);
    assert.deepEqual(readProjectLine(`sent ${line.trimEnd()}`), { path, file: FILE, isSent: true });
    assert.deepEqual(readProjectLine(line.slice(0, -1)), { path, file: FILE, isSent: false });
  }
  assert.equal(formatSentLine("a\nb", FILE), undefined);
});

describe("no file is in", () => {
  for (const line of ["", "sent", "sent ", "sent sent 1 1 644 ./a", "1 1 ./a", "x 1 644 ./a", "1 1 644 /etc/passwd"])
    test(JSON.stringify(line), () => assert.equal(readProjectLine(line), undefined));
});

describe("a machine's answer", () => {
  const NOTHING = { hasIdentity: false, lacksHistory: false, branch: undefined };
  const cases = [
    ["ready made", { environment: "made" }],
    ["ready missing git", { environment: "missing", hasIdentity: true }],
    ["ready made  history", { environment: "made", lacksHistory: true }],
    ["ready none git history", { environment: "none", hasIdentity: true, lacksHistory: true }],
    ["ready none", { environment: "none" }],
    ["ready made   on feat/x", { environment: "made", branch: "feat/x" }],
    ["ready made git  on main", { environment: "made", hasIdentity: true, branch: "main" }],
    ["ready made on $(id)", { environment: "made" }],
    ["ready made on a b", undefined],
    ["ready made on", undefined],
    ["ready", undefined],
    ["ready other git", undefined],
    ["ready none git git", undefined],
    ["", undefined],
  ] as const;
  for (const [answer, read] of cases)
    test(JSON.stringify(answer), () => assert.deepEqual(readProjectReadiness(answer), read && { ...NOTHING, ...read }));
});
