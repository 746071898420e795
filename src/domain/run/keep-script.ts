// What ends a run, and the machine it is on, while no one is connected: a second script in the run's folder. It stops the command at its
// time limit. If the person agreed to that, and the machine has shown that it can, it stops the machine some time after the command ended.
import { quoteWord } from "../../lib/shell-words.ts";
import type { RunId } from "../base/id.ts";
import { RUNS } from "../base/own-folders.ts";
import { buildAnswerCommand, buildShellCommand } from "../connection/machine-answer.ts";
import { defineCall, type OwnCall } from "../connection/own-call.ts";
import { DEFINE_BUSY, DEFINE_FAMILY, setFolder } from "./run-folder.ts";

/** Seconds that a command has to save its work after it was asked to stop. */
const SAVES_WITHIN = 60;

/** Seconds between two looks. */
const EVERY = 5;

/**
 * Ends the command `seconds` after this begins. The machine's clock may be set in the meantime; it is all that survives a machine that is
 * paused.
 */
export function buildKeepScript(id: RunId, seconds: number | undefined): string {
  return [
    setFolder(id),
    DEFINE_FAMILY,
    'signal() { p=$(cat "$d/pid") && family && for q in $l; do kill -s "$1" "$q"; done; } 2>/dev/null',
    'alive() { p=$(cat "$d/pid" 2>/dev/null); [ -z "$p" ] || kill -0 "$p" 2>/dev/null; }',
    ...(seconds === undefined ? [] : [`end=$(($(date +%s) + ${Math.max(0, Math.ceil(seconds))}))`]),
    'asked=; while [ ! -e "$d/exit" ] && alive; do',
    ...(seconds === undefined
      ? []
      : [
          `now=$(date +%s); if [ $now -ge $((end + ${SAVES_WITHIN})) ]; then signal KILL`,
          'elif [ $now -ge $end ] && [ -z "$asked" ]; then asked=1; : > "$d/limit"; : > "$d/stopped"; signal TERM; fi',
        ]),
    `sleep ${EVERY}; done`,
    // It is written once the machine has shown that it can be done.
    `[ -e "$d/guard" ] && exec sh "$d/guard"`,
    "",
  ].join("\n");
}

/** Begins it from the run's own script: whoever asks for what that one started doesn't find it. */
export const START_KEEPER = startBeside("keep.sh");

/** Begins a script of the run's folder that outlives the connection. */
function startBeside(script: string): string {
  return `s=; command -v setsid >/dev/null 2>&1 && s=setsid; (trap "" HUP; $s sh "$d/${script}" < /dev/null > /dev/null 2>&1 &)`;
}

export interface GuardPlan extends OwnCall {
  /** The folder that the command runs in. */
  readonly remote: string;
  /** Seconds after the command ended, within which its results can be downloaded. */
  readonly grace: number;
}

/**
 * `reading` tells by its exit code whether files of the run's folder, `$r`, are being transferred or compared, which may take hours. By
 * the names of the programs: what else is left there may never end.
 */
const DEFINE_READING = [
  'reading() { for c in /proc/[0-9]*/comm; do read -r n 2>/dev/null < "$c" || continue',
  `case $n in tar|bsdtar|sha256sum|scp|rsync|sftp-server) ;; *) continue;; esac; q=\${c%/comm}`,
  'ls -l "$q/cwd" "$q/fd" 2>/dev/null | sed "s/$/\\//" | grep -qF -e "-> $r/" -e "-> $d/" && return 0; done; return 1; }',
].join("\n");

/** Answers of `buildGuardCommand`. */
export const GUARDED = "guarded";
/** The machine doesn't know itself by the variables that the service promises. */
export const NO_KEY = "no-key";
/** The service didn't take it from the machine. */
export const NO_CALL = "no-call";

/**
 * Has the machine stop itself some time after the command ended. Only where it can: it is asked to start, which it has, with the same key
 * and program. A machine that runs anything else of ours, or whose results are being downloaded, stays up.
 */
export function buildGuardCommand(id: RunId, plan: GuardPlan): string {
  const guard = [
    setFolder(id),
    defineCall(plan),
    DEFINE_BUSY,
    `r=$(cd -- ${quoteWord(plan.remote)} && pwd -P) || r=$d`,
    DEFINE_READING,
    "since=$(date +%s)",
    'while [ -e "$d/guard" ]; do',
    'if busy "$d" || reading; then since=$(date +%s)',
    `elif [ $(($(date +%s) - since)) -ge ${Math.ceil(plan.grace)} ]; then call stopped && sleep 60; fi`,
    `sleep ${EVERY}; done`,
    "",
  ].join("\n");
  return buildShellCommand(
    [
      setFolder(id),
      defineCall(plan),
      `[ "$k" ] && [ "$v" = ${plan.instance} ] || { ${buildAnswerCommand(NO_KEY)}; exit; }`,
      `call running || { ${buildAnswerCommand(NO_CALL)}; exit; }`,
      `printf %s ${quoteWord(guard)} > "$d/guard.new" && mv "$d/guard.new" "$d/guard" || exit`,
      // No one looks for it any longer if the command has ended by now. Two of them do no harm.
      `[ ! -e "$d/exit" ] || { ${startBeside("guard")}; }`,
      buildAnswerCommand(GUARDED),
    ].join("\n"),
  );
}

export const UNGUARDED = "unguarded";

/** The machine stays up from now on, whoever is connected, and whichever run was to stop it. */
export const UNGUARD = buildShellCommand(`rm -f "$HOME/${RUNS}"/*/guard\n${buildAnswerCommand(UNGUARDED)}`);

/** Whether something is there that stops the machine: because of the run that was asked for, or of another one. */
export interface GuardsThere {
  readonly own: boolean;
  readonly other: boolean;
}

/**
 * Tells which runs have a script that would stop the machine, and a process for it, by its command line: a restart ends the process and
 * leaves the script. The brackets keep those who ask from being found.
 */
export function buildReadGuardsCommand(id: RunId): string {
  return buildShellCommand(
    [
      setFolder(id),
      `[ -r "/proc/$$/cmdline" ] || { ${buildAnswerCommand("unknown")}; exit; }`,
      `o=; t=; for g in "$HOME/${RUNS}"/*/guard; do f=\${g%/guard}; i=\${f##*/}; [ -e "$g" ] || continue`,
      'grep -qsz -e "/$i/[g]uard" -e "/$i/[k]eep[.]sh" /proc/[0-9]*/cmdline || continue',
      'if [ "$f" = "$d" ]; then o=own; else t=other; fi; done',
      buildAnswerCommand("guards $o $t"),
    ].join("\n"),
  );
}

/** @returns undefined for anything that says neither. */
export function readGuardsThere(answer: string): GuardsThere | undefined {
  const words = answer.split(" ", 4);
  if (words[0] !== "guards") return undefined;
  return { own: words.includes("own"), other: words.includes("other") };
}
