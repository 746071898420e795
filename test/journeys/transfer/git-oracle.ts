// A folder to upload, and what git itself would add of it.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { listUpload } from "../../../src/services/transfer/list-upload.ts";
import { cleanUp } from "../support.ts";

// Whoever runs the tests may have rules of their own.
process.env.HOME = await mkdtemp(join(tmpdir(), "cloud-gpu-home-"));
process.env.USERPROFILE = process.env.HOME;
process.env.XDG_CONFIG_HOME = "";
export const HOME = process.env.HOME;
cleanUp(() => rm(HOME, { recursive: true, force: true }));

export const NEVER = new AbortController().signal;

/** The least that git takes for a repository. */
export const REPOSITORY = { ".git/HEAD": "ref: refs/heads/main\n", ".git/objects/info/none": "", ".git/refs/none": "" };

export async function plant(tree: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-list-"));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(tree)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

export const pathsOf = async (folder: string) => (await listUpload(folder, NEVER)).files.map(({ path }) => path).sort();

export const HAS_GIT = spawnSync("git", ["--version"]).error === undefined;

export const runGit = (folder: string, ...args: string[]) =>
  spawnSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    encoding: "utf8",
  }).stdout;

/** What git would add of a repository, and of those within it. */
export function listByGit(folder: string): readonly string[] {
  const found = runGit(folder, "ls-files", "-co", "--exclude-standard", "-z").split("\0");
  return found.flatMap((one) => {
    const isFolder = one !== "" && statSync(join(folder, one)).isDirectory();
    if (!isFolder) return one === "" ? [] : [one];
    return listByGit(join(folder, one)).map((inside) => `${one.replace(/\/$/, "")}/${inside}`);
  });
}
