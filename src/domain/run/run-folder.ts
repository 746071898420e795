// The folder of a run on its machine, and what its scripts share.
import type { RunId } from "../base/id.ts";
import { RUNS } from "../base/own-folders.ts";

export const runFolder = (home: string, id: RunId): string => `${home.replace(/\/$/, "")}/${RUNS}/${id}`;

// What a process was called with, and its environment, are read as texts that end with NUL: BusyBox reads no further than the first.

/** `$d` is the run's folder. */
export const setFolder = (id: RunId): string => `d="$HOME/${RUNS}/${id}"`;

/**
 * `busy` tells by its exit code whether a run is in progress, whoever started it, other than the one whose folder it is given. A number
 * may belong to another process by now, as after a restart of the machine: that one's command line names no run's script.
 */
export const DEFINE_BUSY = [
  `busy() { for o in "$HOME/${RUNS}"/*/; do [ "$o" = "$1/" ] && continue`,
  '[ ! -e "$o/exit" ] && q=$(cat "$o/pid" 2>/dev/null) && kill -0 "$q" 2>/dev/null || continue',
  `{ [ ! -r "/proc/$q/cmdline" ] || grep -qzF -- "\${o#"$HOME/"}run.sh" "/proc/$q/cmdline"; } && return 0; done; return 1; }`,
].join("\n");

/** Tells a run's command where that is: a profile may name another home. */
export const RUN_FOLDER = "CLOUD_GPU_RUN_FOLDER";

/** Tells it which attempt it is, from 1. */
export const RUN_ATTEMPT = "CLOUD_GPU_ATTEMPT";

/** Whatever a run's command starts inherits this variable, whose value is the run's ID. */
export const RUN_MARK = "CLOUD_GPU_RUN";

/**
 * `family` sets `$l` to the processes that the run in `$d` started, as far as the system tells: the descendants of `$p`, whatever is in its
 * session, and what left both, such as a service that puts itself into the background: it still bears the mark. No other process is there
 * while the list is read, or it would be found.
 */
export const DEFINE_FAMILY = [
  `family() { l=" $p "; for s in $(grep -lszF -- "${RUN_MARK}=\${d##*/}" /proc/[0-9]*/environ); do s=\${s#/proc/}; l="$l\${s%/environ} "; done`,
  'more=1; while [ "$more" ]; do more=',
  `for s in /proc/[0-9]*/stat; do q=\${s#/proc/}; q=\${q%/stat}`,
  'case $l in *" $q "*) continue;; esac',
  'read -r line 2>/dev/null < "$s" || continue',
  // State, parent, group and session stand behind the name.
  `set -- \${line##*") "}; [ "$1" = Z ] && continue`,
  'case $l in *" $2 "*) ;; *) [ "$4" = "$p" ] || continue;; esac',
  `l="$l$q "; more=1; done; done; l=\${l#" $p "}; }`,
].join("\n");
