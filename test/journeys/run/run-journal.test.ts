// What several windows write down of the same run.
import assert from "node:assert/strict";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { InstanceId } from "../../../src/domain/base/id.ts";
import { formatComingFile, formatFetchedFile } from "../../../src/domain/run/fetched-files.ts";
import { realClock } from "../../../src/lib/clock.ts";
import { RunJournal } from "../../../src/services/run/run-journal.ts";
import { fastClock } from "../editor-window.ts";
import { signedIn } from "../support.ts";

/** A run that is written down, in a folder that two windows share. */
async function writtenRun() {
  const { runs, me, userData } = await signedIn();
  const draft = { name: "a", command: "a", setup: "", folder: "/tmp", remote: "/w" };
  const run = await runs.prepare(me(), 7 as InstanceId, draft);
  const folder = join(userData.root, "runs");
  return { run, folder, one: new RunJournal(folder, realClock), two: new RunJournal(folder, realClock) };
}

test("two windows that change a run at the same moment lose nothing of each other", async () => {
  const { run, folder, one, two } = await writtenRun();
  const rental = { kind: "destroyed", at: 2 } as const;
  for (let turn = 0; turn < 20; turn += 1) {
    await one.put({ ...run, state: { kind: "started" } });
    await Promise.all([
      one.change(run.id, { state: { kind: "ended", at: 1, exit: 0, results: { kind: "none" }, rental } }),
      two.change(run.id, { window: `window-${turn}` }),
    ]);
    const now = await one.find(run.id);
    assert.deepEqual([now?.state.kind, now?.window], ["ended", `window-${turn}`]);
  }
  await Promise.all([one.forget(run.id), two.change(run.id, { window: "late" })]);
  assert.deepEqual(await readdir(folder), [], "and what one of them forgot stays forgotten");
});

test("a window that was killed as it wrote keeps no other one from it", async () => {
  const { run, folder } = await writtenRun();
  await writeFile(join(folder, `.${run.id}.turn`), "");
  const now = await new RunJournal(folder, fastClock).change(run.id, { window: "next" });
  assert.equal(now?.window, "next");
});

test("what was downloaded is remembered in a file that doesn't grow with every version", async () => {
  const { run, folder, one, two } = await writtenRun();
  const digest = (at: number) => at.toString(16).padStart(64, "0");
  const names = Array.from({ length: 100 }, (_, at) => `./out/${at}`);
  for (let at = 1; at <= 100; at += 1) {
    const files = names.map((name) => ({ name, size: at, changed: at }));
    await one.noteFetched(run.id, files.map((file) => formatComingFile(file, digest(at))).join(""));
    await two.noteFetched(run.id, files.map((file) => formatFetchedFile(file, digest(at))).join(""));
  }
  const { size } = await stat(join(folder, `${run.id}.fetched`));
  assert.ok(size < 1_100_000, `${size} bytes`);
  const fetched = await one.readFetched(run.id);
  assert.equal(fetched.size, names.length);
  for (const { latest, digests } of fetched.values()) assert.ok(latest?.size === 100 && digests.has(digest(100)));
});
