// The folder of a run on its machine, and what its scripts share.
import type { RunId } from "../base/id.ts";

/** Below the home folder. */
export const RUNS = ".cloud-gpu/runs";
export const runFolder = (home: string, id: RunId): string => `${home.replace(/\/$/, "")}/${RUNS}/${id}`;

/** `$d` is the run's folder. */
export const setFolder = (id: RunId): string => `d="$HOME/${RUNS}/${id}"`;

/**
 * `busy` tells by its exit code whether a run is in progress, whoever started it, other than the one whose folder it is given. A number
 * may belong to another process by now, as after a restart of the machine: that one's command line names no run's script.
 */
export const DEFINE_BUSY = [
  `busy() { for o in "$HOME/${RUNS}"/*/; do [ "$o" = "$1/" ] && continue`,
  '[ ! -e "$o/exit" ] && q=$(cat "$o/pid" 2>/dev/null) && kill -0 "$q" 2>/dev/null || continue',
  `{ [ ! -r "/proc/$q/cmdline" ] || grep -qF -- "\${o#"$HOME/"}run.sh" "/proc/$q/cmdline"; } && return 0; done; return 1; }`,
].join("\n");

/**
 * `family` sets `$l` to the processes that `$p` started, as far as the system tells: its descendants, and whatever is in its session.
 * No other process is started for it, or it would find that one.
 */
export const DEFINE_FAMILY = [
  'family() { l=" $p "; more=1; while [ "$more" ]; do more=',
  `for s in /proc/[0-9]*/stat; do q=\${s#/proc/}; q=\${q%/stat}`,
  'case $l in *" $q "*) continue;; esac',
  'read -r line 2>/dev/null < "$s" || continue',
  // State, parent, group and session stand behind the name.
  `set -- \${line##*") "}; [ "$1" = Z ] && continue`,
  'case $l in *" $2 "*) ;; *) [ "$4" = "$p" ] || continue;; esac',
  `l="$l$q "; more=1; done; done; l=\${l#" $p "}; }`,
].join("\n");
