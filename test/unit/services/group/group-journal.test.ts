// What a group's files say while the disk can't be read.
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import type { Decided, PreparedGroup } from "../../../../src/domain/group/group-record.ts";
import { realDisk } from "../../../../src/services/core/book/disk.ts";
import { createGroupId, GroupJournal } from "../../../../src/services/group/group-journal.ts";

const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

const TOKENS = ["a", "b"].map((letter) => `vsc-${letter.repeat(16)}`);
const PREPARED: PreparedGroup = {
  ...{ version: 1, origin: "https://service.example", account: "a", name: "train", tokens: TOKENS },
  ...{ least: 2, rest: "destroy", at: 1e12, deadline: 1e12, owner: "w" },
};
const DECIDED: Decided = { decision: "short", by: "w", unwanted: TOKENS };

/** A group, and a window whose disk can't read one kind of its files. */
async function stage(kind: string) {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-groups-"));
  folders.push(folder);
  const id = createGroupId();
  await new GroupJournal(folder).prepare(id, PREPARED);
  const read = async (path: string) => {
    if (path.includes(`.${kind}`)) throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
    return await realDisk.read(path);
  };
  return { folder, id, journal: new GroupJournal(folder, { ...realDisk, read }) };
}

describe("a group of which the disk can't read", () => {
  test("what was decided isn't decided again", async () => {
    const { folder, id, journal } = await stage("decided");
    const known = await journal.find(id);
    assert.ok(known);
    await new GroupJournal(folder).decide(known, DECIDED);
    for (let tries = 0; tries < 3; tries += 1)
      await assert.rejects(journal.decide(known, { ...DECIDED, decision: "complete" }), /EIO/);
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.includes("decided")),
      [`${id}.decided-1`],
    );
  });

  test("its later launches isn't taken for one without them", async () => {
    const { folder, id, journal } = await stage("rank");
    await writeFile(join(folder, `${id}.rank-0-1`), `vsc-${"c".repeat(16)}`);
    await assert.rejects(journal.find(id), /EIO/);
  });

  test("its other name keeps the first one", async () => {
    const { folder, id, journal } = await stage("name");
    await writeFile(join(folder, `${id}.name-1`), "other");
    assert.equal((await journal.find(id))?.name, "train");
  });
});
