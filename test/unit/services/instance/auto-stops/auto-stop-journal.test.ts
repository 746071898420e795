// What windows write down of a stopped instance: that it may have run is never lost, and nothing of an earlier time counts.
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { InstanceId } from "../../../../../src/domain/base/id.ts";
import type { AutoStop } from "../../../../../src/domain/instance/auto-stop.ts";
import { buildSecondStep, type StoppedSpan, UNREAD_SPAN } from "../../../../../src/domain/instance/second-step.ts";
import { type Disk, realDisk } from "../../../../../src/services/core/book/disk.ts";
import { AutoStopJournal } from "../../../../../src/services/instance/auto-stops/auto-stop-journal.ts";

const HOUR = 3_600_000;
const STOP = 1_800_000_000_000;
const id = InstanceId.parse(7);
const FIRST: AutoStop = {
  ...{ version: 2, id, origin: "o", account: "a", until: STOP, ending: "stop" },
  ...{ at: STOP - HOUR, count: 1, stoppedHours: 24 },
};
const SECOND = buildSecondStep(FIRST, id, STOP) as AutoStop;
const span = (from: number | null, to: number): StoppedSpan => ({ version: 1, from, to });

async function withJournal(context: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-spans-"));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const journal = new AutoStopJournal(folder);
  const name = await journal.write(FIRST);
  await journal.writeNext({ name }, id, SECOND, span(STOP, STOP));
  const readSecond = async (by = journal) => {
    const found = (await by.readAll()).find(({ autoStop }) => autoStop.ending === "destroy");
    assert.ok(found);
    return found;
  };
  const look = async (count: number, seen: StoppedSpan) =>
    await journal.noteStopped((await readSecond()).name, id, { count, span: seen });
  return { folder, journal, first: name, readSecond, look };
}

describe("what was seen of a stopped instance", () => {
  test("is there as soon as what follows its stop can be read", async (context) => {
    const { readSecond, journal, first } = await withJournal(context);
    assert.deepEqual((await readSecond()).stopped?.get(id), { count: 1, span: span(STOP, STOP) });
    await journal.writeNext(
      { name: first },
      id,
      { ...SECOND, until: STOP + 25 * HOUR },
      span(STOP + 60_000, STOP + 60_000),
    );
    const second = await readSecond();
    assert.deepEqual(
      [second.autoStop.until, second.stopped?.get(id)?.span.from],
      [STOP + 24 * HOUR, STOP],
      "the first window to write it says when",
    );
  });

  test("that it may have run is noted after what another window noted at the same moment", async (context) => {
    const { readSecond, look } = await withJournal(context);
    await look(1, span(STOP, STOP + 60_000));
    await look(1, span(null, STOP + 60_000));
    assert.deepEqual((await readSecond()).stopped?.get(id), { count: 3, span: span(null, STOP + 60_000) });
    await look(2, span(STOP, STOP + 120_000));
    assert.equal((await readSecond()).stopped?.get(id)?.span.from, null, "what was read before that says nothing");
  });

  for (const [what, text] of [
    ["empty", ""],
    ["cut", '{"version":1,"from":18'],
    ["of a newer version", '{"version":2,"from":1,"to":1}'],
  ] as const)
    test(`isn't taken from the file before one that is ${what}`, async (context) => {
      const { folder, readSecond, look } = await withJournal(context);
      await look(1, span(STOP, STOP + 60_000));
      const file = (await readdir(folder)).find((one) => /\.stopped-7-2$/.test(one));
      assert.ok(file);
      await writeFile(join(folder, file), text);
      const second = await readSecond(new AutoStopJournal(folder));
      assert.deepEqual(second.stopped?.get(id), { count: 2, span: UNREAD_SPAN });
    });

  test("is read where others have looked twice since the files were listed", async (context) => {
    const { folder, look, readSecond } = await withJournal(context);
    let wasRead = false;
    const read: Disk["read"] = async (path) => {
      if (!wasRead && path.endsWith(".stopped-7-1")) {
        wasRead = true;
        await look(1, span(STOP, STOP + 60_000));
        await look(2, span(STOP, STOP + 120_000));
      }
      return await realDisk.read(path);
    };
    const second = await readSecond(new AutoStopJournal(folder, { ...realDisk, read }));
    assert.deepEqual(second.stopped?.get(id), { count: 3, span: span(STOP, STOP + 120_000) });
  });
});
