// Results of earlier attempts at a run: from the folder in which they are on this computer to the same places on another machine.
import { AppError } from "../../../domain/base/error.ts";
import type { FetchedFiles } from "../../../domain/run/fetched-files.ts";
import type { RunRecord } from "../../../domain/run/run-record.ts";
import { RUN_NEEDS } from "../../../domain/run/run-script.ts";
import { readArchivePath } from "../../../domain/transfer/archive-path.ts";
import {
  isSecretPath,
  type UploadFile,
  type UploadList,
  type UploadSize,
} from "../../../domain/transfer/upload-list.ts";
import { t, toPlainText } from "../../../lib/text.ts";
import type { MachineLogin } from "../../connection/run-there.ts";
import { uploadChanged } from "../../transfer/find-unchanged.ts";
import { markEarlier } from "../machine-run.ts";
import { statHere } from "./hash-here.ts";
import { findResultsPlace, listFolders } from "./settle-results.ts";

export const createMissingError = (place: string): AppError =>
  new AppError(
    "rejected",
    t(
      "Results in {0} that the command was to continue with can't be read, so it wasn't started.",
      toPlainText(place, 200),
    ),
  );

/** What of them goes up. */
export interface EarlierUpload extends Pick<UploadList, "files" | "folders" | "bytes" | "secrets"> {
  /** The folder that they are in. */
  readonly place: string;
}

/** Those that were downloaded and are still here, as they are now. @returns undefined if there are none. */
export async function listEarlier(
  place: string | undefined,
  fetched: FetchedFiles,
): Promise<EarlierUpload | undefined> {
  const folder = await findResultsPlace(place);
  if (folder === undefined) return undefined;
  const files: UploadFile[] = [];
  const folders = new Set<string>();
  const secrets: string[] = [];
  let bytes = 0;
  for (const name of fetched.keys()) {
    const path = readArchivePath(name, process.platform === "win32");
    if (!path) continue;
    const stat = await statHere(folder, path);
    if (typeof stat !== "object") continue;
    const joined = path.join("/");
    if (path.some((part, index) => isSecretPath(part, index < path.length - 1))) {
      secrets.push(joined);
      continue;
    }
    files.push({ path: joined, size: stat.size, isExecutable: (stat.mode & 0o111) !== 0 });
    bytes += stat.size;
    for (const one of listFolders([path])) folders.add(one.join("/"));
  }
  return files.length + secrets.length === 0
    ? undefined
    : { place: folder, files, folders: [...folders], bytes, secrets };
}

/**
 * Puts them where the attempts before had them. From then on they are results of this one as well.
 * @throws AppError as `uploadChanged` does; the signal's reason.
 */
export async function sendEarlier(
  machine: MachineLogin,
  { id, plan }: Pick<RunRecord, "id" | "plan">,
  { place, ...list }: EarlierUpload,
  signal: AbortSignal,
  report: (now: UploadSize) => void,
): Promise<void> {
  await markEarlier(machine, id, signal);
  const order = { machine, folder: place, list, remote: plan.remote, needs: RUN_NEEDS };
  if ((await uploadChanged(order, signal, report)).missing.length > 0) throw createMissingError(place);
}
