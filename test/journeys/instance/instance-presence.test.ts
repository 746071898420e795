// Whether an instance that someone looks at is still there: a list that lacks it proves nothing, the service's word for it does.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Presence } from "../../../src/domain/base/presence.ts";
import { realClock } from "../../../src/lib/clock.ts";
import { InstancePresence } from "../../../src/services/instance/instance-presence.ts";
import { cleanUp, editorWindow, eventually, middleman, sandbox, signedIn } from "../support.ts";
import { rentElsewhere } from "../written.ts";

const isList = (path: string) => /^\/api\/v[01]\/instances\/(\?|$)/.test(path);

/** A window that looks at a machine, on a service whose lists may lag or be refused. */
async function looking() {
  const service = await sandbox();
  const lists = { lag: false, fail: false, asked: 0 };
  const address = await middleman(service.url, (path, status, text) => {
    if (/^\/api\/v0\/instances\/\d+\//.test(path)) lists.asked += 1;
    if (isList(path) && lists.fail) return { status: 500, text: "{}" };
    if (isList(path) && lists.lag)
      return { status, text: JSON.stringify({ success: true, instances: [], instances_found: 0, total_instances: 0 }) };
    return { status, text };
  });
  const window = editorWindow();
  await window.session.signIn(address, service.apiKey);
  const id = await rentElsewhere({ ...window, service });
  await window.instances.collection.refresh();
  const row = window.instances.find(id) ?? assert.fail();
  const seen = new InstancePresence({ ...window, clock: realClock }, window.session.requireSignedIn(), row);
  cleanUp(() => seen.dispose());
  const becomes = (presence: Presence) => eventually(() => seen.presence === presence, presence);
  return { ...window, service, lists, id, seen, becomes, read: () => window.instances.collection.refresh() };
}

describe("an instance that somebody looks at", () => {
  test("is missing from a list that lags, not gone: it is asked for once a list", async () => {
    const { lists, seen, becomes, read } = await looking();
    assert.deepEqual([seen.presence, seen.staleSince], ["listed", undefined]);
    const before = lists.asked;
    lists.lag = true;
    await read();
    await eventually(() => lists.asked === before + 1, "it was asked for");
    assert.equal(seen.presence, "missing");
    assert.notEqual(seen.staleSince, undefined);
    await read();
    await eventually(() => lists.asked === before + 2, "it was asked for again");
    assert.equal(seen.presence, "missing");
    lists.lag = false;
    await read();
    await becomes("listed");
    assert.equal(seen.staleSince, undefined);
  });

  test("is gone once the service doesn't know it anymore, and dated by when it was there", async () => {
    const { service, id, seen, becomes, read, instances } = await looking();
    const at = instances.collection.store.current;
    service.world.destroy(id);
    await read();
    await becomes("ended");
    assert.equal(at.state === "ready" && at.last.at, seen.staleSince);
  });

  test("is dated where the list can't be read", async () => {
    const { lists, seen, read } = await looking();
    lists.fail = true;
    await read();
    assert.equal(seen.presence, "listed");
    assert.notEqual(seen.staleSince, undefined);
  });

  test("on a service without a list, one that is forgotten here may still be billed", async () => {
    const window = await signedIn({ onlyDocumented: true });
    const id = await rentElsewhere(window);
    const row = await window.instances.track(id);
    const seen = new InstancePresence({ ...window, clock: realClock }, window.me(), row);
    cleanUp(() => seen.dispose());
    window.instances.untrack(id);
    assert.equal(seen.presence, "missing");
    await window.instances.collection.refresh();
    assert.equal(seen.presence, "missing");
  });

  test("nothing is asked once nobody looks", async () => {
    const { lists, seen, read } = await looking();
    seen.dispose();
    const before = lists.asked;
    lists.lag = true;
    await read();
    assert.equal(lists.asked, before);
  });
});
