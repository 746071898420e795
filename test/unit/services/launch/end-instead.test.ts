// What holds for an instance that takes the place of a dead one: nothing that may have been taken back.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { parseAddress } from "../../../../src/domain/base/address.ts";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import type { SignedIn } from "../../../../src/services/core/session.ts";
import { AutoStopJournal } from "../../../../src/services/instance/auto-stops/auto-stop-journal.ts";
import { findEndInstead } from "../../../../src/services/launch/end-instead.ts";

const HOUR = 3_600_000;
const id = InstanceId.parse(7);
const address = parseAddress("https://gpu.example.com");
const account = { address, tag: "a", user: () => undefined } as unknown as SignedIn;
const WISH = { hours: 8, ending: "stop" } as const;

async function withEnd(context: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-instead-"));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const journal = new AutoStopJournal(folder);
  const at = 1_800_000_000_000;
  const until = at + HOUR;
  await journal.write({ version: 1, id, origin: address.base, account: "a", until, ending: "destroy", at, count: 1 });
  return { folder, journal, until };
}

test("the end of the dead one holds, and what it was rented with where none was written down", async (context) => {
  const { journal, until } = await withEnd(context);
  assert.deepEqual(await findEndInstead(journal, account, { id }, WISH), { until, ending: "destroy" });
  assert.deepEqual(await findEndInstead(journal, account, { id: InstanceId.parse(8) }, WISH), WISH);
});

test("an end isn't taken over while one that was set later can't be read: that may have taken it back", async (context) => {
  const { folder, journal } = await withEnd(context);
  await writeFile(join(folder, `lea-${"a".repeat(20)}.lease-${id}-2`), "");
  assert.equal(await findEndInstead(journal, account, { id }, WISH), undefined);
});
