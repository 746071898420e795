// Keys of well-known services, known by their form, and values that only look a little like them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isSecretValue, isSecretVariable } from "../../../src/lib/secret-value.ts";

const random = "Abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ";
const SECRET = [
  ...[
    `hf_${random.slice(0, 34)}`,
    `ghp_${random.slice(0, 36)}`,
    `github_pat_${random}`,
    `glpat-${random.slice(0, 20)}`,
  ],
  ...[
    `sk-${random}`,
    `sk-proj-${random}`,
    `sk-ant-api03-${random}`,
    `xoxb-1234567890-${random}`,
    "AKIAIOSFODNN7EXAMPLE",
  ],
  ...[`AIza${random.slice(0, 35)}`, `npm_${random.slice(0, 36)}`, `r8_${random.slice(0, 37)}`, `nvapi-${random}`],
  ...[
    `dckr_pat_${random.slice(0, 27)}`,
    `123456789:AA${random.slice(0, 33)}`,
    `eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.${random}`,
  ],
  "https://hooks.slack.com/services/T000/B000/XXXX",
  "https://discord.com/api/webhooks/1/abc",
  "https://ptb.discord.com/api/webhooks/1/abc",
];
const OPEN = [
  ...["", "1", "train", "hf_model", "sk-learn", "ghp_short", "meta-llama/Llama-3.1-8B", "/workspace/data", "0:1"],
  ...["https://hooks.example.com/services/1", "https://discord.com/invite/abc", "AKIA", "eyJ", "10.0.0.1:8080"],
  ...["sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", `text with hf_${random} in it`],
];

for (const value of SECRET) test(`${value.slice(0, 24)}… is one`, () => assert.equal(isSecretValue(value), true));
for (const value of OPEN) test(`${JSON.stringify(value)} is none`, () => assert.equal(isSecretValue(value), false));

test("a variable is secret by its name or its value", () => {
  assert.equal(isSecretVariable("HF", SECRET[0] ?? ""), true);
  assert.equal(isSecretVariable("HF_TOKEN", "x"), true);
  assert.equal(isSecretVariable("MODE", "train"), false);
});
