// Ways to get the budget of agents wrong. The model must catch each: a test that passes a broken budget proves nothing.
import type { Disk } from "../../../src/services/core/book/disk.ts";
import type { GrantBreakage } from "./grant-story.ts";

const hiding = (isHidden: (name: string, all: readonly string[]) => boolean) => (disk: Disk) => ({
  ...disk,
  names: async (folder: string) => {
    const all = await disk.names(folder);
    return all.filter((name) => !isHidden(name, all));
  },
});

const CALM = {
  ...{ create: undefined, read: undefined, dies: Number.POSITIVE_INFINITY, fullAt: Number.POSITIVE_INFINITY },
  ...{ closedAt: undefined, obeying: undefined },
};
const callIn = (window: 0 | 1, at: number) => ({ at, window, hours: 1, twice: false, priceMoves: undefined });

export const BROKEN_GRANTS: Readonly<Record<string, () => GrantBreakage>> = {
  "counts only what an answer said was rented": () => ({
    disk: hiding((name, all) => {
      const [token] = name.split(".");
      return name.endsWith(".claimed") && !all.some((other) => other.startsWith(`${token}.rented`));
    }),
  }),
  "forgets what was rented before": () => ({
    disk: hiding((name) => /^vsc-.*\.rented-/.test(name) || /^vsc-.*\.claimed$/.test(name)),
    grant: { ...CALM, amount: 1.5, launches: 4, hours: 3, calls: [callIn(0, 0), callIn(0, 40), callIn(1, 80)] },
  }),
  "goes on once it was closed": () => ({
    disk: hiding((name) => name.endsWith(".closed")),
    grant: { ...CALM, amount: 6, launches: 4, hours: 3, closedAt: 1, calls: [callIn(0, 200), callIn(1, 200)] },
  }),
  "asks no one beyond it": () => ({
    agrees: true,
    grant: { ...CALM, amount: 1.5, launches: 4, hours: 3, calls: [callIn(0, 0), callIn(0, 40), callIn(1, 80)] },
  }),
  "believes every instance that it ends itself": () => ({
    trustsAll: true,
    grant: { ...CALM, amount: 6, launches: 2, hours: 3, calls: [callIn(0, 0)], obeying: [] },
  }),
};
