// Which files of an upload are on the machine already, as a run uploads the same folder again and again.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import {
  buildListThereCommand,
  readThereFile,
  THERE_LISTED,
  type ThereFile,
} from "../../domain/transfer/transfer-command.ts";
import type { UploadFile } from "../../domain/transfer/upload-list.ts";
import { askMachineForWords } from "../connection/ask-machine.ts";
import type { PackReport } from "./pack-files.ts";
import { type UploadOrder, uploadFiles } from "./upload.ts";

/** Below this, asking takes longer than sending. */
const WORTH_ASKING = { files: 200, bytes: 1_000_000 };
/** Files that are looked at together. */
const TOGETHER = 50;

/**
 * The files that the machine doesn't have with the same size, time of change in seconds, and permission to be run. All of them if the
 * machine can't tell. @throws AppError as `toMachineError` says if the connection is lost; the signal's reason.
 */
export async function findChanged(
  { machine, folder, list, remote }: UploadOrder,
  signal: AbortSignal,
): Promise<readonly UploadFile[]> {
  const { files } = list;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (files.length < WORTH_ASKING.files && bytes < WORTH_ASKING.bytes) return files;
  const asked = new Set(files.map(({ path }) => path));
  const there = new Map<string, ThereFile>();
  const take = (line: string) => {
    // A line that isn't one is passed over, and its file sent again.
    const file = readThereFile(line);
    if (file && asked.has(file.path)) there.set(file.path, file);
  };
  const answer = await askMachineForWords(machine, buildListThereCommand(remote), signal, { end: "\n", take });
  if (answer !== THERE_LISTED) return files;
  const changed: UploadFile[] = [];
  for (let at = 0; at < files.length; at += TOGETHER) {
    signal.throwIfAborted();
    const some = files.slice(at, at + TOGETHER);
    const same = await Promise.all(some.map((file) => isSame(join(folder, file.path), there.get(file.path))));
    changed.push(...some.filter((_, index) => !same[index]));
  }
  return changed;
}

/** Epoch seconds that an archive and every file system can keep: what is earlier or later arrives as the first or the last of them. */
const clampTime = (seconds: number): number => Math.min(Math.max(0, Math.floor(seconds)), 2 ** 31 - 1);

async function isSame(path: string, there: ThereFile | undefined): Promise<boolean> {
  const here = there && (await stat(path).catch(() => undefined));
  if (!here) return false;
  const { size, seconds, isExecutable } = there;
  const isOfTime = clampTime(here.mtimeMs / 1000) === clampTime(seconds);
  return here.size === size && isOfTime && ((here.mode & 0o100) !== 0) === isExecutable;
}

/** Uploads what the machine doesn't have. @returns what that was. @throws AppError as `uploadFiles` does; the signal's reason. */
export async function uploadChanged(
  order: UploadOrder,
  signal: AbortSignal,
  report: (now: Readonly<PackReport>) => void,
): Promise<Readonly<PackReport>> {
  const files = await findChanged(order, signal);
  return await uploadFiles({ ...order, list: { ...order.list, files } }, signal, report);
}
