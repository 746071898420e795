// Names in an archive that someone else's machine packed: which of them may become files of this computer.

/** Of a path: characters, and parts. Of a part: bytes, which is what file systems hold. */
const MOST = { characters: 2000, parts: 64, bytes: 255 };

/** Windows reads a name like these as a device, whatever follows the first dot. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:\.|$)/i;

/** A drive or a stream of a file, and what no name on Windows holds. A dot or a space at the end is dropped there. */
const NOT_ON_WINDOWS = /[<>:"|?*]|[. ]$/;

/** Control characters, line breaks that only some programs see, bytes that were no text, and halves of characters. */
const UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029\ufffd]/u;

/**
 * Programs that keep versions run what a repository's files tell them to, and editors run git in every folder. By the names of the folders
 * without what stands before.
 */
const VERSION_PROGRAMS: ReadonlyMap<string, string> = new Map([
  ["git", "git"],
  ["hg", "Mercurial"],
  ["svn", "Subversion"],
  ["jj", "Jujutsu"],
  ["bzr", "Bazaar"],
  ["sl", "Sapling"],
  ["pijul", "Pijul"],
  ["_darcs", "Darcs"],
]);

/** With the short names of Windows. */
const REPOSITORY = /^(?:\.(?<hidden>[a-z]+)|(?<short>[a-z]+)~\d|(?<plain>_[a-z]+))$/;

const utf8 = new TextEncoder();

/**
 * The parts of a path in an archive, safe to join to a folder; none for the folder itself. Undefined for a path that is absolute,
 * leads out of the folder, or can't be a name here.
 */
export function readArchivePath(path: string, isWindows: boolean): readonly string[] | undefined {
  if (path.length > MOST.characters || path.startsWith("/")) return undefined;
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.length > MOST.parts) return undefined;
  return parts.every((part) => isSafeName(part, isWindows)) ? parts : undefined;
}

/** Whether this may be the name of a file or folder. A backslash separates folders on some systems, so no name holds one. */
export function isSafeName(name: string, isWindows: boolean): boolean {
  if (name === "" || name === "." || name === ".." || name.includes("\\") || name.includes("/")) return false;
  if (UNSAFE.test(name) || utf8.encode(name).length > MOST.bytes) return false;
  if (findVersionProgram(name)) return false;
  return !isWindows || !(DEVICE.test(name) || NOT_ON_WINDOWS.test(name));
}

/** Paths with the same one are the same file on systems that tell neither case nor composed characters apart. */
export function foldPath(parts: readonly string[]): string {
  return parts.join("/").normalize("NFC").toLowerCase();
}

/** The program whose repository a folder of this name is, by its most forgiving reading. */
export function findVersionProgram(name: string): string | undefined {
  const { hidden, short, plain } = REPOSITORY.exec(foldName(name))?.groups ?? {};
  return VERSION_PROGRAMS.get(hidden ?? short ?? plain ?? "");
}

/**
 * A name as the most forgiving system reads it: what can't be seen is passed over, as are dots and spaces at the end and what names a
 * stream of the file, and `ß` is `ss`.
 */
export function foldName(name: string): string {
  return name
    .replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "")
    .normalize("NFKC")
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replace(/:.*$/s, "")
    .replace(/(?<![. ])[. ]+$/, "");
}

/** `name (2)`, `name (3)` …, with the number before the ending of a file. */
export function toNumberedName(name: string, number: number): string {
  const [, stem = name, ending = ""] = /^(.+?)((?:\.tar)?\.[A-Za-z0-9]{1,8})$/.exec(name) ?? [];
  return `${stem} (${number})${ending}`;
}
