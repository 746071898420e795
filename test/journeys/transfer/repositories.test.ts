// A folder is a repository by what is in it, whatever its name: git runs what its configuration says. Git itself judges what a download
// leaves here, while it comes and once it is in its place.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { isRepository } from "../../../src/domain/transfer/repository.ts";
import type { Arrived } from "../../../src/services/transfer/download.ts";
import { assertNoRepository, findReplaced, settleDownload } from "../../../src/services/transfer/settle-download.ts";
import { Unpacker } from "../../../src/services/transfer/unpack-archive.ts";
import { seeded } from "../../fuzz/answers.ts";
import { cleanUp } from "../support.ts";
import { TAR_END, tarPart } from "./tar-maker.ts";

const HAS_GIT = spawnSync("git", ["--version"]).status === 0;
const skip = !HAS_GIT && "git is not installed";

async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-repositories-"));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Git, as an editor runs it in any folder. Repositories above the folder don't count. */
function git(folder: string, ...args: readonly string[]) {
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(folder), GIT_CONFIG_NOSYSTEM: "1", HOME: folder };
  return spawnSync("git", ["-C", folder, ...args], { encoding: "utf8", env });
}

const isGitFolder = (folder: string): boolean => git(folder, "rev-parse", "--git-dir").stdout.trim() === ".";

const isAsleep = (canary: string) => assert.ok(!existsSync(canary), "git ran what a configuration said");

async function runGitEverywhere(root: string): Promise<void> {
  git(root, "status");
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) git(join(entry.parentPath, entry.name), "status");
}

const configOf = (canary: string) =>
  `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = touch ${canary}; false\n`;

interface Piece {
  readonly name: string;
  readonly type?: string;
  readonly data?: string;
}

const repositoryAt = (at: string, canary: string): readonly Piece[] => [
  { name: `${at}HEAD`, data: "ref: refs/heads/main\n" },
  { name: `${at}config`, data: configOf(canary) },
  { name: `${at}objects/`, type: "5" },
  { name: `${at}refs/`, type: "5" },
];

async function unpack(pieces: readonly Piece[]) {
  const folder = await scratch();
  const unpacker = new Unpacker(folder);
  for (const piece of [...pieces.map((one) => tarPart(one)), TAR_END]) await unpacker.write(piece);
  await unpacker.close();
  return { folder, report: unpacker.report };
}

describe("git runs nothing", { skip }, () => {
  const SHAPES: Readonly<Record<string, (canary: string) => readonly Piece[]>> = {
    "in the folder itself": (canary) => repositoryAt("", canary),
    "in one below": (canary) => repositoryAt("out/", canary),
    "whose HEAD comes last": (canary) => [...repositoryAt("out/", canary)].reverse(),
    "whose folders are only in names of files": (canary) => [
      { name: "out/objects/00/x", data: "x" },
      { name: "out/HEAD", data: "ref: refs/heads/main\n" },
      { name: "out/config", data: configOf(canary) },
      { name: "out/refs/heads/main", data: `${"0".repeat(40)}\n` },
    ],
    "whose folders are files that can be run": (canary) => [
      ...repositoryAt("out/", canary).slice(0, 2),
      ...["objects", "refs"].map((name) => ({ name: `out/${name}`, data: "", mode: 0o755 })),
    ],
    "with its parts in another folder": (canary) => [
      ...repositoryAt("common/", canary).slice(1),
      { name: "out/HEAD", data: "ref: refs/heads/main\n" },
      { name: "out/commondir", data: "../common\n" },
    ],
    "with a HEAD of a commit": (canary) => [
      { name: "out/HEAD", data: `${"0".repeat(40)}\n` },
      ...repositoryAt("out/", canary).slice(1),
    ],
  };
  for (const [what, shape] of Object.entries(SHAPES))
    test(`of a repository ${what}, which loses its HEAD`, async () => {
      const canary = join(await scratch(), "canary");
      const pieces = shape(canary);
      const { folder, report } = await unpack(pieces);
      await runGitEverywhere(folder);
      isAsleep(canary);
      const files = pieces.filter(({ type }) => type === undefined);
      const lost = ["HEAD", "out/HEAD"].filter((path) => pieces.some(({ name }) => name === path));
      assert.deepEqual([report.files, report.names, report.paths.size], [files.length - 1, 1, files.length - 1]);
      for (const path of lost) assert.ok(!existsSync(join(folder, path)), path);
      const left = files.filter(({ name }) => !lost.includes(name));
      for (const { name, data } of left) assert.equal(await readFile(join(folder, name), "utf8"), data);
      const bytes = left.reduce((sum, { data = "" }) => sum + data.length, 0);
      assert.equal(report.bytes, bytes);
    });

  test("at any moment of 60 archives with parts of repositories in any order", async () => {
    const canary = join(await scratch(), "canary");
    let met = 0;
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = seeded(seed);
      const any = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
      const pieces = [...repositoryAt("a/", canary), ...repositoryAt("a/b/", canary), ...repositoryAt("", canary)]
        .map((piece) => ({ at: random(), piece }))
        .sort((a, b) => a.at - b.at)
        .map(({ piece }) => piece)
        .slice(0, 6 + Math.floor(random() * 7));
      const drawn = [...pieces, { name: any(["a/commondir", "a/HEAD", "a/b/head", "HEAD/x"]), data: any(["b", "."]) }];
      const folder = await scratch();
      const unpacker = new Unpacker(folder);
      const stopped = Math.floor(random() * drawn.length);
      for (const [at, piece] of drawn.entries()) {
        await unpacker.write(tarPart(piece));
        // A window that is closed now leaves the folder as it is.
        if (at === stopped) await runGitEverywhere(folder);
      }
      await unpacker.close();
      await runGitEverywhere(folder);
      isAsleep(canary);
      met += Number(unpacker.report.names > 0);
    }
    assert.ok(met > 20, `${met} archives had a repository`);
  });
});

test("what git takes for a repository is one here, in 300 drawn folders", { skip }, async () => {
  const root = await scratch();
  const ends = { both: 0, neither: 0, cautious: 0 };
  for (let seed = 1; seed <= 300; seed += 1) {
    const random = seeded(seed);
    const any = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
    const folder = join(root, String(seed));
    await mkdir(folder);
    const head = any(["ref: refs/heads/main\n", "ref: refs/heads/main\n", "0".repeat(40), "ref:refs/x", "words", ""]);
    const kind = any(["file", "file", "link", "none"]);
    if (kind === "file") await writeFile(join(folder, "HEAD"), head);
    if (kind === "link") await symlink(any(["refs/heads/main", "elsewhere"]), join(folder, "HEAD"));
    for (const name of ["objects", "refs"]) {
      const made = any(["folder", "folder", "file", "none"]);
      if (made === "folder") await mkdir(join(folder, name));
      if (made === "file") await writeFile(join(folder, name), "", { mode: any([0o644, 0o755]) });
    }
    if (random() < 0.2)
      await writeFile(join(folder, "commondir"), any([".", `../${Math.max(1, seed - 1)}`, "nowhere"]));
    if (random() < 0.5) await writeFile(join(folder, "config"), "[core]\n\tbare = true\n");
    const [said, here] = [isGitFolder(folder), isRepository(await readdir(folder))];
    assert.ok(here || !said, `seed ${seed}: git takes it for a repository`);
    if (said) ends.both += 1;
    else ends[here ? "cautious" : "neither"] += 1;
  }
  assert.ok(Math.min(...Object.values(ends)) > 20, JSON.stringify(ends));
});

test("names that only some systems take for those of a repository count as them", () => {
  for (const [head, body] of [
    ["head", "Refs"],
    ["HEAD", "REFS"],
    ["HE\u200cAD", "refs"],
    ["ＨＥＡＤ", "refſ"],
    ["Head", "commonDir"],
  ] as const)
    assert.ok(isRepository([head, body, "config"]), `${head} ${body}`);
  for (const names of [["HEAD"], ["refs", "objects", "config"], ["HEAD.txt", "refs"], ["ahead", "refs"]])
    assert.ok(!isRepository(names), names.join());
});

describe("a download into a folder that is there", { skip }, () => {
  /** What arrived, as it lies in its temporary folder. */
  async function arrive(into: string, name: string, pieces: readonly Piece[], kind: Arrived["kind"] = "folder") {
    const folder = await mkdtemp(join(into, ".arrived-"));
    const files = join(folder, "files");
    await mkdir(files);
    const unpacker = new Unpacker(files);
    for (const piece of [...pieces.map((one) => tarPart(one)), TAR_END]) await unpacker.write(piece);
    await unpacker.close();
    const path = kind === "file" ? join(files, name) : files;
    const remove = () => rm(folder, { recursive: true, force: true });
    return { folder, path, name, kind, report: unpacker.report, complaint: "", remove } satisfies Arrived;
  }

  const HEAD: Piece = { name: "HEAD", data: "ref: refs/heads/main\n" };
  const CASES: Readonly<
    Record<string, { first: (canary: string) => readonly Piece[]; later: (canary: string) => Piece[] }>
  > = {
    "that lacks only its HEAD": { first: (canary) => repositoryAt("", canary).slice(1), later: () => [HEAD] },
    "that has nothing but a HEAD": {
      first: () => [HEAD],
      later: (canary) => [...repositoryAt("", canary).slice(1)],
    },
    "where the rest is elsewhere": {
      first: (canary) => [HEAD, ...repositoryAt("common/", canary).slice(1)],
      later: () => [{ name: "commondir", data: "common" }],
    },
    "below which one lacks only its HEAD": {
      first: (canary) => repositoryAt("in/deep/", canary).slice(1),
      later: () => [{ ...HEAD, name: "in/deep/HEAD" }],
    },
  };
  for (const [what, { first, later }] of Object.entries(CASES))
    test(`${what} doesn't make a repository of it`, async () => {
      const [canary, into] = [join(await scratch(), "canary"), await scratch()];
      await settleDownload(await arrive(into, "p", first(canary)), into, []);
      const arrived = await arrive(into, "p", later(canary));
      assert.equal((await findReplaced(arrived, into)).isBlocked, true);
      await assert.rejects(settleDownload(arrived, into, []), /part of a git repository/);
      await runGitEverywhere(into);
      isAsleep(canary);
    });

  test("that is a repository writes nothing in it", async () => {
    const [canary, into] = [join(await scratch(), "canary"), await scratch()];
    spawnSync("git", ["init", "-q", "--bare", join(into, "p", "mine.git")]);
    const before = await readdir(join(into, "p", "mine.git"), { recursive: true });
    for (const piece of [
      { name: "mine.git/config.worktree", data: configOf(canary) },
      { name: "mine.git/hooks/post-checkout", data: "#!/bin/sh\n" },
      { name: "mine.git/notes.txt", data: "" },
    ]) {
      const arrived = await arrive(into, "p", [piece]);
      assert.equal((await findReplaced(arrived, into)).isBlocked, true, piece.name);
      await assert.rejects(settleDownload(arrived, into, []), /part of a git repository/);
      await arrived.remove();
    }
    assert.deepEqual(await readdir(join(into, "p", "mine.git"), { recursive: true }), before);
  });

  test("isn't made of one file either", async () => {
    const [canary, into] = [join(await scratch(), "canary"), await scratch()];
    await settleDownload(await arrive(into, "p", repositoryAt("", canary).slice(1)), into, []);
    const arrived = await arrive(join(into, "p"), "HEAD", [HEAD], "file");
    assert.deepEqual(await findReplaced(arrived, join(into, "p")), { replaced: [], isBlocked: true });
  });

  /** What brings a part of a repository into the folder `at`. */
  interface Half {
    readonly at: string;
    readonly name: string;
    readonly pieces: readonly Piece[];
    readonly kind?: Arrived["kind"];
  }
  const HEADS: Piece = { name: "heads/x", data: "" };
  const headAt = (at: string): Half => ({ at, name: "HEAD", pieces: [HEAD], kind: "file" });
  const PAIRS: Readonly<Record<string, readonly [Half, Half]>> = {
    "a file and a folder": [headAt("p"), { at: "p", name: "refs", pieces: [HEADS] }],
    "a file and a folder around it": [headAt("p"), { at: "", name: "p", pieces: [{ name: "refs/heads/x", data: "" }] }],
    "two folders": [
      { at: "", name: "p", pieces: [HEAD] },
      { at: "", name: "p", pieces: [{ name: "refs/", type: "5" }] },
    ],
    "two folders around it": [
      { at: "", name: "p", pieces: [{ ...HEAD, name: "in/HEAD" }] },
      { at: "p", name: "in", pieces: [{ name: "refs/heads/x", data: "" }] },
    ],
    "two files": [
      headAt("p"),
      { at: "p", name: "commondir", pieces: [{ name: "commondir", data: "../common" }], kind: "file" },
    ],
    "a file and one by another spelling": [
      { at: "p", name: "Head", pieces: [{ ...HEAD, name: "Head" }], kind: "file" },
      { at: "p", name: "REFS", pieces: [HEADS] },
    ],
  };
  for (const [what, pair] of Object.entries(PAIRS))
    for (const isTurned of [false, true])
      test(`beside another one that brings the rest of a repository is refused: ${what}${isTurned ? ", turned" : ""}`, async () => {
        const [canary, into] = [join(await scratch(), "canary"), await scratch()];
        for (const at of ["common", "p", "p/in"]) {
          await mkdir(join(into, at, "objects"), { recursive: true });
          await writeFile(join(into, at, "config"), configOf(canary));
        }
        await mkdir(join(into, "common/refs"));
        const halves = isTurned ? pair.toReversed() : pair;
        const arrived: Arrived[] = [];
        for (const { at, name, pieces, kind } of halves) arrived.push(await arrive(join(into, at), name, pieces, kind));
        const places = halves.map(({ at }) => join(into, at));
        // Both were looked at, and a person was asked, before either is moved.
        for (const [index, one] of arrived.entries())
          assert.equal((await findReplaced(one, places[index] ?? "")).isBlocked, false);
        const ends = await Promise.allSettled(
          arrived.map((one, index) => settleDownload(one, places[index] ?? "", [])),
        );
        assert.deepEqual(
          ends.map(({ status }) => status),
          ["fulfilled", "rejected"],
        );
        const [, late] = ends;
        assert.match(late?.status === "rejected" ? String(late.reason) : "", /part of a git repository/);
        for (const at of ["p", "p/in"]) assert.ok(!isRepository(await readdir(join(into, at))), at);
        await runGitEverywhere(into);
        isAsleep(canary);
      });

  test("isn't put where a repository was created in the meantime", async () => {
    const [canary, into] = [join(await scratch(), "canary"), await scratch()];
    for (const [name, kind] of [
      ["config.worktree", "file"],
      ["hooks", "folder"],
    ] as const) {
      const place = join(into, name, "p");
      await mkdir(place, { recursive: true });
      const pieces = [{ name: kind === "file" ? name : "post-checkout", data: configOf(canary) }];
      const arrived = await arrive(place, name, pieces, kind);
      assert.equal((await findReplaced(arrived, place)).isBlocked, false);
      spawnSync("git", ["init", "-q", "--bare", "--template=", place]);
      await assert.rejects(settleDownload(arrived, place, []), /part of a git repository/);
      assert.ok(!existsSync(join(place, name)), name);
    }
  });

  test("isn't begun within a repository's own folder, but in a work tree", async () => {
    const root = await scratch();
    spawnSync("git", ["init", "-q", join(root, "project")]);
    spawnSync("git", ["init", "-q", "--bare", join(root, "bare")]);
    for (const path of ["project/.git", "project/.git/hooks", "bare", "bare/info", "bare/refs/heads"])
      await assert.rejects(assertNoRepository(join(root, path)), /inside a git repository's own folder/, path);
    for (const [path, kind] of [
      [".hg", "Mercurial"],
      [".svn/x", "Subversion"],
      [".jj", "Jujutsu"],
      [".bzr/branch", "Bazaar"],
      [".sl", "Sapling"],
      [".pijul", "Pijul"],
      ["_darcs", "Darcs"],
      ["SVN~1/x", "Subversion"],
      ["unborn/.git", "git"],
      ["project/.git/hooks/.git", "git"],
      ["project/.git/hooks", "git"],
      ["project/.git/.hg", "Mercurial"],
      [".hg/.git/hooks", "git"],
    ] as const) {
      await mkdir(join(root, path), { recursive: true });
      const said = new RegExp(`is inside a ${kind} repository's own folder`);
      await assert.rejects(assertNoRepository(join(root, path)), said, path);
    }
    // As `git worktree add` leaves it.
    await mkdir(join(root, "bare", "main", "src"), { recursive: true });
    await writeFile(join(root, "bare", "main", ".git"), "gitdir: ../worktrees/main\n");
    for (const path of ["project", "bare/main", "bare/main/src", "."]) await assertNoRepository(join(root, path));
  });
});
