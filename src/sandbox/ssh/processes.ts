// Ends the programs of a machine, including those that left their process group.
import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Programs that start others while they are ended are found in one of the next rounds. */
const MOST_ROUNDS = 20;

function signal(id: number, name: NodeJS.Signals): void {
  try {
    process.kill(id, name);
  } catch {
    // It has ended already.
  }
}

/** The program must have been started with `detached`, which gives it a process group of its own. */
export function signalGroup({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid !== undefined) signal(-pid, name);
}

/** A program may have dropped its environment, but hardly its working folder as well. */
function isAt(id: string, folder: string): boolean {
  try {
    const work = readlinkSync(`/proc/${id}/cwd`);
    if (work === folder || work.startsWith(`${folder}/`)) return true;
    return readFileSync(`/proc/${id}/environ`, "utf8").split("\0").includes(`HOME=${folder}`);
  } catch {
    // It has ended, or belongs to someone else.
    return false;
  }
}

/** Whether programs that left their group can be found by the folder in their environment. */
export const canFindProcesses = process.platform === "linux";

/** The process IDs of programs that have this folder as their home or work inside it. */
export function findProcesses(folder: string): number[] {
  if (!canFindProcesses) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid) && isAt(name, folder))
    .map(Number);
}

/** Ends at once whatever still belongs to this folder. */
export function endProcesses(folder: string): void {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const found = findProcesses(folder);
    if (found.length === 0) return;
    for (const id of found) signal(id, "SIGKILL");
  }
}
