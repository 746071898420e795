// How long the ledger's files are kept, by whose they are.
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { LedgerFiles } from "../../../../src/services/account/ledger-files.ts";

const DAY = 86_400_000;
const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-ledger-"));
after(() => rm(folder, { recursive: true, force: true }));

test("a sandbox's files go after a week, those of accounts after 400 days, and those of others stay", async () => {
  const files = new LedgerFiles(folder);
  const now = Date.now();
  const write = async (header: object) => {
    const name = LedgerFiles.nameFor(now);
    await files.append(name, [header]);
    return name;
  };
  const header = { version: 1, account: "0123456789abcdef" };
  const names = {
    sandbox: await write({ ...header, origin: "http://127.0.0.1:5000", sandbox: true }),
    account: await write({ ...header, origin: "https://service.example" }),
    // What an address begins with says nothing.
    onLoopback: await write({ ...header, origin: "http://127.0.0.1:5001" }),
    damaged: await write({ sandbox: true }),
  };
  await writeFile(join(folder, "else.jsonl"), "");
  const listAt = async (days: number) => {
    await new LedgerFiles(folder).tidy(now + days * DAY);
    return (await readdir(folder)).sort();
  };
  const { sandbox, ...others } = names;
  assert.deepEqual(await listAt(6), [...Object.values(names), "else.jsonl"].sort());
  assert.deepEqual(await listAt(8), [...Object.values(others), "else.jsonl"].sort(), sandbox);
  assert.deepEqual(await listAt(401), ["else.jsonl"]);
});
