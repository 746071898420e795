// A file appears whole or not at all, and once: what a window that dies, or a full disk, leaves behind is never taken for it.
import { type FileHandle, link, open, readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** What is written and not published yet. Whoever reads a folder passes it over. */
const UNFINISHED = /^\.[0-9a-f-]{36}\.new$/;
/** Milliseconds after which a file that isn't published yet was left by a window that is gone. */
const LEFT = 3_600_000;
/** Error codes from file systems that can't sync a folder: network mounts, and some in containers. */
const NO_FOLDER_SYNC = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** Folders in which this process has looked for what dead windows left. */
const swept = new Set<string>();

/** What a test puts in the place of the disk's own. */
interface Doing {
  readonly place?: typeof link;
  readonly sync?: typeof syncFolder;
}

/**
 * Creates a file with all of its text, durably. Where the file system has no hard links (exFAT, some network shares), it is created and
 * then written: a window that dies in between leaves less than all of it there.
 * @returns false if it exists. @throws the disk's error: no text is there then, unless the disk can't even remove it. An empty file may be.
 */
export async function publishFile(path: string, text: string, doing: Doing = {}): Promise<boolean> {
  const { place = link, sync = syncFolder } = doing;
  // Nothing can be missing in an empty file.
  if (text === "") return await createAtOnce(path, text, sync);
  const beside = await writeBeside(dirname(path), text).catch(async (error) => {
    // A disk that is full has no room to find out with that there is nothing to write.
    if (await isThere(path)) return undefined;
    throw error;
  });
  if (beside === undefined) return false;
  try {
    await place(beside, path);
  } catch (error) {
    // A network file system may carry a request out and say that it failed, or repeat it and say that the name exists.
    const isPlaced = (await stat(beside)).nlink > 1;
    if (!isPlaced && (error as NodeJS.ErrnoException).code === "EEXIST") return false;
    if (!isPlaced) return await createAtOnce(path, text, sync);
  } finally {
    await rm(beside).catch(() => undefined);
  }
  await keep(path, sync);
  return true;
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

async function createAtOnce(path: string, text: string, sync: typeof syncFolder): Promise<boolean> {
  const file = await openNew(path);
  if (!file) return false;
  await writeOrRemove(file, path, text);
  // A mark whose name the disk may forget is still a mark: that something was called off, or sent.
  if (text === "") await sync(dirname(path));
  else await keep(path, sync);
  return true;
}

/** No one may believe in a text whose name the disk may forget. */
async function keep(path: string, sync: typeof syncFolder): Promise<void> {
  try {
    await sync(dirname(path));
  } catch (error) {
    await rm(path).catch(() => undefined);
    throw error;
  }
}

/** @returns the path of a file with this text that no one else knows. @throws the disk's error: it is gone then. */
async function writeBeside(folder: string, text: string): Promise<string> {
  const path = join(folder, `.${crypto.randomUUID()}.new`);
  await writeOrRemove(await open(path, "wx", 0o600), path, text);
  if (!swept.has(folder)) await sweep(folder, path).catch(() => undefined);
  return path;
}

/** Removes what dead windows left. Its age is told by the file system's own clock. */
async function sweep(folder: string, justWritten: string): Promise<void> {
  swept.add(folder);
  const { mtimeMs: now } = await stat(justWritten);
  for (const name of (await readdir(folder)).filter((one) => UNFINISHED.test(one))) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path);
    if (now - mtimeMs > LEFT) await rm(path, { force: true });
  }
}

/** Writes all of it and closes the file. @throws the disk's error: the file is gone then. */
async function writeOrRemove(file: FileHandle, path: string, text: string): Promise<void> {
  try {
    try {
      if (text !== "") await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await rm(path).catch(() => undefined);
    throw error;
  }
}

/** Creates an empty file, to be written and closed. @returns undefined if it exists. @throws the disk's error. */
export async function openNew(path: string): Promise<FileHandle | undefined> {
  return await open(path, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EEXIST") return undefined;
    throw error;
  });
}

/**
 * A new name is durable only after its folder has been synced too. Windows has no such call, and some file systems
 * refuse it. The file itself is on disk by then, and they offer no more than that.
 */
export async function syncFolder(path: string, openFolder: typeof open = open): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await openFolder(path, "r");
  try {
    await folder.sync();
  } catch (error) {
    if (!NO_FOLDER_SYNC.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    await folder.close();
  }
}
