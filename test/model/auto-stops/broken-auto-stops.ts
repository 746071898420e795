// Nine ways to keep ends wrongly. The model must catch each: a test that passes a broken keeper proves nothing.
import type { Disk } from "../../../src/services/core/book/disk.ts";
import { Life } from "../life.ts";
import type { AutoStopBreakage } from "./auto-stop-story.ts";

const withCreate = (create: (disk: Disk) => Disk["create"]): AutoStopBreakage => ({
  disk: (disk) => ({ ...disk, create: create(disk) }),
});

/** An order that no one here may take over. */
const SOMEBODYS = JSON.stringify({ version: 1, kind: "destroy", id: 1, origin: "", account: "", at: 0, owner: "" });

/** The disk is full over a story's first order, whose half is then read as this. A sound keeper writes another order. */
function withHalfAnOrder(readAs: string): AutoStopBreakage {
  let isFull = true;
  return {
    disk: (disk) => ({
      ...disk,
      create: async (path, text) => {
        if (!isFull || !path.endsWith(".order")) return await disk.create(path, text);
        isFull = false;
        await disk.create(path, text.slice(0, text.length / 2));
        throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
      },
      read: async (path) => {
        const text = await disk.read(path);
        return path.endsWith(".order") && !text.endsWith("}") ? readAs : text;
      },
    }),
  };
}

export const BROKEN_AUTO_STOPS: Readonly<Record<string, () => AutoStopBreakage>> = {
  "gives one order in each window": () =>
    withCreate((disk) => async (path, text) => (await disk.create(path, text)) || path.endsWith(".order")),
  "never reads of a later end": () => ({
    disk: (disk) => ({
      ...disk,
      read: async (path) => {
        const text = await disk.read(path);
        return path.includes(".lease") && text.includes('"count":2') ? "" : text;
      },
    }),
  }),
  "believes in an end that it never wrote": () =>
    withCreate((disk) => async (path, text) => path.includes(".lease") || (await disk.create(path, text))),
  "asks nobody about an end that passed": () =>
    withCreate((disk) => async (path, text) => !path.includes(".overdue-told") && (await disk.create(path, text))),
  "takes a failure for an end": () =>
    withCreate((disk) => (path, text) => disk.create(path.replace(/(ord-\w+)\.told$/, "$1.done"), text)),
  "believes that an instance was told of a later end": () => ({
    selfStopAccess: (sound) => ({
      ...sound,
      ask: async (account, id, order) => {
        const end = await sound.ask(account, id);
        if (!order || end === "missing") return end;
        const { wait, ending, count, at } = order;
        const until = wait === undefined ? undefined : new Life({}).clock.now() + wait;
        return { ...end, until, ending: wait === undefined ? undefined : ending, count, at };
      },
    }),
  }),
  "calls an instance armed on which nothing runs": () => ({
    selfStopAccess: (sound) => ({
      ...sound,
      ask: async (account, id, order) => {
        const end = await sound.ask(account, id, order);
        return end === "missing" ? end : { ...end, lives: true, isAccepted: true };
      },
    }),
  }),
  "tells in each window that an instance ended itself": () =>
    withCreate((disk) => async (path, text) => (await disk.create(path, text)) || path.includes(".itself-told")),
  "waits for ever for an order that can't be read": () => withHalfAnOrder(SOMEBODYS),
};
