// Reports what other windows write to a shared folder.
import { watch } from "node:fs";
import { mkdir } from "node:fs/promises";
import type { Disposable } from "../../../lib/disposable.ts";
import type { Log } from "../../../lib/log.ts";

/** Reports changes in a folder, which is created if it is missing. If it can't be watched, nothing is reported. */
export async function watchFolder(folder: string, onChange: () => void, log: Log): Promise<Disposable> {
  const quietly = (error: unknown) => log.warn("A folder shared with other windows cannot be watched.", error);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const watcher = watch(folder, onChange);
    watcher.on("error", quietly);
    return { dispose: () => watcher.close() };
  } catch (error) {
    quietly(error);
    return { dispose: () => {} };
  }
}
