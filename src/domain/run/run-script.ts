// What a machine's shell is asked to run for a run, and what its answers mean. All that a run leaves there is in a folder of its own:
// its script, its log, its process and its exit code. It goes on without a connection.
import { quoteWord } from "../../lib/shell-words.ts";
import { t } from "../../lib/text.ts";
import { withVariables } from "../base/command.ts";
import type { RunId } from "../base/id.ts";
import { RUNS } from "../base/own-folders.ts";
import { buildAnswerCommand, buildShellCommand } from "../connection/machine-answer.ts";
import { START_KEEPER } from "./keep-script.ts";
import { DEFINE_BUSY, DEFINE_FAMILY, RUN_ATTEMPT, RUN_FOLDER, RUN_MARK, setFolder } from "./run-folder.ts";
import type { RunPlan } from "./run-plan.ts";
import { buildReceiving, buildSetting, PASS_SECRETS, TAKE_SECRETS } from "./run-secrets.ts";

/** The programs without which a run couldn't begin, be followed, or bring its results back. */
export const RUN_NEEDS = ["cat", "date", "find", "grep", "head", "mv", "sleep", "tail", "wc"];

/** Whether it runs: a number may belong to another process by now, whose command line doesn't name this run's script. */
const defineAlive = (id: RunId): string =>
  [
    'alive() { p=$(cat "$d/pid" 2>/dev/null) && kill -0 "$p" 2>/dev/null &&',
    `{ [ ! -r "/proc/$p/cmdline" ] || grep -qzF -- /${id}/run.sh "/proc/$p/cmdline"; }; }`,
  ].join(" ");

/** Told in the log before each command, as a terminal would show it. */
const announce = (command: string): string => `printf '%s\\n' ${quoteWord(`$ ${command}`)}`;

/** What leaves its file behind ended in the setup, in whichever way: that may end the shell. */
const listSetupSteps = (setup: string): readonly string[] => [
  `: > "$${RUN_FOLDER}/setup"`,
  setup,
  "(exit $?) || exit $?",
  // A setup may have changed where programs are found, and that the shell ends with the first that fails.
  `rm -f "$${RUN_FOLDER}/setup" 2>/dev/null || :`,
];

/** How often it is asked, five times a second, whether something that the command started still runs. */
const SETTLES_IN = 10;

interface RunExtras {
  /** What goes on beside it, outside its family. */
  readonly keeper?: string;
  /** Which attempt it is, from 1. */
  readonly attempt?: number;
}

/**
 * The script of a run, which `buildStartCommand` expects on its standard input. Signals reach the command alone: the script outlives it
 * to write down its exit code. A command that was asked to stop is over once all that it started is: that may be saving its work.
 */
export function buildRunScript(id: RunId, plan: RunPlan, { keeper = "", attempt = 1 }: RunExtras = {}): string {
  const { command, shown, variables, secrets, setup, remote } = plan;
  const said = t("The machine's login profile ended the shell, so the command runs without the profile.");
  const [passed, input] = secrets === undefined ? ["", ""] : [`${PASS_SECRETS} `, "3<&0 "];
  const steps = [
    // Whoever can't say that it began doesn't begin: it would run twice. A profile may name another home.
    `: > "$${RUN_FOLDER}/shell" || exit`,
    ...(secrets === undefined ? [] : [buildSetting()]),
    `export PYTHONUNBUFFERED=1 ${RUN_ATTEMPT}=${attempt}`,
    ...(variables === undefined ? [] : [withVariables("", variables)]),
    // A profile may have gone elsewhere.
    `cd -- ${quoteWord(remote)} || exit`,
    ...(setup.trim() === "" ? [] : [announce(setup), ...listSetupSteps(setup)]),
    `: > "$${RUN_FOLDER}/ready"`,
    announce(shown ?? command),
    command,
  ];
  return [
    setFolder(id),
    "p=$$",
    DEFINE_FAMILY,
    'echo $$ > "$d/pid"',
    ...(secrets === undefined ? [] : [buildReceiving()]),
    ...(keeper === "" ? [] : [`printf %s ${quoteWord(keeper)} > "$d/keep.sh"`, START_KEEPER]),
    "trap : HUP INT TERM",
    "b=sh; command -v bash >/dev/null 2>&1 && b=bash",
    // Profiles start other programs for whoever logs in, such as tmux.
    "unset SSH_CLIENT SSH_CONNECTION SSH_TTY",
    `work=${quoteWord(steps.join("\n"))}`,
    `run() { ${passed}(export ${RUN_MARK}=${id} ${RUN_FOLDER}="$d"; exec $b "$1" "$work" ${input}>> "$d/log" 2>&1 < /dev/null); code=$?; }`,
    "began=$(date +%s); run -lc",
    `[ -e "$d/shell" ] || [ -e "$d/stopped" ] || { echo ${quoteWord(said)} >> "$d/log"; run -c; }`,
    // A setup that was asked to stop hasn't failed. One that went well may have left no way to find `rm`.
    '{ [ ! -e "$d/ready" ] && [ ! -e "$d/stopped" ]; } || rm -f "$d/setup"',
    // A setup that ends the shell ends it without the command.
    '[ -e "$d/ready" ] || [ $code -ne 0 ] || code=1',
    'while [ -e "$d/stopped" ] && family && [ "$l" ]; do sleep 0.2 2>/dev/null || sleep 1; done',
    'took=$(($(date +%s) - began)); limit=; [ -e "$d/limit" ] && limit=limit',
    // What is just ending hasn't been left behind, nor has the keeper, which leaves the session in a moment.
    `n=0; while family && [ "$l" ] && [ $n -lt ${SETTLES_IN} ]; do n=$((n + 1)); sleep 0.2 2>/dev/null || sleep 1; done`,
    'left=; [ "$l" ] && left=left',
    'echo $code $took $left $limit > "$d/exit.new" && mv "$d/exit.new" "$d/exit"',
    "",
  ].join("\n");
}

/** Answer of `buildMarkCommand`. */
export const MARKED = "marked";

/** Files that arrive after it are among the run's results: an earlier attempt made them. */
export const buildMarkCommand = (id: RunId): string =>
  buildShellCommand(
    [
      setFolder(id),
      // Asked for again, it stays as old as what came after it the first time.
      `umask 077; mkdir -p "$HOME/${RUNS}" && { [ -e "$d.earlier" ] || : > "$d.earlier"; } || exit`,
      // What is written in the same tick of a coarse clock wouldn't be newer.
      `sleep 0.1 2>/dev/null || sleep 1; ${buildAnswerCommand(MARKED)}`,
    ].join("\n"),
  );

/** Answers of `buildStartCommand`. `there`: it was started before, by an order whose answer was lost. */
export const STARTED = "started";
export const THERE = "there";

/**
 * Starts a run, at most once, whatever becomes of the answer: its folder can be created only once. `bytes` is the length of its script:
 * one that arrives in part begins nothing. A line with the run's secrets comes before it, if it has any.
 */
export function buildStartCommand(id: RunId, bytes: number, hasSecrets = false): string {
  const start = hasSecrets
    ? `trap "" HUP; ${PASS_SECRETS} (exec $s sh "$d/run.sh" > /dev/null 2>&1) &`
    : '(trap "" HUP; exec $s sh "$d/run.sh" < /dev/null > /dev/null 2>&1) &';
  return buildShellCommand(
    [
      setFolder(id),
      ...(hasSecrets ? [TAKE_SECRETS] : []),
      `umask 077; mkdir -p "$HOME/${RUNS}" && cat > "$d.sh" || exit`,
      `[ "$(wc -c < "$d.sh")" -eq ${bytes} ] || { rm -f "$d.sh"; exit 1; }`,
      `mkdir "$d" 2>/dev/null || { [ -d "$d" ] && ${buildAnswerCommand(THERE)}; exit; }`,
      'mv "$d.sh" "$d/run.sh" && : > "$d/log" && : > "$d/began" || exit',
      '[ ! -e "$d.earlier" ] || mv "$d.earlier" "$d/began" || exit',
      "umask 022",
      "s=; command -v setsid >/dev/null 2>&1 && s=setsid",
      start,
      buildAnswerCommand(STARTED),
    ].join("\n"),
  );
}

/**
 * What the machine says of a run. `lost`: it ended without an exit code. `seconds` is how long it took there; `hasLeft`: something that
 * it started still runs; `isLimited`: its time limit stopped it; `isSetupFailure`: its setup failed, so its command didn't start. Earlier
 * versions left no word of that.
 */
export type ThereState =
  | {
      readonly kind: "ended";
      readonly exit: number;
      readonly seconds?: number;
      readonly hasLeft: boolean;
      readonly isLimited: boolean;
      readonly isSetupFailure: boolean;
    }
  | { readonly kind: "lost"; readonly hasLeft?: true }
  | { readonly kind: "running" | "starting" | "missing" };

export function buildStateCommand(id: RunId): string {
  return buildShellCommand(
    [
      setFolder(id),
      defineAlive(id),
      DEFINE_FAMILY,
      `if [ ! -d "$d" ]; then ${buildAnswerCommand("missing")}`,
      // Whether it runs is asked first: it may end between the two.
      `elif alive && [ ! -e "$d/exit" ]; then ${buildAnswerCommand("running")}`,
      `elif [ -e "$d/exit" ]; then s=; [ -s "$d/exit" ] && [ -e "$d/setup" ] && s=setup`,
      buildAnswerCommand('ended "$(cat "$d/exit")" $s'),
      // Its script alone may have been killed. A number that another process has by now tells nothing.
      `elif [ -e "$d/pid" ]; then l=; [ -z "$p" ] || grep -qs . "/proc/$p/cmdline" || family; ${buildAnswerCommand(`lost "\${l:+left}"`)}`,
      `else ${buildAnswerCommand("starting")}; fi`,
    ].join("\n"),
  );
}

/** @returns undefined for anything that `buildStateCommand` doesn't answer. */
export function readThereState(answer: string): ThereState | undefined {
  const [, code, seconds, left, limit, setup] =
    /^ended (\d{1,3})(?: (-?\d{1,9}))?( left)?( limit)?( setup)?$/.exec(answer) ?? [];
  if (code !== undefined)
    return {
      ...{ kind: "ended", exit: Number(code), hasLeft: left !== undefined, isLimited: limit !== undefined },
      isSetupFailure: setup !== undefined && Number(code) !== 0,
      // A clock that was set back counts for nothing.
      ...(seconds === undefined || Number(seconds) < 0 ? {} : { seconds: Number(seconds) }),
    };
  if (answer === "lost left") return { kind: "lost", hasLeft: true };
  // A machine that went down in the middle can leave an empty file.
  if (answer === "ended") return { kind: "lost" };
  const kinds = ["running", "starting", "lost", "missing"] as const;
  const kind = kinds.find((one) => one === answer);
  return kind && { kind };
}

export const FOLLOWING = "following";

/**
 * Prints the log from a byte on, and what is added to it, until the run ends or the connection does. Our line comes first. One program reads
 * all of it where it can tell when the run's script has ended; elsewhere, looking again and again takes a few each time. What is printed
 * then is read only after it is known whether the run goes on: nothing is missing at the end.
 */
export function buildFollowCommand(id: RunId, from: number): string {
  return buildShellCommand(
    [
      setFolder(id),
      defineAlive(id),
      `at=${from}; c=; kill -0 $PPID 2>/dev/null && c=1`,
      buildAnswerCommand(FOLLOWING),
      'if alive && [ ! -e "$d/exit" ] && tail --pid=$$ -c 0 /dev/null 2>/dev/null; then',
      // A log that was emptied begins again.
      '  n=$(wc -c < "$d/log") && [ "$n" -lt "$at" ] && at=0',
      '  exec tail --pid="$p" -s 0.5 -c +$((at + 1)) -f "$d/log"; fi',
      "while :; do",
      '  e=; { [ -e "$d/exit" ] || ! alive; } && e=1',
      '  n=$(wc -c < "$d/log" 2>/dev/null) || exit 0',
      '  [ "$n" -lt "$at" ] && at=0',
      '  if [ "$n" -gt "$at" ]; then tail -c +$((at + 1)) "$d/log" | head -c $((n - at)) || exit; at=$((n)); fi',
      '  [ "$e" ] && exit 0',
      // A connection that is gone takes no one along: whoever is left over ends on its own.
      '  [ "$c" ] && ! kill -0 $PPID 2>/dev/null && exit 0',
      "  sleep 0.2 2>/dev/null || sleep 1",
      "done",
    ].join("\n"),
  );
}

const SIGNALED = "signaled";

/** Ends all that a run started; its script alone is left, to write down how that ended. */
export function buildStopCommand(id: RunId, signal: "TERM" | "KILL"): string {
  return buildShellCommand(
    [
      setFolder(id),
      defineAlive(id),
      DEFINE_FAMILY,
      'alive || exit 0; : > "$d/stopped"; family',
      `for q in $l; do kill -s ${signal} "$q" 2>/dev/null; done`,
      // Where the system doesn't tell, the group has to do.
      `[ "$l" ] || kill -s ${signal} -- "-$p" 2>/dev/null || kill -s ${signal} "$p"`,
      buildAnswerCommand(SIGNALED),
    ].join("\n"),
  );
}

/** Answers of `buildOtherRunsCommand`. */
export const ALONE = "alone";
export const BUSY = "busy";

/** Whether any other run is in progress on the machine, whoever started it. */
export function buildOtherRunsCommand(id: RunId): string {
  return buildShellCommand(
    [
      setFolder(id),
      DEFINE_BUSY,
      `if busy "$d"; then ${buildAnswerCommand(BUSY)}; else ${buildAnswerCommand(ALONE)}; fi`,
    ].join("\n"),
  );
}
