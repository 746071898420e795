// Ways to keep second steps wrongly. The model must catch each: a test that passes a broken keeper proves nothing.
import type { Breakage } from "../life.ts";

export const BROKEN_SECOND_STEPS: Readonly<Record<string, () => Breakage>> = {
  "takes what no one saw for stopped": () => ({
    disk: (disk) => ({
      ...disk,
      read: async (path) => {
        const text = await disk.read(path);
        if (!path.includes(".stopped-") || !text.includes('"from":null')) return text;
        return text.replace('"from":null', `"from":${JSON.parse(text).to - 720_000}`);
      },
    }),
  }),
  "destroys before its time": () => ({
    disk: (disk) => ({
      ...disk,
      create: async (path, text) => {
        const isSecond = path.includes(".lease-") && text.includes('"ending":"destroy"');
        const hours = isSecond ? 0.1 : 0.2;
        const early = (_: string, until: string) => `"until":${Number(until) - (0.2 - hours) * 3_600_000}`;
        const changed = text.replace(/"until":(\d+)/, early).replace('"stoppedHours":0.2', `"stoppedHours":${hours}`);
        return await disk.create(path, isSecond ? changed : text);
      },
    }),
  }),
};
