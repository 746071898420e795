// One command on all machines of a group: how it is started there, and what there is to tell of it.
import { quoteWord } from "../../lib/shell-words.ts";
import { buildShellCommand } from "../connection/machine-answer.ts";

export type GroupRunEvent =
  | { readonly kind: "started"; readonly rank: number }
  /** A line that it printed, as it came: it may hold anything. */
  | { readonly kind: "line"; readonly rank: number; readonly line: string }
  /** `code`: what it exited with. */
  | { readonly kind: "ended"; readonly rank: number; readonly code: number }
  /** It wasn't run to its end there, or that isn't known. */
  | { readonly kind: "failed"; readonly rank: number; readonly why: string };

/**
 * Runs a command on a machine for as long as the connection holds: in a process group of its own, which ends with the input. Otherwise
 * what was canceled here would go on there.
 */
export function buildGroupCommand(command: string, rank: number, count: number): string {
  const variables = `CLOUD_GPU_RANK=${rank} CLOUD_GPU_COUNT=${count}`;
  return buildShellCommand(
    [
      "exec 3<&0",
      'g=-; command -v setsid >/dev/null 2>&1 || { setsid() { "$@"; }; g=; }',
      `export ${variables}`,
      `setsid sh -c ${quoteWord(command)} </dev/null 2>&1 3<&- & p=$!`,
      // In a group of its own as well: a server may end the one of this shell before anything in it can look.
      'setsid sh -c \'cat; kill -s TERM -- "$0"\' "$g$p" <&3 >/dev/null 2>&1 & w=$!',
      'wait $p; c=$?; kill -s TERM -- "$g$w" 2>/dev/null; exit $c',
    ].join("\n"),
  );
}
