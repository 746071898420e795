// Which names in a stranger's archive become files here.
import assert from "node:assert/strict";
import { join, resolve, sep } from "node:path";
import { describe, test } from "node:test";
import fc from "fast-check";
import { foldPath, readArchivePath, toNumberedName } from "../../../../src/domain/transfer/archive-path.ts";
import { isFollowed } from "../../../../src/domain/transfer/followed-names.ts";

const REFUSED = [
  ...["/etc/passwd", "..", "../x", "a/../../x", "a/..", "a\\b", "C:\\x", "..\\x", "a\nb", "a\0b", "a\u007fb"],
  ...[
    "a\u2028b",
    "a\ufffdb",
    "x".repeat(256),
    ".git",
    "a/.GIT/config",
    "a/.g\u200cit/x",
    "GIT~1/x",
    ...[".hg/hgrc", "a/.HG", "hg~1", ".svn", ".jj/repo", ".bzr", ".sl/config", ".pijul", "_darcs/prefs/defaults"],
    ...[".git.", "a/.git /config", ".git\ufe0f", ".g\u034fit", ".git::$INDEX_ALLOCATION", ".hg. .", "git~1."],
    "ü".repeat(128),
    "a/".repeat(65),
    "x/".repeat(1001),
  ],
];
const WINDOWS = [
  ...["con", "NUL.txt", "a/aux", "com1", "LPT9.log", "lpt\u00b2", "CONIN$", "a:b", "C:", "C:/x", "file.txt:stream"],
  ...["trailing.", "trailing ", "a?b", "a*b", "a<b", 'a"b', "a|b"],
];
const PLAIN: readonly (readonly [string, readonly string[]])[] = [
  ["a/b.txt", ["a", "b.txt"]],
  ["./a//b/", ["a", "b"]],
  [".", []],
  ["./", []],
  ["-rf", ["-rf"]],
  ["two words/it's", ["two words", "it's"]],
  [".github/.gitignore", [".github", ".gitignore"]],
  ["..a/b..c/...", ["..a", "b..c", "..."]],
  [".hgignore/hg", [".hgignore", "hg"]],
  ["größe/東京", ["größe", "東京"]],
];

describe("is refused everywhere", () => {
  for (const path of REFUSED)
    test(JSON.stringify(path.slice(0, 40)), () => {
      assert.equal(readArchivePath(path, false), undefined);
      assert.equal(readArchivePath(path, true), undefined);
    });
});
describe("is refused on Windows", () => {
  for (const path of WINDOWS)
    test(JSON.stringify(path), () => {
      assert.equal(readArchivePath(path, true), undefined);
      assert.notEqual(readArchivePath(path, false), undefined);
    });
});
test("others are split into their parts", () => {
  for (const [path, parts] of PLAIN) assert.deepEqual(readArchivePath(path, false), parts, path);
});

test("whatever is accepted stays within its folder", () => {
  const part = fc.constantFrom("..", ".", "", "a", "con", "\\", "C:", "b c", "\0", "…");
  const path = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(part).map((parts) => parts.join("/")),
  );
  const folder = resolve("/some/folder");
  fc.assert(
    fc.property(path, fc.boolean(), (text, isWindows) => {
      const parts = readArchivePath(text, isWindows);
      if (!parts) return;
      const place = join(folder, ...parts);
      assert.ok(place === folder || place.startsWith(folder + sep));
      assert.equal(place.split(sep).length, folder.split(sep).length + parts.length);
    }),
    { numRuns: 5000 },
  );
});

test("names that some systems take for the same are the same", () => {
  assert.equal(foldPath(["A", "Größe"]), foldPath(["a", "Gro\u0308ße"]));
  assert.notEqual(foldPath(["a", "b"]), foldPath(["ab"]));
});

test("also those that macOS folds to the same, and the short names of Windows", () => {
  // APFS takes ß for ss (CVE-2026-23950), and ſ for s: `.ßh` is the folder `.ssh`.
  for (const name of [".ssh", ".VSCode", ".ßh", ".ẞh", ".ſsh", ".vſcode", ".vs\u200ccode", "VSCODE~1", "ssh~2"])
    assert.ok(isFollowed(["download", name, "tasks.json"]), name);
  for (const name of [".cláude", "claude", "ssh", "vscode", ".vscodes", "~1"])
    assert.ok(!isFollowed(["download", name]), name);
});

test("files that programs follow by themselves are told from results, wherever they lie", () => {
  const followed = [
    ...[".claude/settings.json", ".cursor/mcp.json", ".devcontainer/devcontainer.json", ".husky/pre-commit", ".envrc"],
    ...[".vscode/tasks.json", ".idea/workspace.xml", ".github/workflows/ci.yml", ".gemini/settings.json", ".codex/x"],
    ...[
      "AGENTS.md",
      "CLAUDE.md",
      ".mcp.json",
      ".npmrc",
      ".yarnrc.yml",
      ".pre-commit-config.yaml",
      ".env",
      ".env.local",
    ],
    ...[".gitattributes", ".gitmodules", ".tool-versions", "mise.toml", "conftest.py", "sitecustomize.py", ".bashrc"],
    ...[
      "venv/lib/python3/site-packages/x.pth",
      ".venv/bin/python",
      "node_modules/eslint/index.js",
      "eslint.config.mjs",
    ],
    ...[".prettierrc.cjs", "build.rs", ".cargo/config.toml", "jupyter_server_config.py", ".Rprofile", "desktop.ini"],
    ...[".eslintrc", ".eslintrc.json", ".prettierrc.yaml", ".babelrc", ".lintstagedrc.json", ".stylelintrc.json"],
    ...[
      "lefthook.toml",
      ".lefthook-local.yml",
      "mise.local.toml",
      ".mise.production.toml",
      ".rtx.toml",
      "opencode.jsonc",
    ],
    ...["AGENTS.override.md", ".aider.conf.yaml", ".aider.conf.yml", ".gvimrc", "_vimrc", "x.code-workspace"],
    ...["azure-pipelines.yml", "Jenkinsfile", ".travis.yml", ".gitea/x.yml", ".forgejo/x.yml", ".drone.yml"],
    ...[
      ".buildkite/x.yml",
      "bitbucket-pipelines.yml",
      ".luarc.json",
      ".rubocop.yml",
      "hie.yaml",
      "rust-toolchain.toml",
    ],
    ...["gradlew", "gradlew.bat", "gradle/wrapper/gradle-wrapper.properties", ".vscode./tasks.json", "AGENTS.md. "],
    ...[
      ".netrc",
      "_netrc",
      ".curlrc",
      "_curlrc",
      ".wgetrc",
      "Procfile",
      "Procfile.dev",
      "justfile",
      ".justfile",
      "Justfile",
    ],
    ...[
      "Gemfile",
      "gems.rb",
      "Rakefile",
      "rakefile.rb",
      "Vagrantfile",
      "Brewfile",
      "Taskfile.yml",
      "taskfile.dist.yaml",
    ],
    ...["notes.lnk", "ansible.cfg", ".cloudgpuignore", "DEVCON~1/x.json", "MCP~1.JSO", "Claude.MD", ".cl\u200caude/x"],
  ];
  for (const path of followed)
    for (const at of ["", "deep/er/"]) assert.ok(isFollowed(`download/${at}${path}`.split("/")), at + path);
  const results = [
    ...["model.pth", "checkpoints/7.pt", "run.log", "metrics.json", "config.yaml", "config.json", "args.env.txt"],
    ...["wandb/run-1/files/output.log", "events.out.tfevents.1", "README.md", "train.py", "out.ipynb", "data.csv"],
    ...[
      ".gitignore",
      "requirements.txt",
      "environment.md",
      "report.html",
      "claude.md.txt",
      "a~b.txt",
      "tokenizer.config",
    ],
    ...["mlruns/0/meta.yaml", ".hydra/config.yaml", "backup.py.~1~", "settings/x", "package.json"],
    ...[
      "setup.py",
      "pom.xml",
      "Cargo.toml",
      "tsconfig.json",
      "agents.json",
      "promise.toml",
      "eslint.json",
      "gradle.log",
      "netrc",
      "Profile",
      "profile.json",
      "gems.txt",
      "just.log",
      "taskfile.txt",
    ],
  ];
  for (const path of results) assert.ok(!isFollowed(`download/${path}`.split("/")), path);
});

test("a number goes before the ending of a file", () => {
  const names = { "a.txt": "a (2).txt", "data.tar.gz": "data (2).tar.gz", folder: "folder (2)", ".env": ".env (2)" };
  for (const [name, numbered] of Object.entries(names)) assert.equal(toNumberedName(name, 2), numbered);
});
