// The instance that a window is on is gone: one window says so, once, and only what the service has said often enough counts.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { InstanceId } from "../../../src/domain/base/id.ts";
import type { SshMachine } from "../../../src/domain/connection/ssh-machine.ts";
import { clockAt, lifeOf } from "../editor-window.ts";
import { editorWindow, eventually, middleman, sandbox, signedIn } from "../support.ts";
import { rentElsewhere } from "../written.ts";

/** Looks are a minute apart. */
const quick = clockAt(300);
const GRACE = 200_000;

type Window = Awaited<ReturnType<typeof signedIn>>;
type Answer = { readonly status: number; readonly text: string };

const machineOf = ({ me }: Pick<Window, "me">, id: InstanceId): SshMachine => ({
  ...{ version: 1, alias: `cloud-gpu-service-${id}`, id, host: "127.0.0.1", port: 1, at: 1 },
  ...{ base: me().address.base, account: me().tag, sandbox: me().sandbox },
});

/** A window on an instance. `change` is what the service says otherwise. */
async function onInstance(spoil = (_path: string, answer: Answer): Answer => answer, isSpoiledFromTheStart = false) {
  const service = await sandbox();
  const { world } = service;
  let [asked, isSpoiled] = [0, isSpoiledFromTheStart];
  const url = await middleman(service.url, (path, status, text) => {
    if (isSpoiled && !isList(path) && path.includes("/instances/")) asked += 1;
    return isSpoiled ? spoil(path, { status, text }) : { status, text };
  });
  const window = await signedIn({}, { clock: quick, liveness: lifeOf("one", "two") });
  await window.session.signIn(url, service.apiKey);
  const id = await rentElsewhere({ ...window, service });
  const told: string[] = [];
  const isSeen = new Set<string>(["one", "two", "later"]);
  const follow = (one: Pick<Window, "me" | "lostWindow">, name: string, machine = machineOf(one, id)) => {
    one.lostWindow.onNotice((notice) => {
      told.push(`${name} ${notice.machine.id}`);
      if (isSeen.has(name)) notice.noteSeen();
    });
    one.lostWindow.follow(machine);
  };
  await window.instances.collection.refresh();
  follow(window, "one");
  const read = () => window.instances.collection.refresh();
  const spoilNow = () => {
    isSpoiled = true;
  };
  return { ...window, service, world, url, id, isSeen, told, follow, read, spoilNow, asked: () => asked };
}

const isList = (path: string) => /\/instances\/?(\?|$)/.test(path);
const changeList = (text: string, change: object): string => JSON.stringify({ ...JSON.parse(text), ...change });

const MISSING = '{"instances":null}';
const NO_ROWS = { instances: [], instances_found: 0, total_instances: 0 };

describe("a window whose instance is gone", () => {
  test("says so once, in one of two windows, and a later one doesn't repeat it", async () => {
    const { world, id, told, read, follow, userData, ...window } = await onInstance();
    const second = editorWindow(userData, { clock: quick, liveness: lifeOf("two", "one") });
    await second.session.restore();
    await second.instances.collection.refresh();
    follow({ ...second, me: window.me }, "two");
    world.destroy(id);
    await Promise.all([read(), second.instances.collection.refresh()]);
    await eventually(() => told.length > 0, "one of them says it");
    await quick.sleep(GRACE);
    assert.equal(told.length, 1);
    const later = editorWindow(userData, { clock: quick, liveness: lifeOf("later") });
    await later.session.restore();
    await later.instances.collection.refresh();
    follow({ ...later, me: window.me }, "later");
    await quick.sleep(GRACE);
    assert.equal(told.length, 1);
    assert.equal(window.pastRentals.findInstance(window.me(), id)?.id, id, "another one like it can be rented");
  });

  test("leaves it to another one, if it is closed before the person has seen it", async () => {
    const { world, id, told, read, follow, userData, isSeen, ...window } = await onInstance();
    isSeen.clear();
    world.destroy(id);
    await read();
    await eventually(() => told.length === 1, "it says it");
    const open = async (name: string, ...alive: readonly string[]) => {
      const next = editorWindow(userData, { clock: quick, liveness: lifeOf(name, ...alive) });
      await next.session.restore();
      await next.instances.collection.refresh();
      follow({ ...next, me: window.me }, name);
    };
    await open("beside", "one");
    await quick.sleep(GRACE);
    assert.deepEqual(told, [`one ${id}`], "its message is still to be seen");
    isSeen.add("next");
    await open("next");
    await eventually(() => told.length === 2, "it is said again");
    await open("last");
    await quick.sleep(GRACE);
    assert.deepEqual(told, [`one ${id}`, `next ${id}`]);
  });

  test("says so immediately where it was destroyed in that window", async () => {
    const { id, told, ...window } = await onInstance();
    assert.equal(await window.destroy(id), true);
    await window.read();
    await eventually(() => told.length === 1, "it is said");
  });

  test("says so where the service has no list", async () => {
    const nowhere = { status: 404, text: "<html>404 page not found</html>" };
    const { world, id, told, read, ...window } = await onInstance(
      (path, answer) => (isList(path) ? nowhere : answer),
      true,
    );
    await window.instances.track(id);
    await read();
    await quick.sleep(GRACE);
    assert.deepEqual(told, [], "it is there");
    world.destroy(id);
    await read();
    await eventually(() => told.length === 1, "it is said");
  });

  const SILENT: Readonly<Record<string, (path: string, answer: Answer) => Answer>> = {
    "as long as it is there, or stopped": (_, answer) => answer,
    "by a list with gaps": (path, { status, text }) =>
      isList(path)
        ? { status, text: changeList(text, { instances: [], instances_found: 3, total_instances: 3 }) }
        : { status: 200, text: MISSING },
    "by a list that lags, as long as the service has the instance": (path, { status, text }) =>
      isList(path) ? { status, text: changeList(text, NO_ROWS) } : { status, text },
    "by a list alone, if the service doesn't answer": (path, { status, text }) =>
      isList(path) ? { status, text: changeList(text, NO_ROWS) } : { status: 502, text: "<html>502</html>" },
    "by one instance that is missing, if the list has it": (path, answer) =>
      isList(path) ? answer : { status: 200, text: MISSING },
  };
  test("says nothing by one answer that lags as well, and never asks for one that is listed", async () => {
    let answers = 0;
    const window = await onInstance((path, { status, text }) => {
      if (isList(path)) return { status, text: answers < 3 ? changeList(text, NO_ROWS) : text };
      if (!path.includes("/instances/")) return { status, text };
      answers += 1;
      return answers === 1 ? { status, text: MISSING } : { status, text };
    });
    window.spoilNow();
    await window.read();
    await eventually(() => window.asked() >= 3, "it is asked for again");
    await quick.sleep(GRACE);
    assert.deepEqual(window.told, []);
    await window.read();
    const before = window.asked();
    await quick.sleep(GRACE * 10);
    assert.equal(window.asked(), before);
  });

  for (const [what, spoil] of Object.entries(SILENT))
    test(`says nothing ${what}`, async () => {
      const window = await onInstance(spoil);
      window.spoilNow();
      for (let turn = 0; turn < 4; turn += 1) {
        await window.read();
        await quick.sleep(GRACE / 4);
      }
      assert.deepEqual(window.told, []);
    });

  test("says nothing in another account, and does once its own is back", async () => {
    const { world, id, told, follow, read, ...window } = await onInstance();
    const own = window.me();
    const other = await sandbox({ seed: 3 });
    await window.session.signIn(other.url, other.apiKey);
    world.destroy(id);
    for (let turn = 0; turn < 4; turn += 1) {
      await read();
      await quick.sleep(GRACE / 4);
    }
    assert.deepEqual(told, []);
    await window.session.switchTo(own.profile);
    await read();
    await eventually(() => told.length === 1, "it is said");
  });
});
