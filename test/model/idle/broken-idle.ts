// Eleven ways to keep orders for idle instances wrongly. The model must catch each: a test that passes a broken keeper proves nothing.
import type { Client } from "../../../src/api/client.ts";
import { sleep } from "../../../src/lib/clock.ts";
import type { Disk } from "../../../src/services/core/book/disk.ts";
import type { IdleBreakage } from "./idle-story.ts";

const withCreate = (create: (disk: Disk) => Disk["create"]): IdleBreakage => ({
  disk: (disk) => ({ ...disk, create: create(disk) }),
});

/** What isn't known is read as no load. */
function readMissing<T>(record: T): T {
  const { gpu_util: load } = record as { gpu_util?: number };
  return { ...record, gpu_util: load !== undefined && load >= 0 ? load : 0 };
}

const guessing = (client: Client): Client =>
  new Proxy(client, {
    get: (target, name) => {
      if (name === "listInstances")
        return async (...args: Parameters<Client["listInstances"]>) => {
          const list = await target.listInstances(...args);
          return { ...list, rows: list.rows.map((row) => ({ ...row, value: readMissing(row.value) })) };
        };
      if (name === "getInstance")
        return async (...args: Parameters<Client["getInstance"]>) => {
          const row = await target.getInstance(...args);
          return row && { ...row, value: readMissing(row.value) };
        };
      return Reflect.get(target, name);
    },
  });

export const BROKEN_IDLE: Readonly<Record<string, () => IdleBreakage>> = {
  "takes what isn't known for idle": () => ({ client: guessing }),
  "never hears that another window uses it": () => ({
    disk: (disk) => ({
      ...disk,
      names: async (folder) => (await disk.names(folder)).filter((name) => !name.includes(".used-")),
    }),
  }),
  "never reads of a later order": () => ({
    disk: (disk) => ({
      ...disk,
      read: async (path) => {
        const text = await disk.read(path);
        return path.includes(".idle") && text.includes('"count":2') ? "" : text;
      },
    }),
  }),
  "believes in an order that it never wrote": () =>
    withCreate((disk) => async (path, text) => path.includes(".idle") || (await disk.create(path, text))),
  "takes a failure for an end": () =>
    withCreate((disk) => (path, text) => disk.create(path.replace(/(ord-\w+)\.told$/, "$1.done"), text)),
  "gives one order in each window": () =>
    withCreate((disk) => async (path, text) => {
      if (!path.endsWith(".order")) return await disk.create(path, text);
      // Long enough for the other window to come as far.
      await sleep(300);
      await disk.create(path, text);
      return true;
    }),
  "counts what it never warned of": () =>
    withCreate((disk) => async (path, text) => {
      const isCreated = await disk.create(path, text);
      return isCreated && !path.includes(".warned-");
    }),
  "believes that an instance was told of a later order": () => {
    let first: number | undefined;
    return {
      idleKeeperAccess: (sound) => ({
        ...sound,
        tell: async (account, id, order) => {
          const { at, wish } = order;
          first ??= at;
          if (at === first) return await sound.tell(account, id, order);
          const shown = await sound.read(account, id, false);
          return shown === "missing" || !wish ? "missing" : { ...shown, at };
        },
      }),
    };
  },
  "calls an instance armed on which nothing looks": () => ({
    idleKeeperAccess: (sound) => ({
      ...sound,
      read: async (...asked) => {
        const shown = await sound.read(...asked);
        return shown === "missing" ? shown : { ...shown, lives: true, age: 0, isAccepted: true, seen: "quiet" };
      },
    }),
  }),
  "tells no instance that a window uses it": () => ({
    idleKeeperAccess: (sound) => ({ ...sound, read: (account, id) => sound.read(account, id, false) }),
  }),
  "forgets that it told an instance": () =>
    withCreate((disk) => async (path, text) => path.includes(".proof") || (await disk.create(path, text))),
};
