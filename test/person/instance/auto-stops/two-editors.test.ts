// Two editors of one user, each with a profile of its own: what is set in one holds in the other, and so does what an editor kept on its own
// before they shared anything.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import { AutoStopJournal } from "../../../../src/services/instance/auto-stops/auto-stop-journal.ts";
import type { Workbench } from "../../../editor/page.ts";
import { rentRunning } from "../../../journeys/rent-running.ts";
import { sharedFolder, stage, step, storageFolder } from "../../support.ts";

/** Milliseconds from the start of the first editor until its end: both editors must have come up by then. */
const AHEAD = 150_000;
let endsAt = 0;
let id = 0;

const person = stage({
  signedIn: true,
  prepare: (service) => {
    id = rentRunning(service);
  },
  files: async ({ url, apiKey }, folder) => {
    const ends = join(folder, "ends");
    await mkdir(ends, { recursive: true });
    const at = Date.now();
    endsAt = at + AHEAD;
    const account = createHash("sha256").update(`${url}\n${apiKey}`).digest("hex").slice(0, 16);
    await new AutoStopJournal(ends).write({
      ...{ version: 1, id: InstanceId.parse(id), origin: url, account, until: endsAt, ending: "destroy", at, count: 1 },
    });
  },
});

let other: Workbench;
const ROW = /instance \d+, running, .*destroys at .*\d\d:\d\d/;

step("an end that one editor kept by itself is known to the other one", "408-both", person, async (all) => {
  const { window, editor, anotherEditor } = all;
  await window.openContainer("Cloud GPU");
  await window.waitForRow(ROW);
  other = await anotherEditor();
  await other.openContainer("Cloud GPU");
  await other.waitForRow(ROW);
  assert.deepEqual(await readdir(join(storageFolder(editor), "ends")), [], "it has moved");
  assert.ok((await readdir(join(sharedFolder(editor), "ends"))).length > 0);
});

step("what is put off in one editor is not carried out by the other", "409-put-off", person, async (all) => {
  const { window, service, requests } = all;
  assert.ok(Date.now() < endsAt, "the editors were too slow for this end");
  await other.rowMenu(/instance \d+, running/, "Set Auto-Stop…");
  await other.quickPick(/^In 8 h/);
  await other.quickPick(/^Destroy It/);
  await sleep(Math.max(0, endsAt + 15_000 - Date.now()));
  assert.equal(service.world.listInstances().length, 1);
  assert.ok(!requests.some(({ method }) => method === "DELETE"), "nothing was sent");
  await window.waitForRow(ROW);
  await window.clearNotifications();
});

step("one that is set in one editor is carried out once, by either", "410-once", person, async (all) => {
  const { window, service, requests } = all;
  await window.rowMenu(/instance \d+, running/, "Set Auto-Stop…");
  await window.quickPick(/^Another Time…/);
  await window.quickAnswer("1 min");
  await window.quickPick(/^Destroy It/);
  for (let left = 120; left > 0 && service.world.listInstances().length > 0; left -= 1) await sleep(1000);
  assert.equal(service.world.listInstances().length, 0);
  assert.equal(requests.filter(({ method }) => method === "DELETE").length, 1);
});
