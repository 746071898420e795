// What stops or destroys a machine once it is idle, while no one is connected: a script on the machine that looks once a minute.
import { IDLE_KEEPER, RUNS } from "../../base/own-folders.ts";
import { NVIDIA_SMI } from "../../instance/gpu-load.ts";
import { FAILED_STOP_MINUTES, type IdleWish } from "../../instance/idle-order.ts";
import { defineCall, type OwnCall } from "../own-call.ts";

export interface IdleKeeperPlan extends OwnCall {
  readonly wish: IdleWish;
  /** GPUs below this load do nothing. */
  readonly percent: number;
  /** Of the order that it keeps. */
  readonly version: string;
}

export interface KeeperPace {
  /** Seconds between two looks, and between the look that finds it idle for long enough and the last one before anything is sent. */
  readonly every: number;
  readonly confirm: number;
}

/** What it reads, and how often. */
interface KeeperSources extends KeeperPace {
  /** Where the system says how long it has run and what went over the network. */
  readonly proc: string;
  /** The folder with a file for each terminal. */
  readonly terminals: string;
}

const SOURCES: KeeperSources = { proc: "/proc", terminals: "/dev/pts", every: 60, confirm: 20 };

/** Bytes a minute over all networks from which on that is work: strangers who knock at the SSH server cause less. */
const MOST_TRAFFIC = 500_000;
/** Seconds between two looks that may hide work. */
const MOST_GAP = 150;
/** Seconds after its start in which it isn't idle: it may be set up. */
const YOUNG = 600;
/** Seconds after a request that was accepted, if the machine still runs. */
const AGAIN = 600;
/** Seconds in which a stop fails before it becomes a destroy, where the person chose that. */
const FAILED = FAILED_STOP_MINUTES * 60;
/** What programs may write into a file, in blocks of 512 or 1024 bytes: someone else's program prints what it likes. */
const MOST_WRITTEN = 64;
const MOST_GPUS = 128;

/** The state that is asked for. */
const KEEPER_STATES = { stop: "stopped", destroy: "destroyed" } as const;

/** Digits that a shell can add: no sign, and no zero that makes it octal. */
const DEFINE_NUMBER = 'num() { case $1 in ""|*[!0-9]*|0?*|????????????????*) return 1;; esac; }';

/** `$now`, in seconds that go on whatever the clock is set to. */
const defineClock = (proc: string) =>
  `clock() { x=; read -r x y < ${proc}/uptime && num "\${x%%.*}" && now=\${x%%.*}; } 2>/dev/null`;

/** `$sum` of all bytes but those that the machine sends itself. */
const defineTraffic = (proc: string) =>
  [
    'traffic() { sum=0; while IFS=" :" read -r i x q q q q q q q y q; do case $i in *"|"*|face|lo) continue;; esac',
    `num "$x" && num "$y" || return 1; sum=$((sum + x + y)); done < ${proc}/net/dev; } 2>/dev/null`,
  ].join("\n");

/**
 * `begin` starts the one program that says how busy the GPUs are; `finish` tells whether it ended well by now, and ends it if it hangs. One
 * that can't be ended is waited for before the next. `gpus` sets `$busy`, and fails unless every line is the load of a GPU.
 */
const defineGpus = (percent: number) =>
  [
    `begin() { [ "$smi" ] || { ${NVIDIA_SMI} < /dev/null > gpus 2>/dev/null & smi=$!; }; }`,
    `finish() { x=; [ "$smi" ] || return 1; if read -r x < "/proc/$smi/stat"; then set -- \${x##*") "}`,
    'if [ "$2" = $$ ] && [ "$1" != Z ]; then kill -9 "$smi"; return 1; fi; fi',
    'wait "$smi"; x=$?; smi=; [ $x = 0 ]; } 2>/dev/null',
    'gpus() { busy=; c=0; while IFS=" ," read -r i x y z || [ "$i" ]; do c=$((c + 1))',
    `num "$i" && num "$x" && [ "$x" -le 100 ] && [ $c -le ${MOST_GPUS} ] || return 1; [ "$x" -lt ${Math.ceil(percent)} ] || busy=1; done < gpus`,
    "[ $c -gt 0 ]; } 2>/dev/null",
  ].join("\n");

/**
 * Terminals in which anything was typed or printed, and windows that said that they use the machine: by files that changed since the look
 * before the last one, since the system notes the time of a terminal some seconds late.
 */
const defineTerminals = (terminals: string) =>
  [
    `typed() { for f in ${terminals}/[0-9]*; do [ "$f" -nt mark.$turn ] && return 0; done; return 1; }`,
    // A mark that is older than the one before: the clock was set back, and files of the time between tell nothing.
    "mark() { o=$((1 - turn)); echo > mark.$turn; back=; [ mark.$o -nt mark.$turn ] && back=1; turn=$o; } 2>/dev/null",
  ].join("\n");

/** Runs in progress. A number may belong to another process by now: its command line names no run's script. */
const DEFINE_RUNS = [
  `runs() { for f in "$HOME/${RUNS}"/*/; do [ -e "$f/exit" ] && continue; p=; read -r p < "$f/pid" && num "$p" && kill -0 "$p" || continue`,
  `x=; IFS= read -r x < "/proc/$p/cmdline"; case $x in ""|*"\${f#"$HOME/"}run.sh"*) return 0;; esac; done; return 1; } 2>/dev/null`,
].join("\n");

/** What was seen last, when, and since when it is idle. Whoever reads it finds all of a line. */
const definePut = ({ version }: IdleKeeperPlan) =>
  `put() { echo "idle-keeper 1 ${version} $$ $now $since $seen $ok \${tried:-0} ." > state.new && mv state.new state; } 2>/dev/null`;

/** Whether it is still the one that looks: whoever gives another order, or takes it back, replaces the file. */
const DEFINE_MINE = 'mine() { x=; read -r x < owner && [ "$x" = "$me" ]; } 2>/dev/null';

/**
 * One look. What can't be read counts as work, and says so first: as long as that is so, nothing is promised. `$since` is when work was
 * seen last.
 */
const LOOK = [
  "look() { seen=quiet; last=$now; blind=; clock || blind=no-clock; e=$((now - last))",
  `[ $e -ge 0 ] && [ $e -le ${MOST_GAP} ] || seen=gap; if finish && gpus; then [ -z "$busy" ] || seen=gpu; else blind=no-gpu; fi`,
  'before=$sum; sum=; if traffic; then if [ "$before" ]; then d=$((sum - before))',
  `[ $d -ge 0 ] && [ $((d * 60)) -le $((${MOST_TRAFFIC} * (e > 0 ? e : 1))) ] || seen=network; else seen=gap; fi; else sum=; blind=no-network; fi`,
  'if [ -d "$terminals" ]; then typed && seen=terminal; else blind=no-terminals; fi',
  "[ used -nt mark.$turn ] && seen=window; runs && seen=run; mark",
  '[ "$back" ] && seen=gap; [ "$blind" ] && seen=$blind; [ $seen = quiet ] || since=$now; }',
].join("\n");

/**
 * The first look comes soon, for the machine to show what it can see. The request is sent only by a look that follows one that found the
 * same a few seconds before, and is repeated until the machine is gone. Work in between ends that. A stop becomes a destroy
 * only in a look of its own, half an hour after the service first refused the stop, or took it and nothing came of it: one that couldn't be
 * reached, or was busy, has refused nothing, and that time starts again.
 */
function buildLoop({ wish }: IdleKeeperPlan, { every, confirm }: KeeperSources): string {
  const orDestroy = wish.ending === "stop" && wish.orDestroy === true;
  return [
    `w=${confirm}; traffic || sum=; while begin; sleep $w || sleep 1 || exit; mine; do look; w=${every}`,
    `if [ $seen != quiet ]; then tried=; took=; bad=; elif [ $((now - since)) -ge ${Math.ceil(wish.minutes * 60)} ] && [ $((now - born)) -ge ${YOUNG} ]; then`,
    `if [ "$took" ] && [ $((now - took)) -lt ${AGAIN} ]; then :`,
    // The look before found the same.
    `elif [ -z "$sure" ]; then w=${confirm}; sure=1; put; continue`,
    `else [ "$tried" ] || tried=$now; act=${KEEPER_STATES[wish.ending]}`,
    ...(orDestroy ? [`[ -z "$bad" ] || [ $((now - bad)) -lt ${FAILED} ] || act=destroyed`] : []),
    'put; mine || exit; call $act; x=$?; [ $x != 0 ] || took=$now; case $x in 0|3) [ "$bad" ] || bad=$now;; *) bad=;; esac; fi; fi; sure=; put; done',
    "",
  ].join("\n");
}

/**
 * Runs by any `sh`. Three programs a look: `sleep`, `nvidia-smi` and `mv`. Only one of them runs: each writes a word of its own into a file,
 * and ends once another word is there, or none.
 */
export function buildIdleKeeperScript(plan: IdleKeeperPlan, given: Partial<KeeperSources> = {}): string {
  const sources = { ...SOURCES, ...given };
  const { proc, terminals } = sources;
  return [
    `umask 077; cd "$HOME/${IDLE_KEEPER}" || exit; ulimit -f ${MOST_WRITTEN} 2>/dev/null`,
    defineCall(plan),
    // A shell that would start a program to print the key shows it to every other one.
    'unset CONTAINER_API_KEY; [ "$(command -v printf)" = printf ] || k=',
    ...[DEFINE_NUMBER, defineClock(proc), defineTraffic(proc), defineGpus(plan.percent), defineTerminals(terminals)],
    ...[DEFINE_RUNS, definePut(plan), DEFINE_MINE, LOOK],
    `terminals=${terminals}; smi=; sum=; tried=; took=; bad=; sure=; seen=starting; ok=unasked; now=0; turn=0`,
    'clock; me="$$ $now"; echo "$me" > owner.new && mv owner.new owner || exit',
    "born=$now; since=$now; echo > mark.0; echo > mark.1; put",
    `if [ "$k" ] && [ "$v" = ${plan.instance} ] && call running; then ok=yes; else ok=no; fi; put`,
    buildLoop(plan, sources),
  ].join("\n");
}
