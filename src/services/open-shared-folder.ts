// Opens the folder of the user that all editors share, and says what is in the way.
import { access, constants, lstat, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isNear, realClock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { t } from "../lib/text.ts";
import { moveFolder } from "./core/book/move-folder.ts";
import { findStateFolder } from "./core/book/state-folder.ts";
import { SILENT_MS } from "./core/heartbeat.ts";
import { SHARED } from "./shared-folders.ts";

/** By folder, the kind of the files that something is done by. */
const ROOTS: Readonly<Partial<Record<string, string>>> = {
  ...{ orders: "order", launches: "prepared", groups: "prepared" },
  ...{ ends: "lease", "idle-orders": "idle" },
};

interface Opened {
  readonly folder: string;
  /** What the person should know: not everything is shared. */
  readonly problem?: string;
}

/**
 * Opens the folder that all editors of this user share, and moves there what this editor has kept on its own so far.
 * @returns `own`, the editor's storage folder, where the other one can't be had: then only the windows of this editor know of each other.
 */
export async function openSharedFolder(own: string, log: Log, shared = findStateFolder()): Promise<Opened> {
  // A window that works here would be taken for dead, and its work done again, if what it notes went elsewhere.
  if (await isAnyAlive(join(own, SHARED.windows))) return { folder: own };
  const objection = await findObjection(shared);
  if (objection !== undefined) {
    log.warn(`${shared} can't be used: other editors don't know what is set in this one. ${objection}`);
    return { folder: own, problem: describeUnshared(shared, objection) };
  }
  try {
    for (const name of Object.values(SHARED)) {
      await mkdir(join(shared, name), { recursive: true, mode: 0o700 });
      const root = ROOTS[name];
      const isRoot = (file: string) => root !== undefined && new RegExp(`\\.${root}(-|$)`).test(file);
      await moveFolder(join(own, name), join(shared, name), isRoot);
    }
    return { folder: shared };
  } catch (error) {
    // Nothing after it was moved either: whoever reads the shared folder alone must not take something for open that is over.
    log.warn("Some of what this editor kept isn't known to others yet.", error);
    return { folder: shared, problem: describeUnmoved(shared, (error as Error).message) };
  }
}

const describeUnshared = (shared: string, why: string) =>
  t("Your other editors don't know the auto-stops that you set here, because “{0}” can't be used. {1}", shared, why);

const describeUnmoved = (shared: string, why: string) =>
  t(
    "Some of your auto-stops and runs couldn't be moved to “{0}”, so Cloud GPU doesn't carry them out. Repair that folder, then reload the window. {1}",
    shared,
    why,
  );

/** Whether a window has work in a folder of heartbeats. */
async function isAnyAlive(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  const beats = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)));
  return beats.some((beat) => beat?.isFile() === true && isNear(realClock.now(), beat.mtimeMs, SILENT_MS));
}

/** Why nothing may be read from or written to a folder. What someone else can write there would be carried out with this user's key. */
async function findObjection(folder: string): Promise<string | undefined> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const [self, target] = [await lstat(folder), await stat(folder)];
    const own = process.getuid?.();
    if (own !== undefined && [self, target].some(({ uid }) => uid !== own)) return t("It belongs to another user.");
    if (own !== undefined && (target.mode & 0o022) !== 0) return t("Other users may write to it.");
    await access(folder, constants.R_OK | constants.X_OK);
    const isUsed = (await readdir(folder)).length > 0;
    // On a disk that can't be written to now, what is there still holds.
    if (!isUsed) await access(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
