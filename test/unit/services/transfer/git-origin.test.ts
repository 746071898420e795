// Where a repository came from is what git says, in every state in which git leaves its files.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { findGitBranch, findGitOrigin } from "../../../../src/services/transfer/git-origin.ts";

const skip = spawnSync("git", ["--version"], { stdio: "ignore" }).status !== 0 && "needs git";
const root = mkdtempSync(join(tmpdir(), "cloud-gpu-origin-"));
after(() => rmSync(root, { recursive: true, force: true }));

function git(folder: string, ...args: readonly string[]): string {
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
  const done = spawnSync("git", [...who, ...args], { cwd: folder, encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout.trim();
}

function makeClone(name: string): string {
  const [upstream, folder] = [join(root, `${name}.git`), join(root, name)];
  git(root, "init", "-q", "-b", "main", "--bare", upstream);
  git(root, "clone", "-q", upstream, folder);
  git(folder, "checkout", "-q", "-B", "main");
  commit(folder, "one");
  git(folder, "push", "-q", "origin", "main");
  git(folder, "remote", "set-url", "origin", `git@git.example:me/${name}.git`);
  return folder;
}

function commit(folder: string, text: string): void {
  writeFileSync(join(folder, "a.txt"), text);
  git(folder, "add", "a.txt");
  git(folder, "commit", "-q", "-m", text);
}

test("a clone's is the commit that was pushed last, wherever git keeps it", { skip }, async () => {
  const folder = makeClone("plain");
  const expected = () => ({
    url: "https://git.example/me/plain.git",
    branch: "main",
    commit: git(folder, "rev-parse", "refs/remotes/origin/main"),
  });
  assert.deepEqual(await findGitOrigin(folder), expected());
  commit(folder, "two");
  assert.deepEqual(await findGitOrigin(folder), expected(), "what wasn't pushed isn't there");
  git(folder, "pack-refs", "--all");
  assert.deepEqual(await findGitOrigin(folder), expected());
  const tree = join(root, "tree");
  git(folder, "worktree", "add", "-q", "-b", "other", tree);
  assert.equal(await findGitOrigin(tree), undefined, "its branch was never pushed");
  assert.deepEqual(
    [await findGitBranch(tree), await findGitBranch(folder), await findGitBranch(root)],
    ["other", "main", undefined],
  );
  git(folder, "update-ref", "refs/remotes/origin/other", "HEAD");
  assert.equal((await findGitOrigin(tree))?.commit, git(tree, "rev-parse", "HEAD"));
});

test("there is none without a branch, a public address, or a repository", { skip }, async () => {
  const folder = makeClone("bare");
  git(folder, "checkout", "-q", "--detach");
  assert.equal(await findGitOrigin(folder), undefined);
  git(folder, "checkout", "-q", "main");
  git(folder, "remote", "set-url", "origin", join(root, "bare.git"));
  assert.equal(await findGitOrigin(folder), undefined);
  assert.equal(await findGitOrigin(root), undefined);
});
