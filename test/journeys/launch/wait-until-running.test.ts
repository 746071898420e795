// Waiting for a rental: a list that leaves it out proves nothing, and only the service's word on it ends the wait.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RequestLine } from "../../../src/sandbox/http/request-line.ts";
import { waitUntilRunning } from "../../../src/services/launch/wait-until-running.ts";
import { editorWindow, eventually, makeUserData, sandbox, signedIn, withHiddenList } from "../support.ts";
import { rentElsewhere } from "../written.ts";

/** A machine that starts for long, and a window that waits for it; its lists may be hidden. */
async function waiting() {
  const lines: RequestLine[] = [];
  const service = await sandbox({ speed: 1, requests: (line) => void lines.push(line) });
  const list = await withHiddenList(service.url);
  const window = { ...editorWindow(makeUserData()), service };
  await window.session.signIn(list.url, service.apiKey);
  const id = await rentElsewhere(window);
  const stages: unknown[] = [];
  const ends: string[] = [];
  const asked = () => lines.filter(({ path }) => path === `/api/v0/instances/${id}/`).length;
  const wait = async () => {
    ends.push(await waitUntilRunning(window, window.me(), id, ({ actual_status }) => stages.push(actual_status)));
  };
  const refresh = () => window.instances.collection.refresh();
  return { ...window, id, list, stages, ends, asked, wait, refresh };
}

test("what a list shows is reported, and not asked for by itself", async () => {
  const window = await waiting();
  const end = window.wait();
  await window.refresh();
  assert.ok(window.stages.length > 0 && window.instances.unsettled);
  assert.equal(window.asked(), 0);
  window.service.world.destroy(window.id);
  await window.refresh();
  await end;
  assert.deepEqual(window.ends, ["gone"]);
  assert.equal(window.instances.unsettled, false, "nobody waits any more");
  const { length } = window.stages;
  await window.refresh();
  assert.equal(window.stages.length, length);
});

test("what a list leaves out is asked for once, and waited for as long as the service does not say that it is gone", async () => {
  const window = await waiting();
  window.list.isHidden = true;
  const end = window.wait();
  await window.refresh();
  await eventually(() => window.asked() === 1, "it was asked for");
  window.service.faults.add("403@getInstance");
  await window.refresh();
  await eventually(() => window.asked() === 2, "it was asked for again");
  await window.refresh();
  await eventually(() => window.asked() === 3, "and again");
  assert.deepEqual(window.ends, []);
  window.service.faults.clear();
  window.service.faults.add("403@listInstances");
  await window.refresh();
  assert.equal(window.asked(), 3, "a list that failed says nothing");
  window.service.faults.clear();
  window.service.world.destroy(window.id);
  await window.refresh();
  await end;
  assert.deepEqual([window.ends, window.stages], [["gone"], []]);
});

test("what the service no longer knows is gone, and is no stage on the way", async () => {
  const window = await signedIn({ onlyDocumented: true, speed: 1 });
  const id = await rentElsewhere(window);
  await window.instances.track(id);
  const wasGone: unknown[] = [];
  const end = waitUntilRunning(window, window.me(), id, () => wasGone.push(window.instances.find(id)?.gone));
  await window.instances.collection.refresh();
  window.service.world.destroy(id);
  await window.instances.collection.refresh();
  assert.equal(await end, "gone");
  assert.ok(wasGone.length > 0 && !wasGone.includes(true));
  assert.equal(window.instances.find(id)?.gone, true);
});
