// What is copied for another agent reads back as what was meant, by what reads it there: a shell, JSON, and TOML.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { buildSnippet } from "../../../../src/domain/agent/mcp-snippet.ts";

const USUAL = { url: "http://127.0.0.1:40123/mcp", token: "aZ09-_".repeat(7) };
/** No token is like these; what reads a snippet must take each for a text all the same. */
const WEIRD = [
  "a b",
  "$HOME `id` $(id) \\$x \\",
  "\"; touch /tmp/never; echo '",
  "'single' \"double\"",
  "\\\\ \\n \\u0041",
  "#no comment",
  "a\u007fb",
  "ä €\u{1f600}",
  "*?[a]{b,c}~",
];

test("for Claude Code: a line that any shell takes, with nothing that one of them would read", () => {
  assert.equal(
    buildSnippet("claude", USUAL),
    `claude mcp add --transport http cloud-gpu "${USUAL.url}" --header "Authorization: Bearer ${USUAL.token}"`,
  );
});

const noShell = process.platform === "win32" && "there is no POSIX shell";

describe("a shell hands over the words of the line", { skip: noShell }, () => {
  for (const token of [USUAL.token, ...WEIRD])
    test(JSON.stringify(token), () => {
      const line = buildSnippet("claude", { ...USUAL, token });
      const { stdout } = spawnSync("sh", ["-c", `claude() { printf '%s\\0' "$@"; }; ${line}`], { encoding: "utf8" });
      const words = ["mcp", "add", "--transport", "http", "cloud-gpu", USUAL.url, "--header"];
      assert.deepEqual(stdout.split("\0"), [...words, `Authorization: Bearer ${token}`, ""]);
    });
});

test("JSON names the address and the header as each editor reads them", () => {
  for (const token of [USUAL.token, ...WEIRD]) {
    const headers = { Authorization: `Bearer ${token}` };
    const read = (kind: "json" | "windsurf") => JSON.parse(buildSnippet(kind, { ...USUAL, token }));
    assert.deepEqual(read("json"), {
      mcpServers: { "cloud-gpu": { type: "streamableHttp", url: USUAL.url, headers } },
    });
    assert.deepEqual(read("windsurf"), { mcpServers: { "cloud-gpu": { serverUrl: USUAL.url, headers } } });
  }
});

const PYTHON = "import json, sys, tomllib; json.dump(tomllib.loads(sys.stdin.buffer.read().decode()), sys.stdout)";
const hasToml = spawnSync("python3", ["-c", "import tomllib"]).status === 0;

describe("TOML says the same", { skip: !hasToml && "Python has no TOML here" }, () => {
  for (const token of [USUAL.token, ...WEIRD, "half \ud83d"])
    test(JSON.stringify(token), () => {
      const input = buildSnippet("codex", { ...USUAL, token });
      const { stdout, stderr } = spawnSync("python3", ["-c", PYTHON], { input, encoding: "utf8" });
      assert.equal(stderr, "");
      const { mcp_servers: servers } = JSON.parse(stdout);
      assert.deepEqual(servers, {
        "cloud-gpu": {
          url: USUAL.url,
          http_headers: { Authorization: `Bearer ${token.toWellFormed()}` },
          tool_timeout_sec: 240,
        },
      });
    });
});
