// The end of a run's output: whole lines, however long the file is.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { FetchedResults } from "../../../../src/domain/run/run-record.ts";
import { readOutputEnd } from "../../../../src/services/agent/read-output-end.ts";

const place = mkdtempSync(join(tmpdir(), "cloud-gpu-output-"));
after(() => rmSync(place, { recursive: true }));
const results = (log?: string): FetchedResults => ({
  ...{ kind: "fetched", place, files: 1, bytes: 1, isWhole: true },
  ...(log === undefined ? {} : { log }),
});

test("a short output is told whole", async () => {
  writeFileSync(join(place, "short"), "one\r\ntwo\nthree\n");
  assert.deepEqual(await readOutputEnd(results("short")), ["one", "two", "three"]);
});

test("of a long one the last hundred lines", async () => {
  writeFileSync(join(place, "long"), Array.from({ length: 100_000 }, (_, at) => `line ${at}`).join("\n"));
  const lines = await readOutputEnd(results("long"));
  assert.equal(lines?.length, 100);
  assert.equal(lines?.at(-1), "line 99999");
});

test("a line that is cut in the middle isn't told", async () => {
  writeFileSync(join(place, "wide"), `${"secret-of-many-characters ".repeat(2)}${"x".repeat(65_520)}\nend`);
  assert.deepEqual(await readOutputEnd(results("wide")), ["end"]);
});

test("an output that is gone or was never here is none", async () => {
  assert.equal(await readOutputEnd(results("gone")), undefined);
  assert.equal(await readOutputEnd(results()), undefined);
});

test("a pipe or a link in its place isn't read", { skip: process.platform === "win32" }, async () => {
  execFileSync("mkfifo", [join(place, "pipe")]);
  writeFileSync(join(place, "elsewhere"), "a private key\n");
  symlinkSync(join(place, "elsewhere"), join(place, "link"));
  for (const name of ["pipe", "link"]) assert.equal(await readOutputEnd(results(name)), undefined, name);
});
