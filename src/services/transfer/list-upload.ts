// Walks a folder that is to be uploaded. Nothing is opened but folders, files of rules, and what may be a key by its name, and no link
// is followed.
import { lstat, opendir, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { AppError } from "../../domain/base/error.ts";
import { isSecretPath, mayBePrivateKey, type UploadFile, type UploadList } from "../../domain/transfer/upload-list.ts";
import { formatNumber, t, toPlainText } from "../../lib/text.ts";
import { Turns } from "../../lib/turns.ts";
import { isDownloadFolder } from "./download-folder.ts";
import { holdsPrivateKey } from "./holds-key.ts";
import { IgnoreRules } from "./ignore-rules.ts";

interface UploadLimits {
  /** How much may go, and how much may be looked at. */
  readonly files: number;
  readonly looked: number;
  readonly depth: number;
}

const LIMITS: UploadLimits = { files: 200_000, looked: 2_000_000, depth: 100 };

/** How many files are looked at in one go. */
const AT_ONCE = 64;

/** The repository itself: its history may hold what was deleted since, and its configuration may hold logins. */
const isRepositoryName = (name: string): boolean => name.toLowerCase() === ".git";

/**
 * What of a folder is to be uploaded. `report` hears how many files were found so far.
 * @throws AppError `rejected` if the folder can't be read or holds too much; the signal's reason.
 */
export async function listUpload(
  folder: string,
  signal: AbortSignal,
  report: (files: number) => void = () => undefined,
  limits: UploadLimits = LIMITS,
): Promise<UploadList> {
  const walk = new Walk(folder, signal, report, limits);
  return await walk.run();
}

interface Found {
  readonly name: string;
  readonly isFolder: boolean;
  readonly isFile: boolean;
  readonly isLink: boolean;
}

class Walk {
  readonly #root: string;
  readonly #signal: AbortSignal;
  readonly #report: (files: number) => void;
  readonly #limits: UploadLimits;
  readonly #turns: Turns;
  readonly #files: UploadFile[] = [];
  readonly #folders: string[] = [];
  readonly #secrets: string[] = [];
  readonly #unreadable: string[] = [];
  #bytes = 0;
  #links = 0;
  #specials = 0;
  #looked = 0;

  constructor(root: string, signal: AbortSignal, report: (files: number) => void, limits: UploadLimits) {
    this.#root = root;
    this.#signal = signal;
    this.#report = report;
    this.#limits = limits;
    this.#turns = new Turns(signal);
  }

  async run(): Promise<UploadList> {
    const parts = (await realpath(this.#root).catch(() => this.#root)).split(sep);
    // What a folder of keys or a repository holds looks like anything, however deep in it.
    const at = parts.findIndex((part) => isSecretPath(part, true) || isRepositoryName(part));
    if (at >= 0) this.#secrets.push(`${parts.slice(at).join("/")}/`);
    else await this.#enter("", await IgnoreRules.open(this.#root, this.#turns), 0);
    return {
      files: this.#files,
      folders: this.#folders,
      bytes: this.#bytes,
      secrets: this.#secrets,
      links: this.#links,
      specials: this.#specials,
      unreadable: this.#unreadable,
    };
  }

  async #enter(path: string, rules: IgnoreRules, depth: number): Promise<void> {
    if (depth > this.#limits.depth)
      throw new AppError(
        "rejected",
        t("“{0}” has folders nested more than {1} levels deep.", toPlainText(this.#root), this.#limits.depth),
      );
    const found = await this.#read(path);
    const files: string[] = [];
    const folders: string[] = [];
    for (const one of found) {
      await this.#turns.take();
      const child = path + one.name;
      if (isRepositoryName(one.name) || isDownloadFolder(one.name) || rules.excludes(one.name, one.isFolder)) continue;
      if (isSecretPath(child, one.isFolder)) this.#secrets.push(one.isFolder ? `${child}/` : child);
      else if (one.isFolder) folders.push(one.name);
      else if (one.isFile) files.push(child);
      else if (one.isLink) this.#links += 1;
      else this.#specials += 1;
    }
    await this.#measure(files);
    for (const name of folders) {
      const child = path + name;
      this.#folders.push(child);
      this.#assertNotTooMany();
      await this.#turns.take();
      await this.#enter(`${child}/`, await rules.enter(name, join(this.#root, child)), depth + 1);
    }
  }

  /** What lies in a folder, sorted by name: the same folder makes the same list. */
  async #read(path: string): Promise<readonly Found[]> {
    const found: Found[] = [];
    try {
      for await (const one of await opendir(join(this.#root, path))) {
        this.#looked += 1;
        this.#assertNotTooMany();
        if (this.#looked % 256 === 0) this.#signal.throwIfAborted();
        found.push({
          name: one.name,
          isFolder: one.isDirectory(),
          isFile: one.isFile(),
          isLink: one.isSymbolicLink(),
        });
      }
    } catch (error) {
      if (error instanceof AppError || this.#signal.aborted) throw error;
      if (path !== "") this.#unreadable.push(path);
      else
        throw new AppError("rejected", t("The folder “{0}” can't be read.", toPlainText(this.#root)), { cause: error });
    }
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async #measure(paths: readonly string[]): Promise<void> {
    for (let at = 0; at < paths.length; at += AT_ONCE) {
      this.#signal.throwIfAborted();
      const some = paths.slice(at, at + AT_ONCE);
      const stats = await Promise.all(some.map((path) => lstat(join(this.#root, path)).catch(() => undefined)));
      for (const [index, path] of some.entries()) {
        const stat = stats[index];
        // It became something else.
        if (stat && !stat.isFile()) continue;
        // What vanished, or has a name that is no text, can't be read later either, and is named then.
        const { size, mode } = stat ?? { size: 0, mode: 0 };
        if (mayBePrivateKey(path) && (await holdsPrivateKey(join(this.#root, path), size))) {
          this.#secrets.push(path);
          continue;
        }
        this.#files.push({ path, size, isExecutable: (mode & 0o111) !== 0 });
        this.#bytes += size;
      }
      this.#assertNotTooMany();
      this.#report(this.#files.length);
    }
  }

  #assertNotTooMany(): void {
    const { files, looked } = this.#limits;
    if (this.#files.length + this.#folders.length <= files && this.#looked <= looked) return;
    throw new AppError(
      "rejected",
      t(
        "“{0}” has more than {1} files. Exclude some with a .cloudgpuignore file, which works like a .gitignore file.",
        toPlainText(this.#root),
        formatNumber(files),
      ),
    );
  }
}
