// Unpacks what a machine sends. The machine belongs to someone else, so whatever it packed may be made to do harm: only plain files
// and folders are made, each of them new, and all within one folder.
import { constants } from "node:fs";
import { lstat, mkdir, open, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../domain/base/error.ts";
import { foldPath, readArchivePath } from "../../domain/transfer/archive-path.ts";
import { RepositoryBreaker } from "../../domain/transfer/repository.ts";
import { type TarEntry, TarFlaw, TarReader } from "../../domain/transfer/tar-reader.ts";
import { formatNumber, t, toPlainText } from "../../lib/text.ts";
import { WriteBehind } from "./write-behind.ts";

export interface UnpackLimits {
  /** Files, folders and whatever else is listed. */
  readonly entries: number;
  /** Bytes of contents after which the person is asked. */
  readonly bytes: number;
  /** Bytes of everything else in the archive. */
  readonly overhead: number;
  /** Bytes of the disk that are left free. */
  readonly spare: number;
}

export const UNPACK_LIMITS: UnpackLimits = { entries: 200_000, bytes: 50e9, overhead: 600e6, spare: 500e6 };

/** Bytes between two looks at the disk. */
const LOOK_EVERY = 256e6;

export interface UnpackReport {
  files: number;
  bytes: number;
  /** Paths of files, as parts, in their order. */
  readonly paths: Set<readonly string[]>;
  readonly folders: (readonly string[])[];
  /** How many links, devices and the like, names that can't be used here or would make a repository, and repeated names were left out. */
  links: number;
  others: number;
  names: number;
  repeated: number;
}

interface UnpackOptions {
  readonly limits?: UnpackLimits;
  readonly isWindows?: boolean;
  /** Whether names that differ only in case are the same file. */
  readonly isCaseless?: boolean;
  readonly report?: (now: Readonly<UnpackReport>) => void;
  /** Whether to go on above the limit of bytes. The machine waits in the meantime. */
  readonly mayGoOn?: (bytes: number) => Promise<boolean>;
}

/** Never through a link, and never over something that is there. */
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

export class Unpacker {
  readonly #folder: string;
  readonly #limits: UnpackLimits;
  readonly #isWindows: boolean;
  readonly #isCaseless: boolean;
  readonly #tell: (now: Readonly<UnpackReport>) => void;
  readonly #mayGoOn: (bytes: number) => Promise<boolean>;
  readonly #reader = new TarReader();
  /** What was made, by its key: folders with their path as it was first spelled. */
  readonly #made = new Map<string, { readonly folder?: readonly string[] }>();
  /** No folder here is ever a repository to git, not even for a moment: a download may end at any time. */
  readonly #breaker = new RepositoryBreaker();
  #current: WriteBehind | undefined;
  #currentTime = 0;
  #entries = 0;
  #read = 0;
  #allowed: number;
  #lookAt = 0;
  readonly report: UnpackReport = {
    ...{ files: 0, bytes: 0, paths: new Set(), folders: [] },
    ...{ links: 0, others: 0, names: 0, repeated: 0 },
  };

  /** `folder` is empty, and no one else's. */
  constructor(folder: string, options: UnpackOptions = {}) {
    const { limits = UNPACK_LIMITS, isWindows = process.platform === "win32" } = options;
    this.#folder = folder;
    this.#limits = limits;
    this.#isWindows = isWindows;
    this.#isCaseless = options.isCaseless ?? process.platform !== "linux";
    this.#tell = options.report ?? (() => undefined);
    this.#mayGoOn = options.mayGoOn ?? (async () => false);
    this.#allowed = limits.bytes;
  }

  /** Whether all of the archive was read. */
  get isComplete(): boolean {
    return this.#reader.isOver;
  }

  /** Takes a piece of the archive. @throws AppError `rejected` with the limit or the flaw; the disk's error. */
  async write(chunk: Uint8Array): Promise<void> {
    try {
      this.#read += chunk.length;
      for (const piece of this.#reader.read(chunk)) {
        if ("entry" in piece) await this.#begin(piece.entry);
        else await this.#fill(piece.bytes);
      }
      this.#assertNotMeager();
      this.#tell(this.report);
    } catch (error) {
      await this.close().catch(() => undefined);
      throw readable(error);
    }
  }

  /** After the last piece, whether all went well or not. @throws AppError `rejected` if the disk is full; the disk's error. */
  async close(): Promise<void> {
    const file = this.#current;
    this.#current = undefined;
    try {
      await file?.close(this.#currentTime);
    } catch (error) {
      throw readable(error);
    }
  }

  async #begin(entry: TarEntry): Promise<void> {
    await this.close();
    this.#entries += 1;
    if (this.#entries > this.#limits.entries)
      throw new AppError(
        "rejected",
        t("The download has more than {0} files. Nothing was saved.", formatNumber(this.#limits.entries)),
      );
    if (entry.kind === "link") this.report.links += 1;
    if (entry.kind === "other") this.report.others += 1;
    if (entry.kind !== "file" && entry.kind !== "folder") return;
    const parts = readArchivePath(entry.path, this.#isWindows);
    try {
      if (!parts) this.report.names += 1;
      else if (entry.kind === "folder") await this.#makeFolder(parts);
      else await this.#makeFile(parts, entry);
    } catch (error) {
      if (!UNUSABLE.has(codeOf(error))) throw error;
      this.report.names += 1;
    }
  }

  #key(parts: readonly string[]): string {
    return this.#isCaseless ? foldPath(parts) : parts.join("/");
  }

  /** @returns its path as it was first spelled; undefined if something else has its place. */
  async #makeFolder(parts: readonly string[]): Promise<readonly string[] | undefined> {
    let path: readonly string[] = [];
    for (const part of parts) {
      path = [...path, part];
      const key = this.#key(path);
      const made = this.#made.get(key);
      if (made?.folder) {
        path = made.folder;
        continue;
      }
      for (const head of this.#breaker.makeRoomFor(path) ?? []) await this.#takeBack(head);
      if (made || !(await this.#makeOneFolder(path))) {
        this.report.repeated += 1;
        return undefined;
      }
      this.#made.set(key, { folder: path });
      this.report.folders.push(path);
      this.#assertNotTooManyMade();
    }
    return path;
  }

  async #makeOneFolder(path: readonly string[]): Promise<boolean> {
    const place = join(this.#folder, ...path);
    try {
      await mkdir(place, { mode: 0o755 });
      return true;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
      // Two spellings of one name, on a file system that takes them for the same.
      return (await lstat(place)).isDirectory();
    }
  }

  async #makeFile(parts: readonly string[], { isExecutable, mtime }: TarEntry): Promise<void> {
    const key = this.#key(parts);
    const name = parts.at(-1);
    if (name === undefined || this.#made.has(key)) {
      this.report.repeated += 1;
      return;
    }
    const parent = await this.#makeFolder(parts.slice(0, -1));
    if (!parent) return;
    const path = [...parent, name];
    const inTheWay = this.#breaker.makeRoomFor(path);
    if (!inTheWay) {
      this.report.names += 1;
      return;
    }
    for (const head of inTheWay) await this.#takeBack(head);
    try {
      this.#current = new WriteBehind(await open(join(this.#folder, ...path), NEW_FILE, isExecutable ? 0o755 : 0o644));
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
      this.report.repeated += 1;
      return;
    }
    this.#currentTime = Math.min(Math.max(mtime, 0), LATEST);
    this.#made.set(key, {});
    this.report.files += 1;
    this.report.paths.add(path);
    this.#breaker.noteFile(path);
    this.#assertNotTooManyMade();
  }

  async #takeBack(path: readonly string[]): Promise<void> {
    const place = join(this.#folder, ...path);
    this.report.bytes -= (await lstat(place)).size;
    await rm(place);
    this.report.paths.delete(path);
    this.report.files -= 1;
    this.report.names += 1;
  }

  async #fill(bytes: Uint8Array): Promise<void> {
    const file = this.#current;
    if (!file) return;
    await this.#makeRoom(bytes.length);
    await file.write(bytes);
    this.report.bytes += bytes.length;
  }

  /** Asks the person above the limit, and never fills the disk. */
  async #makeRoom(size: number): Promise<void> {
    const bytes = this.report.bytes + size;
    if (bytes > this.#allowed) {
      if (!(await this.#mayGoOn(this.report.bytes))) throw new AppError("cancelled", t("Canceled."));
      this.#allowed = Number.POSITIVE_INFINITY;
    }
    if (bytes < this.#lookAt) return;
    this.#lookAt = bytes + LOOK_EVERY;
    const { bavail, bsize } = await statfs(this.#folder);
    if (bavail * bsize < this.#limits.spare) throw new AppError("rejected", diskFullText());
  }

  /** An archive may name one file in a thousand folders that it doesn't list. */
  #assertNotTooManyMade(): void {
    if (this.#made.size <= this.#limits.entries) return;
    throw new AppError(
      "rejected",
      t("The download has more than {0} files. Nothing was saved.", formatNumber(this.#limits.entries)),
    );
  }

  /** What isn't a file's content is little, in an archive that someone packed for its files. */
  #assertNotMeager(): void {
    if (this.#read - this.report.bytes <= this.#limits.overhead + this.report.bytes * 2) return;
    throw new AppError(
      "rejected",
      t("The archive from the machine contains hardly any file content. Nothing was saved."),
    );
  }
}

/** Seconds; what every file system can hold. */
const LATEST = 2 ** 31 - 1;

const diskFullText = () => t("This computer's disk is full. Nothing was saved.");

/** What file systems say to names that they can't hold. */
const UNUSABLE: ReadonlySet<unknown> = new Set(["ENAMETOOLONG", "EINVAL", "EILSEQ"]);

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);

function readable(error: unknown): unknown {
  if (error instanceof TarFlaw)
    return new AppError("rejected", t("The machine sent a damaged archive. Nothing was saved."), { cause: error });
  const code = codeOf(error);
  if (code === "ENOSPC" || code === "EDQUOT") return new AppError("rejected", diskFullText(), { cause: error });
  if (!(error instanceof Error) || typeof code !== "string") return error;
  const said = t("This computer couldn't write the files: {0}. Nothing was saved.", toPlainText(error.message, 200));
  return new AppError("rejected", said, { cause: error });
}

/** Removes what a download left. */
export async function removeUnpacked(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
