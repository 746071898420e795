// What a machine's shell is asked about the files that a run left in its folder, and what its answers mean.
import { quoteWord } from "../../lib/shell-words.ts";
import type { RunId } from "../base/id.ts";
import { buildAnswerCommand, buildShellCommand } from "../connection/machine-answer.ts";
import { GENTLY } from "../transfer/transfer-command.ts";
import { setFolder } from "./run-folder.ts";

/** Folders that hold nothing anyone wants back. */
const NO_PACKAGES = [".venv", "venv", ".conda", "node_modules"];
const NO_RESULTS = [...NO_PACKAGES, ".git", ".cloud-gpu", "__pycache__", ".ipynb_checkpoints"];
const NO_RESULTS_END = ".egg-info";
/** Whether a path leads into one of those folders. */
export const isLeftOut = (path: string): boolean =>
  path.split("/").some((part) => NO_RESULTS.includes(part) || part.endsWith(NO_RESULTS_END));
export const RESULTS = "results";
/** The last word of a list that misses nothing. */
export const RESULTS_END = "end";
/** Where a link leads that leads out of the folder, or no one knows where. */
export const OUTWARD = "/";
/** Prints each of the given links, and where it leads in the end. A name may end with a line break, which the shell would drop. */
const PRINT_LINKS = [
  `w=$(pwd -P); for l do t=$(readlink -f -- "$l" && echo .) && t=\${t%??} || t=${OUTWARD}`,
  `case $t in "$w") t=.;; "$w"/*) t=.\${t#"$w"};; *) t=${OUTWARD};; esac; printf '%s\\000%s\\000' "$l" "$t"; done`,
].join("\n");

/**
 * Lists the files that were created or changed since the run began: our line, then names that end with NUL; after an empty one,
 * the links that are new, each followed by where it leads; after another, a last word if nothing was missed. The machine's own clock
 * decides, and by when it wrote a file, not by the date that the file bears.
 */
export function buildListResultsCommand(id: RunId, remote: string): string {
  const ignored = [...NO_RESULTS, `*${NO_RESULTS_END}`].map((name) => `-name ${quoteWord(name)}`).join(" -o ");
  return buildShellCommand(
    [
      setFolder(id),
      `cd -- ${quoteWord(remote)} || exit`,
      'r=$d/began; n=-newer; if find "$r" -cnewer "$r" >/dev/null 2>&1; then n=-cnewer',
      // BusyBox compares whole seconds.
      'elif s=$(date -r "$r" +%s 2>/dev/null) && touch -d "@$((s - 1))" "$d/before" 2>/dev/null; then r=$d/before; fi',
      buildAnswerCommand(RESULTS),
      `e=; find . -type d \\( ${ignored} \\) -prune -o -type f $n "$r" -print0 || e=1`,
      "printf '\\000'",
      `find . -type d \\( ${ignored} \\) -prune -o -type l $n "$r" -exec sh -c ${quoteWord(PRINT_LINKS)} sh {} + || e=1`,
      `[ "$e" ] || printf '\\000%s\\000' ${RESULTS_END}`,
    ].join("\n"),
  );
}

const STATS = "stats";

/**
 * Prints when files of a folder were changed last, whose names come in, each ended by NUL: our line with what time it is there, then a line
 * for each. The date that a file bears may be anything; that of its last change is the system's.
 */
export function buildStatCommand(remote: string): string {
  return buildShellCommand(
    [
      `cd -- ${quoteWord(remote)} || exit`,
      GENTLY,
      `stat -c %Z . >/dev/null 2>&1 && command -v xargs >/dev/null || { ${buildAnswerCommand("none")}; exit; }`,
      buildAnswerCommand(`${STATS} "$(date +%s)"`),
      "exec xargs -0 -r stat -c '%s %Z %n' -- 2>/dev/null",
    ].join("\n"),
  );
}

/** What time it is on the machine, of an answer to `buildStatCommand`; undefined if it doesn't tell. */
export function readStatTime(answer: string): number | undefined {
  const [, now] = /^stats (\d{1,12})$/.exec(answer) ?? [];
  return now === undefined ? undefined : Number(now);
}

export const DIGESTS = "digests";
/** The machine has no program for it. */
export const NO_DIGESTS = "no-digests";

/** What the log is called among the digests. */
export const LOG_NAME = "-";

/** Prints the SHA-256 of the log, and of the files of a folder whose names come in, each ended by NUL: our line, then a line for each. */
export function buildDigestCommand(id: RunId, remote: string): string {
  return buildShellCommand(
    [
      setFolder(id),
      `cd -- ${quoteWord(remote)} || exit`,
      `command -v sha256sum >/dev/null && command -v xargs >/dev/null || { ${buildAnswerCommand(NO_DIGESTS)}; exit; }`,
      GENTLY,
      buildAnswerCommand(DIGESTS),
      'sha256sum < "$d/log"',
      "exec xargs -0 -r sha256sum --",
    ].join("\n"),
  );
}

/** What a line of an answer to `buildDigestCommand` says; undefined if it isn't one. */
export function readDigest(line: string): { readonly name: string; readonly digest: string } | undefined {
  const [, digest, name] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
  return digest === undefined || name === undefined ? undefined : { name, digest };
}
