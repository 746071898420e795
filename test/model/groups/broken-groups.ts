// Four ways to keep groups wrongly. The model must catch each: a test that passes a broken one proves nothing.
import type { Disk } from "../../../src/services/core/book/disk.ts";
import type { Breakage } from "../life.ts";
import { withoutIntention } from "../without-intention.ts";

const withDisk = (change: (disk: Disk) => Partial<Disk>): Breakage => ({
  disk: (disk) => ({ ...disk, ...change(disk) }),
});

export const BROKEN_GROUPS: Readonly<Record<string, () => Breakage>> = {
  "forgets the launches that took another one's place": () =>
    withDisk((disk) => ({
      names: async (folder) => (await disk.names(folder)).filter((name) => !/\.rank-\d+-\d+$/.test(name)),
    })),
  "calls a group complete that has too few": () =>
    withDisk((disk) => ({
      create: (path, text) => disk.create(path, text.replace('"decision":"short"', '"decision":"complete"')),
    })),
  "destroys where it was to ask": () =>
    withDisk((disk) => ({
      read: async (path) => {
        const text = await disk.read(path);
        return /grp-\w+\.prepared$/.test(path) ? text.replace('"rest":"ask"', '"rest":"destroy"') : text;
      },
    })),
  "takes a stop for a death": () => ({ client: withoutIntention }),
};
