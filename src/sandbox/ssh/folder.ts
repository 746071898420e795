// The scratch folder that is a machine's disk and the home of whoever logs in.
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quoteWord } from "../../lib/shell-words.ts";
import type { StoredInstance } from "../world/instance.ts";
import { writeNvidiaSmi } from "./nvidia-smi.ts";
import { writeOwnPrograms } from "./own-programs.ts";

/** Hidden, so that the home is empty to the eye. */
export function findPrograms(folder: string): string {
  return join(folder, ".local", "bin");
}

/** What its GPUs do, for its `nvidia-smi`. */
export function findGpuNotes(folder: string): string {
  return join(folder, ".local", "gpu");
}

/** Makes the folder at once, so that its owner can remove it whatever happens next. Only this user can open it. */
export function createFolder(): string {
  return mkdtempSync(join(tmpdir(), "cloud-gpu-machine-"));
}

/** The `ip` of a machine in an overlay network: what the computer's own would say of it. */
const writeIp = (address: string): string => `#!/bin/sh
# Made by the sandbox: the address is that of the overlay network, which nothing answers at.
echo "2: eth0    inet ${address}/24 scope global eth0"
`;

interface Filling {
  readonly instance: StoredInstance;
  /** In its overlay network, if it is in one. */
  readonly address: string | undefined;
  /** Where this computer's programs are. */
  readonly path: string;
}

/** Writes the machine's own programs and what its shells read at their start. */
export async function fillFolder(folder: string, { instance, address, path: outer }: Filling): Promise<void> {
  const programs = findPrograms(folder);
  await mkdir(programs, { recursive: true });
  await writeOwnPrograms(programs, folder, outer);
  const script = writeNvidiaSmi(instance, findGpuNotes(folder));
  if (script !== undefined) await writeFile(join(programs, "nvidia-smi"), script, { mode: 0o755 });
  if (address !== undefined) await writeFile(join(programs, "ip"), writeIp(address), { mode: 0o755 });
  // A login shell first reads the computer's own profile, which may set another PATH.
  const path = `export PATH=${quoteWord(programs)}:"$PATH"\n`;
  await writeFile(join(folder, ".profile"), path);
  await writeFile(join(folder, ".bashrc"), `${path}PS1='root@C.${instance.id}:\\w# '\n`);
}

export function removeFolder(folder: string): void {
  // A program that is just ending may still write into it.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}
