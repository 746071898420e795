// All files of a group, and what tells ours from those that a person wrote or changed.

import { writeDstack, writeRay, writeSkyPilot, writeTorchrun } from "./engine-files.ts";
import { assertPlain, type HandedFile, type HandOver, withoutOddNumbers } from "./group-host.ts";
import { writeHostsJson, writeHostsList, writeInventory, writeParallel } from "./host-files.ts";

const WRITERS = [
  writeHostsJson,
  writeHostsList,
  writeInventory,
  writeParallel,
  writeTorchrun,
  writeRay,
  writeSkyPilot,
  writeDstack,
] as const;

/** In the order in which they are shown. @throws RangeError for a machine that can't be written into a file. */
export function writeHandOver(given: HandOver): readonly HandedFile[] {
  for (const host of given.hosts) assertPlain(host);
  const hosts = given.hosts.map(withoutOddNumbers);
  return WRITERS.map((write) => write({ ...given, hosts }));
}

/** The file that remembers what was written, by name. */
export const MANIFEST = ".cloud-gpu-group.json";
