// Packs the files of an upload as they are read. A file may change, or be gone, between the list and its turn.
import type { Stats } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { join } from "node:path";
import { createTarPacker } from "modern-tar";
import { foldPath } from "../../domain/transfer/archive-path.ts";
import type { UploadFile, UploadList } from "../../domain/transfer/upload-list.ts";
import { READ_FLAGS } from "./holds-key.ts";

/** What became of the files while they were packed. */
export interface PackReport {
  /** How many were packed, and the bytes of their contents. */
  files: number;
  bytes: number;
  /** Paths of files that changed while they were read, and of those that couldn't be read. */
  readonly changed: string[];
  readonly missing: string[];
}

/** Bytes: files up to this size are read as a whole, so many of them ahead. */
const SMALL = 128 * 1024;
const AHEAD = 32;
/** Bytes of larger ones that are read at a time. */
const PIECE = 1024 * 1024;

/** The header of a file. It belongs to whoever unpacks it. */
interface Head {
  readonly path: string;
  readonly size: number;
  readonly isExecutable: boolean;
  readonly mtime: Date;
}

/** Epoch milliseconds of the last second that an archive can name: 11 octal digits. */
const LAST_TIME = (8 ** 11 - 1) * 1000;

/** What the system says of a file. Whoever writes to it changes one of these, also if they set back the time of the last change. */
type State = Pick<Stats, "size" | "mtimeMs" | "ctimeMs">;

const isSameState = (one: State, other: State): boolean =>
  one.size === other.size && one.mtimeMs === other.mtimeMs && one.ctimeMs === other.ctimeMs;

/** A file that is open as it was `before` it was read; of a small one its content, and whether it changed in the meantime. */
type Opened = Head &
  (
    | { readonly content: Buffer; readonly hasChanged: boolean }
    | { readonly handle: FileHandle; readonly before: State }
  );

/** The archive, which is read no faster than it is taken, and what `report` comes to say of it. */
export function packFiles(
  folder: string,
  { files, folders }: Pick<UploadList, "files" | "folders">,
  signal: AbortSignal,
): { readonly archive: ReadableStream<Uint8Array>; readonly report: PackReport } {
  const { readable, controller } = createTarPacker();
  const report: PackReport = { files: 0, bytes: 0, changed: [], missing: [] };
  const pack = async () => {
    for (const path of folders)
      await controller.add({ name: `${path}/`, type: "directory", size: 0, mode: 0o755 }).close();
    for await (const [file, opened] of openAhead(folder, files)) {
      try {
        signal.throwIfAborted();
        if (opened) await packOne(controller, opened, report);
        else report.missing.push(file.path);
      } finally {
        if (opened && "handle" in opened) await opened.handle.close();
      }
    }
    controller.finalize();
  };
  void pack().catch((error) => controller.error(error));
  return { archive: readable, report };
}

type Packer = ReturnType<typeof createTarPacker>["controller"];

async function packOne(controller: Packer, opened: Opened, report: PackReport): Promise<void> {
  const { path, size, isExecutable, mtime } = opened;
  const entry = controller.add({ name: path, size, mode: isExecutable ? 0o755 : 0o644, mtime, uid: 0, gid: 0 });
  const writer = entry.getWriter();
  const write = async (bytes: Uint8Array) => {
    await writer.write(bytes);
    report.bytes += bytes.length;
  };
  if ("handle" in opened) {
    if (!(await copyExactly(opened.handle, opened.before, write))) report.changed.push(path);
  } else {
    if (size > 0) await write(opened.content);
    if (opened.hasChanged) report.changed.push(path);
  }
  await writer.close();
  report.files += 1;
}

/**
 * Reads as many bytes as the header promised. What a file lost in the meantime is filled with zeros; what it gained is left out.
 * @returns false if it did either, or anyone wrote to it.
 */
async function copyExactly(
  handle: FileHandle,
  before: State,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<boolean> {
  let left = before.size;
  const readNext = () => handle.read(Buffer.allocUnsafeSlow(Math.min(PIECE, left)), 0, Math.min(PIECE, left));
  while (left > 0) {
    const { buffer, bytesRead } = await readNext().catch(() => ({ buffer: EMPTY, bytesRead: 0 }));
    if (bytesRead === 0) break;
    left -= bytesRead;
    await write(buffer.subarray(0, bytesRead));
  }
  const isWhole = left === 0 && isSameState(await handle.stat(), before);
  for (; left > 0; left -= Math.min(PIECE, left)) await write(Buffer.alloc(Math.min(PIECE, left)));
  return isWhole;
}

const EMPTY = Buffer.alloc(0);

/** The files in their order; undefined for one that can't be read. Small ones are read while those before them are packed. */
async function* openAhead(
  folder: string,
  files: readonly UploadFile[],
): AsyncGenerator<readonly [UploadFile, Opened | undefined]> {
  const root = await follow(folder);
  const waiting: { readonly file: UploadFile; readonly opened: Promise<Opened | undefined> }[] = [];
  try {
    for (let next = 0; next < files.length || waiting.length > 0; ) {
      while (waiting.length < AHEAD) {
        const file = files[next];
        if (!file) break;
        // Of large ones only one is open at a time.
        if (file.size > SMALL && waiting.length > 0) break;
        waiting.push({ file, opened: openOne(root, file).catch(() => undefined) });
        next += 1;
        if (file.size > SMALL) break;
      }
      const first = waiting.shift();
      if (first) yield [first.file, await first.opened];
    }
  } finally {
    for (const { opened } of waiting) {
      const left = await opened;
      if (left && "handle" in left) await left.handle.close();
    }
  }
}

/** Where a path leads. */
const follow = (path: string): Promise<string> => realpath(path).catch(() => path);

async function openOne(root: string, { path, isExecutable }: UploadFile): Promise<Opened> {
  const place = join(root, path);
  const handle = await open(place, READ_FLAGS);
  let isKept = false;
  try {
    const stat = await handle.stat();
    // A folder on the way may have become a link, and Windows has no flag against links.
    const isInside = foldPath([await follow(place)]) === foldPath([place]);
    if (!isInside || !stat.isFile()) throw new Error("It became something else.");
    const head = { path, isExecutable, mtime: new Date(Math.min(Math.max(0, stat.mtimeMs), LAST_TIME)) };
    if (stat.size <= SMALL) {
      const content = await readWhole(handle, stat.size);
      return { ...head, size: content.length, content, hasChanged: !isSameState(await handle.stat(), stat) };
    }
    isKept = true;
    return { ...head, size: stat.size, handle, before: stat };
  } finally {
    if (!isKept) await handle.close();
  }
}

/** Whatever the file holds now, up to the size that it had a moment ago. */
async function readWhole(handle: FileHandle, size: number): Promise<Buffer> {
  const content = Buffer.allocUnsafeSlow(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await handle.read(content, filled, size - filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return content.subarray(0, filled);
}
