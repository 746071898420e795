// What a repository's own files say of where it came from. Git itself is never run.
import { join } from "node:path";
import {
  findPackedCommit,
  type GitOrigin,
  readBranch,
  readCommit,
  readOriginUrl,
  toPublicUrl,
} from "../../domain/transfer/git-origin.ts";
import { findGitFolder, type GitFolder, readGitText } from "./git-folder.ts";

const findBranch = async ({ own }: GitFolder): Promise<string | undefined> =>
  readBranch(await readGitText(join(own, "HEAD")));

/** The branch that git is on, pushed or not, in a folder that is the top one of a repository. */
export async function findGitBranch(folder: string): Promise<string | undefined> {
  const git = await findGitFolder(folder);
  return git && (await findBranch(git));
}

/** Of a folder that is the top one of a repository; undefined where its branch isn't known to be on a public address. */
export async function findGitOrigin(folder: string): Promise<GitOrigin | undefined> {
  const git = await findGitFolder(folder);
  if (!git) return undefined;
  const branch = await findBranch(git);
  const given = readOriginUrl(await readGitText(join(git.common, "config")));
  const url = given === undefined ? undefined : toPublicUrl(given);
  if (branch === undefined || url === undefined) return undefined;
  const reference = `refs/remotes/origin/${branch}`;
  const commit =
    readCommit(await readGitText(join(git.common, ...reference.split("/")))) ??
    findPackedCommit(await readGitText(join(git.common, "packed-refs")), reference);
  return commit === undefined ? undefined : { url, branch, commit };
}
