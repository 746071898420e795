// What a file has of a template's flags, and what comes back from it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  fillSecretValues,
  listEmptySecrets,
  toFileEnv,
  withStoredSecrets,
} from "../../../../../src/domain/template/environment/env-secrets.ts";
import { rememberSecret, rememberServedSecret } from "../../../../../src/lib/redact.ts";
import { Random } from "../../../../../src/sandbox/base/random.ts";

describe("flags go into a file without the values of secrets, and come back as they were stored", () => {
  for (const [stored, inFile] of [
    ["-e HF_TOKEN=a -e HF_TOKEN=b -p 80:80", "-e HF_TOKEN= -e HF_TOKEN= -p 80:80"],
    ["--env HF_TOKEN=x --env=API_KEY=y", "-e HF_TOKEN= -e API_KEY="],
    [`-e HF_TOKEN="a b" -e X='q"z'`, `-e HF_TOKEN= -e X='q"z'`],
    ["-h host --gpus all -e PASSWORD=$OTHER", "-h host --gpus all -e PASSWORD="],
    ["-e 'HF_TOKEN=a b'\n-e B=2", "-e HF_TOKEN=\n-e B=2"],
    ["-e HF_TOKEN= -e A=1", "-e HF_TOKEN= -e A=1"],
    ["-e HF_TOKEN", "-e HF_TOKEN"],
    ["-e …=1 -e A_KEY=k", "-e …=1 -e A_KEY="],
    ["--env=A_KEY=k -eB_KEY=l", "-e A_KEY= -e B_KEY="],
  ] as const)
    test(stored, () => {
      assert.equal(toFileEnv(stored).text, inFile);
      assert.equal(withStoredSecrets(inFile, stored), stored);
      const edited = `${inFile} -e NEW=1`;
      assert.equal(withStoredSecrets(edited, stored), `${stored} -e NEW=1`, "beside what somebody added");
      assert.equal(toFileEnv(`${stored} -e NEW=1`, edited).text, edited, "and back");
    });
});

describe("what can't be read one by one stays as it is, and the secrets beside it are left out all the same", () => {
  for (const [stored, inFile] of [
    ["-e HF_TOKEN=t -e A='1", "-e HF_TOKEN= -e A='1"],
    ["-e HF_TOKEN=t -e", "-e HF_TOKEN= -e"],
    [
      '-e HF_TOKEN=t --login hf_QkXwLmNoPqRsTuVwXyZ0123456789 "open',
      '-e HF_TOKEN= --login hf_QkXwLmNoPqRsTuVwXyZ0123456789 "open',
    ],
  ] as const)
    test(stored, () => {
      assert.deepEqual(toFileEnv(stored), { text: inFile, names: ["HF_TOKEN"], mayHoldSecret: true });
      assert.equal(toFileEnv(stored, inFile).mayHoldSecret, false, "the file has it already");
      assert.equal(withStoredSecrets(inFile, stored), stored);
    });
});

test("a pull brings no value of a secret that the file doesn't have already", () => {
  const pull = (stored: string, inFile: string) => toFileEnv(stored, inFile).text;
  assert.equal(pull("-e A_KEY=typed -e B_KEY=b", "-e A_KEY=typed -e B_KEY="), "-e A_KEY=typed -e B_KEY=");
  assert.equal(pull("-e A_KEY=theirs", "-e A_KEY=typed"), "-e A_KEY=");
  assert.equal(pull("-e DB=https://me:hunter2@db.example", "-e DB=sqlite"), "-e DB=");
  assert.equal(withStoredSecrets("-e A_KEY=typed", "-e A_KEY=stored -e B_KEY=b"), "-e A_KEY=typed");
});

test("what is left out doesn't depend on which secrets a server told this window", () => {
  rememberServedSecret("plain-name-served-value");
  assert.equal(toFileEnv("-e MODE=plain-name-served-value").text, "-e MODE=plain-name-served-value");
  rememberSecret("the-key-of-this-account");
  assert.equal(toFileEnv("-e MODE=the-key-of-this-account").text, "-e MODE=");
});

test("of variables with one name, each keeps its own value", () => {
  const stored = "-e A_KEY=one -e A_KEY=two -e A_KEY=three";
  assert.equal(withStoredSecrets("-e A_KEY=1 -e A_KEY= -e A_KEY=", stored), "-e A_KEY=1 -e A_KEY=two -e A_KEY=three");
  assert.equal(fillSecretValues("-e A_KEY= -e A_KEY=2 -e A_KEY=", stored), "-e A_KEY=one -e A_KEY=2 -e A_KEY=three");
});

test("only what looks secret is filled in: another variable may be emptied", () => {
  assert.equal(withStoredSecrets("-e MODE= -e A_KEY=", "-e MODE=fast -e A_KEY=k"), "-e MODE= -e A_KEY=k");
});

test("any flags come back from a file as they went there", () => {
  const words = [
    "-e",
    "-e A_KEY=k",
    "-e A_KEY=",
    "--env=A_KEY=l",
    "-e M=1",
    "-p 1:1",
    "raw",
    "-e '",
    '"',
    "-e A_KEY",
    "-e …=x",
    "\n",
  ];
  const random = new Random("flags");
  for (let round = 0; round < 2000; round += 1) {
    const stored = Array.from(
      { length: random.drawWhole(0, 8) },
      () => words[random.drawWhole(0, words.length - 1)],
    ).join(" ");
    const inFile = toFileEnv(stored).text;
    assert.equal(withStoredSecrets(inFile, stored), stored);
    assert.equal(toFileEnv(stored, inFile).text, inFile);
  }
});

test("secrets without a value are named", () => {
  assert.deepEqual(listEmptySecrets("-e A_KEY= -e MODE= -e B_TOKEN=b"), ["A_KEY"]);
});
