// What a machine's shell is asked to do for a project that is opened there. What is remembered of it is in a folder of its own, beside
// that of runs.
import { quoteWord } from "../../lib/shell-words.ts";
import { t } from "../../lib/text.ts";
import { buildAnswerCommand, buildShellCommand } from "../connection/machine-answer.ts";
import type { GitIdentity } from "../transfer/git-identity.ts";
import { formatOrigin, type GitOrigin, isBranch } from "../transfer/git-origin.ts";
import { readThereFile, THERE_LISTED, type ThereFile } from "../transfer/transfer-command.ts";
import type { ProjectEnvironment } from "./environment.ts";
import { buildEnvironmentCheck, buildEnvironmentScript } from "./environment-script.ts";

/** Below the home folder. */
const PROJECTS = ".cloud-gpu/projects";

/** A project by its folder on the machine; `key` is a digest of that. */
export interface ProjectPlace {
  readonly key: string;
  readonly remote: string;
}

const setFolder = ({ key }: ProjectPlace): string => `d="$HOME/${PROJECTS}/${key}"`;

/** What a person types to install again what the project needs. */
export const buildEnterCommand = ({ key }: ProjectPlace): string => `sh ~/${PROJECTS}/${key}/enter.sh`;

/** Environments have many files, and none of them was uploaded. */
const NOT_LISTED = [".venv", ".conda"].map((name) => `-name ${name}`).join(" -o ");

/** The last line of a list that misses nothing. */
export const PROJECT_LISTED = "project-listed";

/** Lists what was uploaded last, and then what is there now: our line, then a line for each file, then the last one. */
export function buildListProjectCommand(place: ProjectPlace): string {
  return buildShellCommand(
    [
      setFolder(place),
      `cd -- ${quoteWord(place.remote)} 2>/dev/null || { ${buildAnswerCommand("none")}; exit; }`,
      buildAnswerCommand(THERE_LISTED),
      `sed 's/^/sent /' "$d/sent" 2>/dev/null`,
      `find . -type d \\( ${NOT_LISTED} \\) -prune -o -type f -exec stat -c '%s %Y %a %n' {} + 2>/dev/null && echo ${PROJECT_LISTED}`,
      "exit 0",
    ].join("\n"),
  );
}

/** What `buildListProjectCommand` printed of a file. */
interface ProjectLine {
  readonly path: string;
  readonly file: ThereFile;
  /** Whether it is what was uploaded last, rather than what is there. */
  readonly isSent: boolean;
}

export function readProjectLine(line: string): ProjectLine | undefined {
  const isSent = line.startsWith("sent ");
  const found = readThereFile(isSent ? line.slice("sent ".length) : line);
  if (!found) return undefined;
  const { path, ...file } = found;
  return { path, file, isSent };
}

/** A file in the list of what was uploaded. Undefined for a name that doesn't fit on a line. */
export function formatSentLine(path: string, { size, seconds, isExecutable }: ThereFile): string | undefined {
  return /[\r\n]/.test(path) ? undefined : `${size} ${seconds} ${isExecutable ? "755" : "644"} ./${path}\n`;
}

export interface ProjectSetup {
  readonly environment?: ProjectEnvironment | undefined;
  readonly identity?: GitIdentity | undefined;
  readonly origin?: GitOrigin | undefined;
}

/** What a machine answers once a project is ready to be opened there. */
export interface ProjectReadiness {
  /** `made`: of the same files before. */
  readonly environment: "made" | "missing" | "none";
  /** Whether git has the person's name from now on. */
  readonly hasIdentity: boolean;
  /** Whether its history is still to be fetched there. */
  readonly lacksHistory: boolean;
  /** That git is on there, if it is on one. */
  readonly branch: string | undefined;
}

const DONE = '"$d/done"';

/** Git is told who commits only if it knows no one: it may be another person's machine by now. */
const listIdentitySteps = ({ name, email }: GitIdentity): readonly string[] => [
  'if command -v git >/dev/null 2>&1 && [ -z "$(git config --get user.name)$(git config --get user.email)" ]; then',
  `  git config --global user.name ${quoteWord(name)} && git config --global user.email ${quoteWord(email)} && g=git; fi`,
];

/** Writes down what was uploaded, which comes in, and gets ready what a terminal then does. */
export function buildPrepareProjectCommand(
  place: ProjectPlace,
  { environment, identity, origin }: ProjectSetup,
): string {
  const check = environment && buildEnvironmentCheck(environment, DONE);
  const install = environment && buildInstallScript(place, environment);
  return buildShellCommand(
    [
      setFolder(place),
      'umask 077; mkdir -p "$d" && cat > "$d/sent.new" && mv "$d/sent.new" "$d/sent" || exit',
      `printf %s ${quoteWord(buildEnterScript(place, environment, origin))} > "$d/enter.sh" || exit`,
      install === undefined ? 'rm -f "$d/install.sh"' : `printf %s ${quoteWord(install)} > "$d/install.sh" || exit`,
      "g=; cd || exit",
      ...(identity === undefined ? [] : listIdentitySteps(identity)),
      `cd -- ${quoteWord(place.remote)} || exit`,
      check === undefined ? "e=none" : `e=missing; ${check} && e=made`,
      origin === undefined
        ? "h="
        : `h=; [ -e .git ] || ${checkLeftOut(origin.url)} || ! command -v git >/dev/null 2>&1 || h=history`,
      "b=; [ ! -e .git ] || b=$(git symbolic-ref -q --short HEAD 2>/dev/null)",
      // No name of a branch has a space or a pattern in it.
      buildAnswerCommand(`ready $e $g $h \${b:+on $b}`),
    ].join("\n"),
  );
}

/** @returns undefined for anything that `buildPrepareProjectCommand` doesn't answer. */
export function readProjectReadiness(answer: string): ProjectReadiness | undefined {
  const [, environment, git, history, on] =
    /^ready (made|missing|none)(?: +(git))?(?: +(history))?(?: +on (\S+))?$/.exec(answer.trim()) ?? [];
  if (environment !== "made" && environment !== "missing" && environment !== "none") return undefined;
  const branch = on !== undefined && isBranch(on) ? on : undefined;
  return { environment, hasIdentity: git !== undefined, lacksHistory: history !== undefined, branch };
}

/** It goes on when the terminal that shows it closes, and says how it ended. */
const buildInstallScript = (place: ProjectPlace, environment: ProjectEnvironment): string =>
  [
    setFolder(place),
    'echo $$ > "$d/pid"',
    `cd -- ${quoteWord(place.remote)} && (`,
    buildEnvironmentScript(environment, DONE),
    ")",
    'echo $? > "$d/exit.new" && mv "$d/exit.new" "$d/exit"',
    "",
  ].join("\n");

/** Starts the installation, or finds the one that is running, and shows it. */
const listInstallSteps = (place: ProjectPlace, environment: ProjectEnvironment): readonly string[] => {
  const python = environment.kind === "conda" ? ".conda/bin/python" : ".venv/bin/python";
  const [installed, stopped] = [
    t("What the project needs is installed. Its Python is {0}.", python),
    t("The installation was stopped. To go on with it, run: {0}", buildEnterCommand(place)),
  ];
  const failed = t(
    "What the project needs couldn't be installed. Its files are here. To try again, run: {0}",
    buildEnterCommand(place),
  );
  return [
    // A number may belong to another process by now, as after a restart of the machine.
    'alive() { [ ! -e "$d/exit" ] && p=$(cat "$d/pid" 2>/dev/null) && kill -0 "$p" 2>/dev/null &&',
    `  { [ ! -r "/proc/$p/cmdline" ] || grep -qzF -- ${place.key}/install.sh "/proc/$p/cmdline"; }; }`,
    "if ! alive; then",
    '  rm -f "$d/exit" "$d/pid"; : > "$d/log"',
    "  s=; command -v setsid >/dev/null 2>&1 && s=setsid",
    '  (trap "" HUP; exec $s sh "$d/install.sh" < /dev/null > "$d/log" 2>&1) &',
    '  n=0; while [ ! -s "$d/pid" ] && [ $n -lt 50 ]; do n=$((n + 1)); sleep 0.1 2>/dev/null || sleep 1; done',
    "fi",
    'tail -n +1 -f "$d/log" & q=$!',
    // Ctrl+C is for what is installed: the shell stays.
    `trap 'kill -TERM -- "-$p" 2>/dev/null || kill -TERM "$p" 2>/dev/null' INT`,
    "while alive; do sleep 0.3 2>/dev/null || sleep 1; done",
    'sleep 1; kill "$q" 2>/dev/null; wait "$q" 2>/dev/null; trap - INT',
    'c=$(cat "$d/exit" 2>/dev/null)',
    `case $c in 0) m=${quoteWord(installed)};; "") m=${quoteWord(stopped)};; *) m=${quoteWord(failed)};; esac`,
    `printf '\\n%s\\n\\n' "$m"`,
  ];
};

/** What no terminal is to try again: an address whose history couldn't be fetched, or was left out by the person. */
const NO_HISTORY = '"$d/no-history"';
const checkLeftOut = (url: string): string => `[ "$(cat ${NO_HISTORY} 2>/dev/null)" = ${quoteWord(url)} ]`;

/**
 * No credentials are asked for or used, whatever the machine's own configuration says: the address stays what it is, since of all
 * `insteadOf` the longest counts.
 */
const buildFetchCommand = (git: string, { url, branch }: GitOrigin): string =>
  [
    "GIT_TERMINAL_PROMPT=0 GIT_ASKPASS= SSH_ASKPASS= GIT_ALLOW_PROTOCOL=https:http",
    `${git} -c core.askPass= -c credential.helper= -c ${quoteWord(`url.${url}.insteadOf=${url}`)}`,
    // Nothing goes on in a repository that is about to be moved.
    `fetch --no-tags --no-auto-gc origin ${quoteWord(branch)}`,
  ].join(" ");

/**
 * Fetches the history of what was uploaded, if the folder has none: what is in it stays, and git compares it with the commit. The repository
 * is whole before it is git's, and gives way to one that came into being in the meantime. All of it is fetched: where a server can't
 * leave out contents, an older git asks it for them again and again.
 */
function listHistorySteps(origin: GitOrigin): readonly string[] {
  const { url, branch, commit } = origin;
  const name = formatOrigin(origin);
  const [fetching, failed] = [
    t("Fetching the history of {0}… Press Ctrl+C to leave it out.", name),
    t(
      "The history of {0} wasn't fetched, so git doesn't know this folder. A private repository needs your credentials.",
      name,
    ),
  ];
  const git = 'git --git-dir="$g/.git" --work-tree=.';
  return [
    `if [ ! -e .git ] && ! ${checkLeftOut(url)} && command -v git >/dev/null 2>&1; then`,
    // Ctrl+C is for what is fetched: the shell stays. If the terminal closes, git ends with it, and the inner shell cleans up after it,
    // undisturbed by the second signal that comes when the outer one has ended.
    `  printf '%s\\n' ${quoteWord(fetching)}; trap : INT`,
    `  ( g=; leave() { trap '' HUP INT TERM; rm -rf -- "$g"; exit "$1"; }; trap 'leave 0' HUP TERM; trap '[ -e .git ]; leave $?' INT`,
    // Beside what it becomes, because only on the same disk it can be moved at once. Its name is known before it exists.
    '  g=$(mktemp -u ./.git-XXXXXX) && { mkdir -- "$g" || { g=; false; }; } && git init -q "$g" &&',
    `    ${git} symbolic-ref HEAD ${quoteWord(`refs/heads/${branch}`)} &&`,
    `    ${git} remote add origin ${quoteWord(url)} &&`,
    `    ${buildFetchCommand(git, origin)} &&`,
    `    ${git} update-ref ${quoteWord(`refs/remotes/origin/${branch}`)} ${commit} &&`,
    `    ${git} update-ref ${quoteWord(`refs/heads/${branch}`)} ${commit} &&`,
    `    ${git} config ${quoteWord(`branch.${branch}.remote`)} origin &&`,
    `    ${git} config ${quoteWord(`branch.${branch}.merge`)} ${quoteWord(`refs/heads/${branch}`)} &&`,
    `    ${git} read-tree HEAD &&`,
    // What wasn't uploaded wasn't deleted. With a sparse checkout, git still sees such a file once there is one.
    `    { [ -z "$(${git} ls-files -d)" ] || { ${git} config ${quoteWord("core.sparseCheckout")} true &&`,
    `      ${git} ls-files -d -z | ${git} update-index -z --skip-worktree --stdin; }; } &&`,
    '    [ ! -e .git ] && mv -- "$g/.git" .git || [ -e .git ]; leave $? ) ||',
    `    { printf '%s\\n' ${quoteWord(url)} > ${NO_HISTORY}; printf '%s\\n\\n' ${quoteWord(failed)}; }`,
    "  trap - INT; fi",
  ];
}

/** What a terminal on the project does: the installation and its history, if there are any, and then a shell in its folder. */
const buildEnterScript = (
  place: ProjectPlace,
  environment: ProjectEnvironment | undefined,
  origin: GitOrigin | undefined,
): string =>
  [
    setFolder(place),
    `cd -- ${quoteWord(place.remote)} || exit`,
    ...(environment === undefined ? [] : listInstallSteps(place, environment)),
    ...(origin === undefined ? [] : listHistorySteps(origin)),
    "[ ! -f .venv/bin/activate ] || . .venv/bin/activate",
    `exec "\${SHELL:-/bin/sh}"`,
    "",
  ].join("\n");
