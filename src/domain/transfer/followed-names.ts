// Files that a program does what they say without anyone's asking: as soon as they lie in a folder that is opened, or where a program is
// started. A person who has a project wouldn't notice a new one among results.
import { foldName } from "./archive-path.ts";

/** Names of files and folders. */
const FOLLOWED = new Set([
  // Editors open a folder with these, and run tasks, containers and servers that they name.
  ...[".vscode", ".vs", ".idea", ".fleet", ".zed", ".devcontainer", ".devcontainer.json", ".settings", ".project"],
  ...[".vimrc", ".nvimrc", ".exrc", ".nvim.lua", ".dir-locals.el"],
  // Assistants take these for what they were told, and start what they name.
  ...[
    ".claude",
    ".cursor",
    ".gemini",
    ".codex",
    ".windsurf",
    ".continue",
    ".cline",
    ".roo",
    ".kiro",
    ".qwen",
    ".junie",
  ],
  ...[".agents", ".agent", ".opencode", ".amazonq", ".augment", ".kilocode", ".trae", ".goose", ".crush"],
  ...[".mcp.json", "mcp.json", "claude.md", "claude.local.md", "gemini.md"],
  ...["qwen.md", ".cursorrules", ".windsurfrules", ".clinerules", ".roorules", ".roomodes", ".goosehints"],
  // Git obeys these, hooks of these run at the next commit, and services run these at the next push.
  ...[
    ".gitattributes",
    ".gitmodules",
    ".gitconfig",
    ".husky",
    ".githooks",
    ".lefthook",
    "lefthook.yml",
    ".lefthook.yml",
  ],
  ...[".pre-commit-config.yaml", ".pre-commit-config.yml", ".overcommit.yml", ".lintstagedrc"],
  ...[".github", ".gitlab-ci.yml", ".circleci"],
  // Shells and what hooks into them.
  ...[".envrc", ".env", ".mise.toml", "mise.toml", ".mise", ".tool-versions", ".config", ".local", ".ssh"],
  ...[".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".inputrc"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".kshrc", ".cshrc", ".tcshrc", ".login"],
  // Python, and what an editor starts of it to look at a project.
  ...["sitecustomize.py", "usercustomize.py", "site-packages", "pyvenv.cfg", "venv", ".venv", "conda-meta", ".condarc"],
  ...["conftest.py", "pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml", "mypy.ini", ".flake8", ".pylintrc"],
  ...["pylintrc", "pip.conf", "pip.ini", ".pdbrc"],
  // Other languages: the same.
  ...[".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn", ".pnp.cjs", ".pnpmfile.cjs", "node_modules", "bunfig.toml"],
  ...[".cargo", "build.rs", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", ".mvn"],
  ...["cmakelists.txt", "cmakepresets.json", "cmakeuserpresets.json", "makefile", "gnumakefile", ".bazelrc"],
  ...["directory.build.props", "directory.build.targets", ".rprofile", ".renviron", ".irbrc", ".bundle"],
  ...[".gdbinit", ".lldbinit", "ansible.cfg", ".ansible.cfg"],
  // What is uploaded.
  ".cloudgpuignore",
  // What a folder that is shown does.
  ...["desktop.ini", "autorun.inf"],
]);

/** Variables, configurations that are programs, those of Jupyter, and what a folder that is shown does on Windows. */
const FOLLOWED_SHAPES = [
  /^\.env\.[^.]+$/,
  /^(?:\.[\w-]+rc|[\w.-]+\.config)\.[cm]?[jt]s$/,
  /^(?:jupyter\w*|ipython)_config\.(?:py|json)$/,
  /\.(?:lnk|scf|url|library-ms|searchconnector-ms|csproj|vbproj|fsproj)$/,
];

/**
 * Families that differ in an ending or a word between. What a run usually leaves is none of them: `package.json`, `setup.py`, `pom.xml` and
 * the like are in saved code, and run only once a person installs or builds it.
 */
const FOLLOWED_STEMS = [
  // Linters, formatters and compilers that an editor starts.
  /^\.(?:eslint|prettier|babel|stylelint|mocha|commitlint|husky|lintstaged|swc|jshint)(?:rc)?(?:\.\w+)?$/,
  /^\.(?:luarc\.jsonc?|rubocop\.yml|ycm_extra_conf\.py|php-cs-fixer(?:\.dist)?\.php|lvimrc|emacs|gvimrc)$/,
  /^(?:_g?vimrc|hie\.ya?ml|\.dir-locals-2\.el|rust-toolchain(?:\.toml)?)$/,
  // Build tools that an editor starts to look at a project.
  /^(?:gradlew(?:\.bat)?|gradle-wrapper\.(?:properties|jar))$/,
  // Those that run what such a file says by a word, in a folder or any below it.
  /^(?:procfile(?:\.\w+)?|\.?justfile|gemfile|gems\.rb|rakefile(?:\.rb)?|vagrantfile|brewfile)$/,
  /^taskfile(?:\.dist)?\.ya?ml$/,
  // Where programs that load something get passwords and options from.
  /^(?:[._](?:net|curl)rc|\.wgetrc)$/,
  // Hooks and shells.
  /^\.?lefthook(?:-local)?(?:\.\w+)?$/,
  /^\.?(?:mise|rtx)(?:\.[\w-]+)*\.toml$/,
  // Assistants and editors.
  /^(?:agents?(?:\.[\w-]+)*\.md|opencode\.jsonc?|\.aider\.conf\.ya?ml)$/,
  /\.(?:code-workspace|sublime-project)$/,
  // Services run these at the next push.
  /^(?:azure-pipelines|bitbucket-pipelines|\.drone|\.travis|\.gitpod)\.ya?ml$/,
  /^(?:jenkinsfile|\.gitea|\.forgejo|\.gitlab|\.buildkite|\.idx|\.replit)$/,
];

/** Windows may take it for any other name that begins alike. */
const SHORT_NAME = /^[^.]{1,6}~\d{1,5}(?:\.[^.]{0,3})?$/;

function isFollowedName(name: string): boolean {
  const folded = foldName(name);
  return (
    FOLLOWED.has(folded) || [SHORT_NAME, ...FOLLOWED_SHAPES, ...FOLLOWED_STEMS].some((shape) => shape.test(folded))
  );
}

/** Whether a program does what a file of this path says, so that even a new one may do harm. */
export const isFollowed = (parts: readonly string[]): boolean => parts.some(isFollowedName);
