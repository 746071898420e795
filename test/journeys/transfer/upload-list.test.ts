// What a folder's own rules keep out of an upload: the same as git itself keeps out, and nothing that looks secret goes.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFile, cp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { listUpload } from "../../../src/services/transfer/list-upload.ts";
import { seeded } from "../../fuzz/answers.ts";
import { assertInTurns, measureTurns } from "../../longest-turn.ts";
import { HAS_GIT, listByGit, NEVER, pathsOf, plant, REPOSITORY, runGit } from "./git-oracle.ts";

test("a project goes without its repository, what its rules name, and what looks secret", async () => {
  const folder = await plant({
    ...REPOSITORY,
    ".git/info/exclude": "notes.txt\n",
    ".gitignore": "*.log\n/build/\n!keep.log\nnode_modules\n",
    ".cloudgpuignore": "data/\n!build/\nlarge.bin\n",
    "train.py": "x",
    "debug.log": "x",
    "keep.log": "x",
    "notes.txt": "x",
    "build/out.o": "x",
    "data/a.csv": "x",
    "large.bin": "x",
    "src/.gitignore": "!debug.log\ngenerated\n",
    "src/debug.log": "x",
    "src/generated": "x",
    "src/deep/generated/x": "x",
    "src/node_modules/a/index.js": "x",
    ".env": "KEY=1",
    ".aws/credentials": "x",
    "src/id_ed25519": "x",
  });
  await symlink("/etc/passwd", join(folder, "link"));
  await symlink(tmpdir(), join(folder, "folder link"));
  if (process.platform !== "win32") spawnSync("mkfifo", [join(folder, "pipe")]);
  const list = await listUpload(folder, NEVER);
  assert.deepEqual(
    list.files.map(({ path }) => path),
    [".cloudgpuignore", ".gitignore", "keep.log", "train.py", "build/out.o", "src/.gitignore", "src/debug.log"],
  );
  assert.deepEqual(list.folders, ["build", "src", "src/deep"]);
  assert.deepEqual(list.secrets, [".aws/", ".env", "src/id_ed25519"]);
  assert.deepEqual([list.links, list.specials], [2, process.platform === "win32" ? 0 : 1]);
});

test("a folder within a repository follows the rules above it, but not one that names itself", async () => {
  const folder = await plant({
    ...REPOSITORY,
    ".gitignore": "*.tmp\nresults/\n/sub/only\n",
    "sub/a.tmp": "x",
    "sub/b.txt": "x",
    "sub/only": "x",
    "results/a.tmp": "x",
    "results/b.txt": "x",
  });
  assert.deepEqual(await pathsOf(join(folder, "sub")), ["b.txt"]);
  assert.deepEqual(await pathsOf(join(folder, "results")), ["a.tmp", "b.txt"]);
});

test("a folder that looks secret keeps all of it, also when it is chosen itself or by a link", async () => {
  const folder = await plant({ ".docker/config.json": "{}", ".KUBE/config": "x" });
  await symlink(join(folder, ".docker"), join(folder, "link"));
  for (const [name, kept] of Object.entries({ ".docker": ".docker/", ".KUBE": ".KUBE/", link: ".docker/" })) {
    const { files, secrets } = await listUpload(join(folder, name), NEVER);
    assert.deepEqual([files, secrets], [[], [kept]]);
  }
});

test("a folder that is only named like a key goes, and files in it or beside it are judged by what they hold", async () => {
  const key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjE\n";
  const going = {
    "data/id_val/1.png": "x",
    "data/id_rsa_images/1.png": "x",
    "data/id_list": "0001\n0002\n",
    "data/id_rsa_results.csv": "time,size\n",
    "envs/lander.env/main.py": "x",
    "exams/answers.key/1.txt": "x",
    id_large: `${"x".repeat(70_000)}\n${key}`,
  };
  const staying = {
    id_work: key,
    "data/id_val/id_ed25519": "x",
    "data/id_rsa.old": key,
    "data/id_note": `# mine\n${key}`,
    "tls.key": "x",
  };
  const folder = await plant({ ...going, ...staying });
  const { files, secrets } = await listUpload(folder, NEVER);
  assert.deepEqual(files.map(({ path }) => path).sort(), Object.keys(going).sort());
  assert.deepEqual([...secrets].sort(), Object.keys(staying).sort());
  assert.deepEqual(await pathsOf(join(folder, "data/id_rsa_images")), ["1.png"], "also when it is chosen itself");
});

test("a folder within one that looks secret keeps all of it, however deep and by whatever link", async () => {
  const paths = [".aws/sso/cache", ".ssh/old", ".Kube/cache/a/b", "gcloud/logs", "in/.gnupg/x", ".env/y"];
  const repositories = [".git/objects/00", "in/.git", "on/.GIT/refs"];
  const folder = await plant(Object.fromEntries([...paths, ...repositories].map((path) => [`${path}/1.json`, "x"])));
  for (const path of [...paths, ...repositories]) {
    const link = join(folder, `link ${path.replaceAll("/", " ")}`);
    await symlink(join(folder, dirname(path)), link);
    for (const way of [join(folder, path), join(link, basename(path)), join(folder, path, "..", basename(path))]) {
      const { files, secrets } = await listUpload(way, NEVER);
      assert.deepEqual([files, secrets], [[], [`${path.replace(/^[io]n\//, "")}/`]], way);
    }
  }
  assert.deepEqual(await pathsOf(join(await plant({ "aws/sso/a": "x", ".gitlab/b": "x" }), "aws")), ["sso/a"]);
});

test("a repository's configuration is not followed: nothing of it runs", async () => {
  const folder = await plant({ ...REPOSITORY, "a.txt": "x" });
  const canary = join(folder, "canary");
  await writeFile(join(folder, ".git/config"), `[core]\n  fsmonitor = touch ${canary}\n  hooksPath = .\n`);
  assert.deepEqual(await pathsOf(folder), ["a.txt"]);
});

test("what is too much, too deep or made to take forever is refused in a sentence", async () => {
  const folder = await plant(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`d${at % 3}/${at}`, "x"])));
  const limits = { files: 20, looked: 1000, depth: 5 };
  await assert.rejects(listUpload(folder, NEVER, undefined, limits), /has more than 20 files\. Exclude some/);
  await assert.rejects(listUpload(folder, NEVER, undefined, { ...limits, files: 99, looked: 10 }), /has more than/);
  const deep = await plant({ "a/b/c/d/e/f/g": "x" });
  await assert.rejects(listUpload(deep, NEVER, undefined, limits), /folders nested more than 5 levels deep/);
  const slow = await plant({ ".gitignore": "ok\n*a*a*a*a*a*a*a*b\n", [`${"a".repeat(200)}`]: "x" });
  await assert.rejects(listUpload(slow, NEVER), /^AppError: Line 2 of .*\.gitignore has too many wildcards/);
  const long = await plant({ ".gitignore": "x\n".repeat(6000) });
  await assert.rejects(listUpload(long, NEVER), /has too many lines/);
  await assert.rejects(listUpload(join(folder, "nowhere"), NEVER), /can't be read/);
});

test("rules with double stars keep nobody waiting in a deep folder", async () => {
  const deep = (part: string, rules: string) =>
    plant({ ".gitignore": rules, [`${`${part}/`.repeat(90)}x`]: "x", [`${part}/.gitignore`]: rules });
  const name = "a".repeat(30);
  const lines = (rule: string, count: number) => Array.from({ length: count }, (_, at) => `${rule}${at}\n`).join("");
  await assert.rejects(
    listUpload(await deep(name, "**/*a*a/**/*a*a/**/*b"), NEVER),
    /Line 1 of .* has too many wildcards/,
  );
  const before = process.cpuUsage();
  assert.equal((await listUpload(await deep(name, lines("**/*a*a/**/*b", 5)), NEVER)).files.length, 3);
  const { user } = process.cpuUsage(before);
  assert.ok(user < 3e6, `10 lines of a workspace kept the editor busy for ${Math.round(user / 1e6)} s`);
  await assert.rejects(listUpload(await deep("a", lines("**/*a/**/*b", 51)), NEVER), /two “\*\*” apply to .*a, so/);
});

test("rules of many folders together keep nobody waiting, and too many are refused", async () => {
  const lines = (count: number, like: string) => Array.from({ length: count }, (_, at) => `${like}${at}\n`).join("");
  const nested = (folders: number, count: number, like: string) => {
    const names = Array.from({ length: 60 }, (_, at) => [`${"a/".repeat(folders)}${"x".repeat(200)}${at}`, "x"]);
    const rules = Array.from({ length: folders }, (_, at) => "a/".repeat(at + 1)).flatMap((at) =>
      [".gitignore", ".cloudgpuignore"].map((name) => [at + name, lines(count, like)]),
    );
    return plant(Object.fromEntries([...names, ...rules]));
  };
  const refused = /Too many ignore rules apply to .*[a…], so nothing was uploaded/;
  await assert.rejects(listUpload(await nested(10, 4999, "*a*b*c*"), NEVER), refused);
  await assert.rejects(listUpload(await nested(100, 16, "a"), NEVER), refused);
  await assert.rejects(listUpload(await nested(2, 751, "x"), NEVER), refused);
  for (const [folders, count, like] of [
    [1, 1500, "*x*x*x*b"],
    [10, 150, "*a*b*c*"],
    [50, 30, "a/**/b"],
    [100, 15, "/x"],
  ] as const) {
    const folder = await nested(folders, count, like);
    const measured = await measureTurns(() => listUpload(folder, NEVER));
    assert.equal(measured.result.files.length, 60 + 2 * folders);
    assertInTurns(measured, `${folders} folders with ${count} rules`);
  }
  // A folder that is chosen far down reads the rules above it: those of two folders are enough to refuse it.
  for (const [folders, count, like] of [
    [10, 4999, "*a*b*c*"],
    [30, 1400, "*x*x*x*b"],
    [40, 74, "x"],
  ] as const) {
    const inner = join(await nested(folders, count, like), "a/".repeat(folders).slice(0, -1));
    await cp(await plant(REPOSITORY), join(inner, "../".repeat(folders)), { recursive: true });
    const measured = await measureTurns(() => assert.rejects(listUpload(inner, NEVER), refused));
    assertInTurns(measured, `${count} rules in each of ${folders} folders above`);
  }
  const noted = await plant({
    ".gitignore": `${"# a note\n\n".repeat(2400)}b\n`,
    "a/.gitignore": lines(2999, "y"),
    "a/b": "",
  });
  assert.deepEqual(await pathsOf(noted), [".gitignore", "a/.gitignore"], "what is no rule doesn't count");
});

test("a person who cancels stops it", async () => {
  const folder = await plant(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`${at}`, "x"])));
  const abort = new AbortController();
  await assert.rejects(
    listUpload(folder, abort.signal, () => abort.abort()),
    { name: "AbortError" },
  );
});

const RULES = [
  ...[
    "a",
    "/a",
    "a/",
    "*.log",
    "!x.log",
    "build/",
    "!build/",
    "/build",
    "b/c",
    "b/*",
    "!b/c",
    "**/c",
    "a/**",
    "c/**/a",
  ],
  ...["!a/", "[ab]", "?", "two words", "\\!x", "# a", "", "*", "!*/", "!/a", "a/**/b", "*.l?g"],
];
/** Stars beside other signs, which mean what no one would guess. */
const STARS = [
  ...["a**/b", "!a**/b", "b**/x.log", "**a/b", "a/**b/c", "b/x**", "!b/x**", "***/c", "a***", "build**/c", "/a**/c/a"],
  ...["a/b**/c", "\\a**/b", "[a]**/b", "?**/b", "a**/**/b", "a**", "!**", "# * * * * * *", "#a/**/**/**/**", "c**/"],
];

/** A tree of any names with any of these rules in some of its folders. */
function drawTree(seed: number, from: readonly string[]) {
  const NAMES = ["a", "b", "c", "x.log", "y.log", "build", "two words", "größe"];
  const random = seeded(seed);
  const any = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const tree: Record<string, string> = {};
  const path = () => Array.from({ length: 1 + Math.floor(random() * 4) }, () => any(NAMES)).join("/");
  for (let count = 0; count < 25; count += 1) {
    const one = path();
    const clashes = Object.keys(tree).some((other) => other.startsWith(`${one}/`) || one.startsWith(`${other}/`));
    if (!clashes) tree[one] = "x";
  }
  const folders = [...new Set(Object.keys(tree).map((one) => dirname(one)))];
  const rules = () => `${Array.from({ length: 1 + Math.floor(random() * 4) }, () => any(from)).join("\n")}\n`;
  for (const one of [".", any(folders), any(folders)]) tree[join(one, ".gitignore")] = rules();
  return { tree, exclude: rules(), nested: any(folders), rules };
}

test("100 trees of any rules: the list is what git itself would add", {
  skip: !HAS_GIT && "git is not installed",
}, async () => {
  for (let seed = 1; seed <= 100; seed += 1) {
    const { tree, exclude } = drawTree(seed, RULES);
    const folder = await plant(tree);
    runGit(folder, "init", "-q");
    await writeFile(join(folder, ".git/info/exclude"), exclude);
    assert.deepEqual(await pathsOf(folder), listByGit(folder).toSorted(), `seed ${seed}: ${JSON.stringify(tree)}`);
  }
});

/** How many trees of repositories within others are compared; `TREES=2000` compares more. */
const TREES = Number(process.env.TREES ?? 150);

test("trees with repositories within them, submodules, worktrees and odd stars: what git itself would add", {
  skip: !HAS_GIT && "git is not installed",
}, async () => {
  for (let seed = 1; seed <= TREES; seed += 1) {
    const { tree, exclude, nested, rules } = drawTree(seed, seed % 3 === 0 ? RULES : [...STARS, ...RULES.slice(0, 8)]);
    const folder = await plant(tree);
    const outside = await plant({});
    const kind = ["repository", "submodule", "worktree"][seed % 3];
    if (kind === "worktree") {
      runGit(outside, "init", "-q");
      runGit(outside, "commit", "-q", "--allow-empty", "-m", "first");
      runGit(outside, "worktree", "add", "-q", join(outside, "tree"));
      await writeFile(join(outside, ".git/info/exclude"), exclude);
      await copyFile(join(outside, "tree/.git"), join(folder, ".git"));
      await writeFile(join(outside, ".git/worktrees/tree/gitdir"), join(folder, ".git\n"));
    } else {
      runGit(folder, "init", "-q");
      await writeFile(join(folder, ".git/info/exclude"), exclude);
    }
    if (nested !== ".") {
      const inside = join(folder, nested);
      runGit(inside, "init", "-q", ...(kind === "submodule" ? ["--separate-git-dir", join(outside, "modules")] : []));
      const git = kind === "submodule" ? join(outside, "modules") : join(inside, ".git");
      await writeFile(join(git, "info/exclude"), rules());
    }
    assert.deepEqual(
      await pathsOf(folder),
      listByGit(folder).toSorted(),
      `seed ${seed}, ${kind}: ${nested} ${JSON.stringify([exclude, tree])}`,
    );
  }
});

/** The ways that git writes down what it tracks. */
const INDEXES: readonly (readonly string[])[] = [
  ["--index-version", "2"],
  ["--index-version", "3"],
  ["--index-version", "4"],
  ["--split-index"],
];

test("what git tracks goes whatever its rules say: what git itself would add", {
  skip: !HAS_GIT && "git is not installed",
}, async () => {
  let forced = 0;
  for (let seed = 1; seed <= TREES; seed += 1) {
    const { tree, exclude, nested } = drawTree(seed + 5000, RULES);
    const random = seeded(seed);
    const folder = await plant(tree);
    runGit(folder, "init", "-q", `--object-format=${seed % 5 === 0 ? "sha256" : "sha1"}`);
    await writeFile(join(folder, ".git/info/exclude"), exclude);
    if (nested !== "." && seed % 2 === 0) {
      runGit(join(folder, nested), "init", "-q", `--object-format=${seed % 5 === 0 ? "sha256" : "sha1"}`);
      runGit(join(folder, nested), "commit", "-q", "--allow-empty", "-m", "first");
      runGit(folder, "add", "-f", nested);
    }
    const tracked = Object.keys(tree).filter(() => random() < 0.2);
    const [later = "a", ...sooner] = tracked;
    const before = new Set(listByGit(folder));
    runGit(folder, "update-index", ...(INDEXES[seed % INDEXES.length] ?? []));
    for (const one of sooner) runGit(folder, "add", "-f", "--", one);
    if (seed % INDEXES.length === 3) runGit(folder, "update-index", "--split-index");
    // What is only meant to be added has flags of its own.
    runGit(folder, "add", "-f", ...(seed % 3 === 0 ? ["-N"] : []), "--", later);
    const wanted = listByGit(folder);
    forced += wanted.filter((one) => !before.has(one)).length;
    assert.deepEqual(
      await pathsOf(folder),
      wanted.toSorted(),
      `seed ${seed}: ${nested} ${JSON.stringify([tracked, exclude, tree])}`,
    );
  }
  assert.ok(forced > TREES / 2, `${forced} files went because git tracks them`);
});

test("an index that is cut short, foreign or no file tracks no more than it says, and keeps nobody waiting", {
  skip: !HAS_GIT && "git is not installed",
}, async () => {
  const folder = await plant({ ".gitignore": "*\n", a: "x", "b/c": "x", "b/größe": "x" });
  runGit(folder, "init", "-q");
  runGit(folder, "add", "-f", "a", "b");
  const index = join(folder, ".git/index");
  const whole = await readFile(index);
  const all = ["a", "b/c", "b/größe"];
  assert.deepEqual(await pathsOf(folder), all);
  for (let length = 0; length < whole.length; length += 1) {
    await writeFile(index, whole.subarray(0, length));
    const found = await pathsOf(folder);
    assert.deepEqual(found, all.slice(0, found.length), `cut to ${length}`);
  }
  const random = seeded(7);
  for (let time = 0; time < 300; time += 1) {
    const spoiled = Buffer.from(whole);
    for (let count = 0; count < 4; count += 1)
      spoiled[Math.floor(random() * whole.length)] = Math.floor(random() * 256);
    await writeFile(index, spoiled);
    await pathsOf(folder);
  }
  await writeFile(
    index,
    Buffer.concat([Buffer.from("DIRC\0\0\0\x02\xff\xff\xff\xff", "latin1"), Buffer.alloc(5_000_000)]),
  );
  assert.deepEqual(await pathsOf(folder), []);
  // Each name of a gigabyte is the one before it without its last letter, and another.
  const entry = (strip: number, name: string) =>
    Buffer.concat([Buffer.alloc(62), Buffer.from([strip]), Buffer.from(`${name}\0`)]);
  const more = Array.from({ length: 20_000 }, (_, at) => entry(6, String(at).padStart(6, "0")));
  const head = Buffer.from("DIRC\0\0\0\x04\0\0\x4e\x21", "latin1");
  await writeFile(index, Buffer.concat([head, entry(0, `${"deep/".repeat(10_000)}000000`), ...more]));
  assert.deepEqual(await pathsOf(folder), []);
  await rm(index);
  spawnSync("mkfifo", [index]);
  assert.deepEqual(await pathsOf(folder), []);
});

test("rules that git knows nothing of hold in a repository within one, too", async () => {
  const folder = await plant({
    ...REPOSITORY,
    ".gitignore": "*.log\n",
    ".cloudgpuignore": "*.bin\n",
    ...Object.fromEntries(Object.entries(REPOSITORY).map(([path, text]) => [`sub/${path}`, text])),
    "sub/a.log": "x",
    "sub/b.bin": "x",
  });
  assert.deepEqual(await pathsOf(folder), [".cloudgpuignore", ".gitignore", "sub/a.log"]);
});
