// Five ways to keep ends wrongly. The model must catch each: a test that passes a broken keeper proves nothing.
import type { Disk } from "../../../src/services/core/disk.ts";
import type { Breakage } from "../life.ts";

const withCreate = (create: (disk: Disk) => Disk["create"]): Breakage => ({
  disk: (disk) => ({ ...disk, create: create(disk) }),
});

export const BROKEN_LEASES: Readonly<Record<string, () => Breakage>> = {
  "gives one order in each window": () =>
    withCreate((disk) => async (path, text) => (await disk.create(path, text)) || path.endsWith(".order")),
  "never reads of a later end": () => ({
    disk: (disk) => ({
      ...disk,
      read: async (path) => {
        const text = await disk.read(path);
        return path.endsWith(".lease") && text.includes('"count":2') ? "" : text;
      },
    }),
  }),
  "believes in an end that it never wrote": () =>
    withCreate((disk) => async (path, text) => path.endsWith(".lease") || (await disk.create(path, text))),
  "asks nobody about an end that passed": () =>
    withCreate((disk) => async (path, text) => !path.includes(".overdue-told") && (await disk.create(path, text))),
  "takes a failure for an end": () =>
    withCreate((disk) => (path, text) => disk.create(path.replace(/(ord-\w+)\.told$/, "$1.done"), text)),
};
