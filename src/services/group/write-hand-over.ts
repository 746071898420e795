// Writes the files of a group into a folder of the person's. What is there and isn't as we wrote it belongs to them.
import { createHash } from "node:crypto";
import { lstat, mkdir, readFile, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";
import * as z from "zod";
import { AppError } from "../../domain/base/error.ts";
import { GROUP_ID } from "../../domain/group/group-record.ts";
import type { HandedFile, HandOver } from "../../domain/group/hand-over/group-host.ts";
import { MANIFEST } from "../../domain/group/hand-over/hand-over.ts";
import type { Clock } from "../../lib/clock.ts";
import { t } from "../../lib/text.ts";
import { replaceFile } from "../core/book/replace-file.ts";

/** Remembers what was written: any program of this computer can change it, and so can a person. */
const Manifest = z.object({
  version: z.literal(1),
  group: z.string().regex(GROUP_ID),
  /** By name, the digest of what was written. */
  files: z.record(z.string().max(100), z.string().max(64)),
});
type Manifest = z.infer<typeof Manifest>;

/** Bytes of a file that is compared. */
const LARGEST = 1_000_000;

const digest = (text: string | Buffer): string => createHash("sha256").update(text).digest("hex");

async function readManifest(folder: string): Promise<Manifest | undefined> {
  try {
    return Manifest.safeParse(JSON.parse(await readFile(join(folder, MANIFEST), "utf8"))).data;
  } catch {
    return undefined;
  }
}

type Written = Extract<HandedFile, { text: string }>;

/**
 * Names of files in the folder that would be replaced although they aren't as we wrote them.
 * @throws AppError `rejected` if the folder has the files of another group, or can't be read.
 */
export async function findForeignFiles(
  folder: string,
  { id }: Pick<HandOver, "id">,
  files: readonly Written[],
): Promise<readonly string[]> {
  const manifest = await readManifest(folder);
  if (manifest && manifest.group !== id)
    throw new AppError("rejected", t("The folder {0} contains files of another group. Choose another folder.", folder));
  const foreign: string[] = [];
  for (const { name, text } of files) {
    const there = await readThere(join(folder, name));
    if (there === undefined || there === digest(text)) continue;
    if (manifest?.files[name] !== there) foreign.push(name);
  }
  return foreign;
}

/** The digest of an ordinary file; undefined if there is none. Anything else never is as we wrote it. */
async function readThere(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw unwritable(path, error);
  });
  if (!found) return undefined;
  if (!found.isFile() || found.size > LARGEST) return "other";
  return digest(await readFile(path));
}

/**
 * Each file is replaced as a whole. `root`: the folder must stay within it, whatever links there are.
 * @throws AppError `rejected` if the folder is elsewhere or can't be written; the files that were written before stay.
 */
export async function writeFiles(
  { folder, root, clock }: { readonly folder: string; readonly root: string | undefined; readonly clock: Clock },
  { id }: Pick<HandOver, "id">,
  files: readonly Written[],
): Promise<void> {
  try {
    if (root !== undefined) await assertNoLinkOut(folder, root);
    await mkdir(folder, { recursive: true });
    if (root !== undefined) await assertWithin(folder, root);
    const before = await readManifest(folder);
    const known = before?.group === id ? before.files : {};
    const manifest: Manifest = {
      version: 1,
      group: id,
      files: { ...known, ...Object.fromEntries(files.map(({ name, text }) => [name, digest(text)])) },
    };
    for (const { name, text, isProgram } of files)
      await replaceFile({ path: join(folder, name), text, mode: isProgram ? 0o755 : 0o644 }, clock);
    await replaceFile({ path: join(folder, MANIFEST), text: `${JSON.stringify(manifest)}\n`, mode: 0o644 }, clock);
  } catch (error) {
    throw error instanceof AppError ? error : unwritable(folder, error);
  }
}

/** Before any folder is made: on the other side of a link, it would be made outside. */
async function assertNoLinkOut(folder: string, root: string): Promise<void> {
  const existing = await findExisting(folder);
  if (relative(root, existing) !== "") await assertWithin(existing, root);
}

/** The folder, or the nearest one above it that is there. A link that leads nowhere is no folder. */
async function findExisting(folder: string): Promise<string> {
  const isThere = await realpath(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : await findExisting(dirname(folder));
}

/** A link in a workspace must not lead the files out of it. */
async function assertWithin(folder: string, root: string): Promise<void> {
  const path = relative(await realpath(root), await realpath(folder));
  if (path !== "" && !path.startsWith("..") && !isAbsolute(path)) return;
  throw new AppError("rejected", t("The folder {0} is a link to another place. Choose another folder.", folder));
}

function unwritable(path: string, error: unknown): AppError {
  const code = String((error as { code?: unknown })?.code ?? "");
  return new AppError(
    "rejected",
    t("{0} can't be written ({1}). Check its permissions and the free space.", path, code),
    {
      cause: error,
    },
  );
}
