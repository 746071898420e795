// The temporary folder of a download, beside the place that it is for. A window that is killed leaves it behind; whoever downloads into the
// same place next removes it, unless the computer was started again in the meantime, and no upload takes it along.
import { createHash } from "node:crypto";
import { mkdtemp, opendir, readFile, readlink } from "node:fs/promises";
import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";
import { createLazy } from "../../lib/task.ts";
import { removeUnpacked } from "./unpack-archive.ts";

const PREFIX = ".cloud-gpu-download-";
const NAME = new RegExp(`^\\${PREFIX}([0-9a-f]{8})-([0-9]{1,10})-[A-Za-z0-9]{6}$`);

export const isDownloadFolder = (name: string): boolean => name.startsWith(PREFIX);

/** Only Linux tells. Numbers of network cards differ as well, and who comes to have others takes no one's folder for dead. */
async function describeComputer(): Promise<string> {
  const cards = () => Object.values(networkInterfaces()).flatMap((all) => all?.map(({ mac }) => mac) ?? []);
  return await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => [...new Set(cards())].sort().join());
}

/**
 * Where a process ID means the same process: other computers and containers may see the folder as well. They may have the same name, and
 * the first namespace of each computer has the same number.
 */
const describeHere = createLazy(async () => {
  const namespace = await readlink("/proc/self/ns/pid").catch(() => "");
  const here = `${process.platform}\n${hostname()}\n${namespace}\n${await describeComputer()}`;
  return createHash("sha256").update(here).digest("hex").slice(0, 8);
});

/** A new one in a folder, without those in it that no one fills any longer. */
export async function createDownloadFolder(into: string): Promise<string> {
  const here = await describeHere();
  await removeLeft(into, here).catch(() => undefined);
  return await mkdtemp(join(into, `${PREFIX}${here}-${process.pid}-`));
}

async function removeLeft(into: string, here: string): Promise<void> {
  for await (const entry of await opendir(into)) {
    const [, where, owner] = NAME.exec(entry.name) ?? [];
    if (!entry.isDirectory() || where !== here || isAlive(Number(owner))) continue;
    await removeUnpacked(join(into, entry.name)).catch(() => undefined);
  }
}

/** Whether there may be such a process. Another program may have its number by now. */
function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
