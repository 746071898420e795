// Uploads one folder to several instances at once.
import type { UploadList } from "../../domain/transfer/upload-list.ts";
import { uploadChanged } from "../transfer/find-unchanged.ts";
import type { OrderedHost } from "./group-jobs.ts";

/** `onDone` is called with the number of instances that have it. @throws AppError for the first that can't take it; the signal's reason. */
export async function uploadToGroup(
  hosts: readonly OrderedHost[],
  { folder, list }: { readonly folder: string; readonly list: UploadList },
  onDone: (count: number) => void,
  signal: AbortSignal,
): Promise<void> {
  let done = 0;
  const failing = new AbortController();
  const ending = AbortSignal.any([signal, failing.signal]);
  const send = async ({ machine, remote }: OrderedHost) => {
    await uploadChanged({ machine, folder, list, remote }, ending, () => {});
    done += 1;
    onDone(done);
  };
  await Promise.all(hosts.map(send)).catch((error) => {
    failing.abort(error);
    throw error;
  });
}
