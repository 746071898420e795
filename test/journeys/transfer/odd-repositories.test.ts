// Repositories as git leaves them rarely, and folders that only look like one: the list is what git itself would add.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFile, cp, mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { seeded } from "../../fuzz/answers.ts";
import { assertInTurns, measureTurns } from "../../longest-turn.ts";
import { HAS_GIT, HOME, listByGit, pathsOf, plant, REPOSITORY, runGit } from "./git-oracle.ts";

const NEEDS_GIT = { skip: !HAS_GIT && "git is not installed" };
/** Names that Windows doesn't have, and macOS writes in its own way. */
const NEEDS_LINUX = { skip: (!HAS_GIT || process.platform !== "linux") && "git or Linux is missing" };

const NAMES = [
  ...[
    "a",
    "b",
    "ab",
    "x.log",
    "größe",
    "gro\u0308ße",
    "é",
    "😀",
    "voilà",
    "a b",
    "a ",
    " a",
    "a\t",
    "a\nb",
    "a\r",
    "a\u00a0",
  ],
  ...["-n", "#a", "!a", "\\a", "a\\b", "[a]", "[", "*", "?", "\u00a0", "\u0001", "A", "$", "^", "(a)", "{a,b}", "a.b"],
];
const RULES = [
  ...[
    "a",
    "/a",
    "a/",
    "*",
    "a*",
    "*a",
    "?",
    "??",
    "a?",
    "gr??e",
    "gr????e",
    "?????",
    "[a]",
    "[!a]",
    "[^a]",
    "[!-a]",
    "[a-c]",
  ],
  ...[
    "[]a]",
    "[[]",
    "[^]]",
    "[[:alpha:]]",
    "[[:foo:]]",
    "[a",
    "[",
    "a\\",
    "\\a",
    "\\\\a",
    "a\\b",
    "a\\\\b",
    "a\\ ",
    "a ",
    "a\t",
  ],
  ...[
    " a",
    "\t",
    "\u00a0",
    "a\u00a0",
    "voilà",
    "*à",
    "é",
    "é*",
    "[é]",
    "😀",
    "gro*",
    "\\#a",
    "#a",
    "\\!a",
    "!a",
    "!*",
    "\\*",
  ],
  ...[
    "$",
    "^",
    "(a)",
    "{a,b}",
    "a.b",
    "-n",
    "/",
    "//",
    "!",
    "a/.",
    "./a",
    "../a",
    "*/a",
    "**/a",
    "a/**",
    "/*/",
    "!/a",
    "\ufeffa",
  ],
];

test("names and rules of any signs: what git itself would add", NEEDS_LINUX, async () => {
  for (let seed = 1; seed <= Number(process.env.TREES ?? 150); seed += 1) {
    const random = seeded(seed);
    const any = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
    const rules = () =>
      Array.from({ length: 1 + Math.floor(random() * 3) }, () => any(RULES)).join(any(["\n", "\r\n"])) +
      any(["", "\n"]);
    const tree: Record<string, string> = { ".gitignore": rules() };
    for (const name of NAMES) tree[name === any(NAMES) ? `${name}/.gitignore` : `${name}/${any(NAMES)}`] = rules();
    for (const name of NAMES) tree[`files/${name}`] = "x";
    const folder = await plant(tree);
    runGit(folder, "init", "-q");
    assert.deepEqual(await pathsOf(folder), listByGit(folder).toSorted(), `seed ${seed}: ${JSON.stringify(tree)}`);
  }
});

/** What may lie where a repository would, or be one: made within a folder that is called `sub`. */
const PLACES: Readonly<Record<string, (sub: string) => Promise<unknown>>> = {
  "an empty folder": (sub) => mkdir(join(sub, ".git")),
  "a folder with only a HEAD": async (sub) => {
    await mkdir(join(sub, ".git"));
    await writeFile(join(sub, ".git/HEAD"), "ref: refs/heads/main\n");
  },
  "a HEAD that names no branch": async (sub) => {
    runGit(sub, "init", "-q");
    await writeFile(join(sub, ".git/HEAD"), "main\n");
  },
  "a HEAD that is a commit": async (sub) => {
    runGit(sub, "init", "-q");
    await writeFile(join(sub, ".git/HEAD"), `${"0123456789".repeat(4)}\n`);
  },
  "a HEAD that is a link": async (sub) => {
    runGit(sub, "init", "-q");
    await rm(join(sub, ".git/HEAD"));
    await symlink("refs/heads/main", join(sub, ".git/HEAD"));
  },
  "a folder without objects": async (sub) => {
    runGit(sub, "init", "-q");
    await rm(join(sub, ".git/objects"), { recursive: true });
  },
  "an empty file": (sub) => writeFile(join(sub, ".git"), ""),
  "a text": (sub) => writeFile(join(sub, ".git"), "hello\n"),
  "a pointer to nowhere": (sub) => writeFile(join(sub, ".git"), "gitdir: ../nowhere\n"),
  "an absolute pointer to nowhere": (sub) => writeFile(join(sub, ".git"), "gitdir: /nowhere/at/all\n"),
  "a pointer to itself": (sub) => writeFile(join(sub, ".git"), "gitdir: .git\n"),
  "a pointer to a file": (sub) => writeFile(join(sub, ".git"), "gitdir: a.log\n"),
  "a pointer to the repository around it": (sub) => writeFile(join(sub, ".git"), "gitdir: ../.git\n"),
  "a pointer to another repository": async (sub) => {
    await mkdir(join(sub, "../.git/modules"));
    runGit(sub, "init", "-q", "--separate-git-dir", join(sub, "../.git/modules/sub"));
    await appendFile(join(sub, "../.git/modules/sub/info/exclude"), "b.bin\n");
  },
  "a link to a repository": async (sub) => {
    runGit(sub, "init", "-q");
    await appendFile(join(sub, ".git/info/exclude"), "b.bin\n");
    await rename(join(sub, ".git"), join(sub, "../.git/sub"));
    await symlink("../.git/sub", join(sub, ".git"));
  },
  "a link to nowhere": (sub) => symlink("nowhere", join(sub, ".git")),
  "a link to itself": (sub) => symlink(".git", join(sub, ".git")),
  "a pipe": async (sub) => spawnSync("mkfifo", [join(sub, ".git")]),
  "a device": (sub) => symlink("/dev/zero", join(sub, ".git")),
  "rules that are a link": async (sub) => {
    runGit(sub, "init", "-q");
    await writeFile(join(sub, "../.git/mine"), "b.bin\n");
    await rm(join(sub, ".git/info/exclude"));
    await symlink("../../../.git/mine", join(sub, ".git/info/exclude"));
  },
};

for (const [what, place] of Object.entries(PLACES))
  test(`a folder within a repository where .git is ${what}: what git itself would add`, NEEDS_LINUX, async () => {
    const folder = await plant({ ".gitignore": "*.log\n", "sub/a.log": "x", "sub/b.bin": "x", "sub/c/d.log": "x" });
    runGit(folder, "init", "-q");
    await place(join(folder, "sub"));
    assert.deepEqual(await pathsOf(folder), listByGit(folder).toSorted());
    // It is the folder that is uploaded, too.
    const wanted = listByGit(join(folder, "sub")).toSorted();
    if (wanted.length > 0) assert.deepEqual(await pathsOf(join(folder, "sub")), wanted);
  });

test(
  "what git tracks no more doesn't go, even if an index shares its entries: what git itself would add",
  NEEDS_GIT,
  async () => {
    for (let seed = 1; seed <= 30; seed += 1) {
      const random = seeded(seed);
      const names = Array.from({ length: 20 + seed * 10 }, (_, at) => `d${at % 3}/${at}`);
      const folder = await plant(Object.fromEntries(names.map((name) => [name, "x"])));
      runGit(folder, "init", "-q", `--object-format=${seed % 5 === 0 ? "sha256" : "sha1"}`);
      runGit(folder, "add", ".");
      runGit(folder, "update-index", "--index-version", String(2 + (seed % 3)));
      runGit(folder, "update-index", "--split-index");
      await writeFile(join(folder, ".gitignore"), "d?/\n");
      // Git writes long stretches of what is gone in another way than single ones.
      const part = seed / 30;
      const gone = names.filter((_, at) => (seed % 2 === 0 ? random() < part : at < names.length * part));
      runGit(folder, "-c", "splitIndex.maxPercentChange=100", "rm", "-q", "--cached", "--", ...gone);
      assert.ok((await readFile(join(folder, ".git/index"))).includes("link"));
      assert.deepEqual(await pathsOf(folder), listByGit(folder).toSorted(), `seed ${seed}`);
    }
  },
);

test(
  "an index with a table before the name of the file that it shares: what git itself would add",
  NEEDS_GIT,
  async () => {
    const folder = await plant({ ".gitignore": "*\n", a: "x", "b/c": "x" });
    runGit(folder, "init", "-q");
    runGit(folder, "add", "-f", "a", "b");
    runGit(folder, "update-index", "--split-index");
    const index = join(folder, ".git/index");
    const whole = await readFile(index);
    const at = whole.indexOf("link");
    assert.ok(at > 0);
    // Several threads that read an index want such a table, which git writes first.
    const table = Buffer.from("IEOT\0\0\0\x04\0\0\0\x01", "latin1");
    await writeFile(index, Buffer.concat([whole.subarray(0, at), table, whole.subarray(at)]));
    assert.deepEqual(await pathsOf(folder), ["a", "b/c"]);
  },
);

test("an index with names longer than any path keeps nobody waiting", async () => {
  const folder = await plant({ ".gitignore": "*\n", a: "x" });
  await cp(await plant(REPOSITORY), folder, { recursive: true });
  const name = Buffer.from(`${"a/".repeat(20_000_000)}a\0`);
  const head = Buffer.from("DIRC\0\0\0\x02\0\0\0\x01", "latin1");
  await writeFile(join(folder, ".git/index"), Buffer.concat([head, Buffer.alloc(62), name, Buffer.alloc(40)]));
  const measured = await measureTurns(() => pathsOf(folder));
  assert.deepEqual(measured.result, []);
  assertInTurns(measured, "a name of 40 MB");
});

for (const [what, files] of [
  ["in the usual place", { ".config/git/ignore": "*.mine\n" }],
  ["where their configuration says", { ".gitconfig": "[core]\n\texcludesFile = ~/.mine # x\n", ".mine": "*.mine\n" }],
  ["where it says between quotes", { ".gitconfig": '[a]\nb = c\n[Core] ExcludesFile="~/a b"\n', "a b": "*.mine\n" }],
  [
    "where the last configuration says",
    {
      ".config/git/config": "[core]\nexcludesfile=~/old\n",
      ".gitconfig": "[core]\nexcludesfile=~/new\n",
      old: "a\n",
      new: "*.mine\n",
    },
  ],
  [
    "nowhere",
    { ".gitconfig": "[core]\n excludesfile =\n[other]\n excludesfile = ~/x\n", ".config/git/ignore": "a\n", x: "a\n" },
  ],
] as const)
  test(`a person's own rules for all repositories hold, ${what}: what git itself would add`, NEEDS_GIT, async () => {
    await cp(await plant(files), HOME, { recursive: true });
    const folder = await plant({
      ".gitignore": "!b.mine\n",
      a: "",
      "a.mine": "",
      "b.mine": "",
      "c/d.mine": "",
      "e.mine": "",
    });
    runGit(folder, "init", "-q");
    runGit(folder, "add", "-f", "e.mine");
    assert.deepEqual(await pathsOf(folder), listByGit(folder).toSorted());
    await rm(HOME, { recursive: true });
    await mkdir(HOME);
  });

test("line breaks of a rule are read as git reads them: what git itself would add", NEEDS_LINUX, async () => {
  const names = ["q", "x.tmp", "d/q", "z", "z ", "!a", "v"];
  const rules = ["*.tmp", "q", "z ", "\\!a", "d/", "!v"];
  for (const end of ["\r\n", "\r\r\n", "\r", "\r\r", "\n\r\n"]) {
    const folder = await plant(
      Object.fromEntries(names.flatMap((name) => [name, `${name}\r`]).map((name) => [name, ""])),
    );
    runGit(folder, "init", "-q");
    for (const rule of rules) {
      await writeFile(join(folder, ".gitignore"), rule + end);
      assert.deepEqual(await pathsOf(folder), listByGit(folder).toSorted(), JSON.stringify(rule + end));
    }
  }
});
