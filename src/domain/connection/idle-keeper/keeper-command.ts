// Brings a machine what stops it once it is idle, takes that away, and asks what it shows.
import { IDLE_KEEPER } from "../../base/own-folders.ts";
import { type IdleKeeperOrder, type IdleKeeperState, parseSeen } from "../../instance/idle-keeper.ts";
import { MOST_AHEAD } from "../../instance/idle-order.ts";
import { buildAnswerCommand, buildShellCommand } from "../machine-answer.ts";
import type { OwnCall } from "../own-call.ts";
import { buildIdleKeeperScript, type KeeperPace } from "./keeper-script.ts";

const SCRIPT = "keeper.sh";
/** Nothing on the machine does it. */
const MISSING = "no-keeper";
/** The name of an order, before so many digits. */
const NAME = "idl-";
const NAME_DIGITS = 20;
/** Seconds that it may take until it has asked the service for the first time. */
const SHOWN_WITHIN = 32;

/**
 * `$shown` is the line that it shows, and `$lives` whether the process that wrote it runs, by its command line. Where the system doesn't
 * tell that, nothing is known to run.
 */
const DEFINE_READ = [
  `d="$HOME/${IDLE_KEEPER}"; lives() { case $1 in ""|*[!0-9]*) return 1;; esac; case $(tr "\\000" " " < "/proc/$1/cmdline") in *" $d/${SCRIPT} "*) ;; *) false;; esac; } 2>/dev/null`,
  'show() { shown=; lives=no; clock=; read -r clock y < /proc/uptime; shown=$(head -c 300 "$d/state") && set -- $shown && lives "$4" && lives=yes; } 2>/dev/null',
].join("\n");

const ANSWER = `if [ "$shown" ]; then ${buildAnswerCommand(`$shown $lives \${clock%%.*} $acted`)}; else ${buildAnswerCommand(MISSING)}; fi`;

/** `isUsed`: a window uses the machine, which is work. */
export function buildReadKeeperCommand(isUsed: boolean): string {
  const note = isUsed ? ['[ ! -d "$d" ] || echo > "$d/used"'] : [];
  return buildShellCommand(["set -f; acted=no", DEFINE_READ, ...note, "show", ANSWER].join("\n"));
}

/** Ends what is there, whose process may be asking the service. `$acted` tells whether it had begun to. */
const END = [
  `show; set -- $shown; [ "\${9:-0}" = 0 ] || acted=yes; [ $lives = no ] || kill -9 "$4"; rm -f "$d/owner" "$d/state"`,
].join("\n");

/** What an order is called there: when it was given, and the digits of its name. */
const formatVersion = ({ at, name }: Pick<IdleKeeperOrder, "at" | "name">): string =>
  `${at}-${name.slice(-NAME_DIGITS)}`;

/** A command, and what goes to its standard input: no argument of a program tells what the machine is about to do. */
interface KeeperCommand {
  readonly command: string;
  readonly input: string;
}

/**
 * Gives a machine an order, unless it has that one or a later one. One that it has and that nothing keeps any longer, as after a restart, is
 * begun again. One at a time does that. One that is far later than `now`, in epoch milliseconds, and than the machine's own clock, is of no
 * order that holds.
 */
export function buildPlaceKeeperCommand(
  call: OwnCall,
  order: IdleKeeperOrder,
  now: number,
  pace?: KeeperPace,
): KeeperCommand {
  const { wish, percent, at } = order;
  const version = formatVersion(order);
  const input = wish ? buildIdleKeeperScript({ ...call, wish, percent, version }, pace) : "";
  const begin = [
    `mv "$d/new.$$" "$d/${SCRIPT}" && {`,
    `s=; command -v setsid >/dev/null 2>&1 && s=setsid; (trap "" HUP; exec $s sh "$d/${SCRIPT}" < /dev/null > /dev/null 2>&1) &`,
    `i=0; while show; case $shown in "idle-keeper 1 ${version} "*" unasked "*|"") ;; *) false;; esac; do i=$((i + 1)); [ $i -le ${SHOWN_WITHIN} ] || break; sleep 1; done; }`,
  ];
  const command = [
    "set -f; umask 077; acted=no; v=; i=0; LC_ALL=C; export LC_ALL",
    DEFINE_READ,
    'mkdir -p "$d" && chmod 700 "$d" && cat > "$d/new.$$" || exit',
    `[ "$(wc -c < "$d/new.$$")" -eq ${Buffer.byteLength(input)} ] || { rm -f "$d/new.$$"; exit 1; }`,
    'until mkdir "$d/lock" 2>/dev/null; do i=$((i + 1)); [ $i -ge 5 ] && break; sleep 1; done',
    `{ read -r v < "$d/order"; } 2>/dev/null; a=\${v%%-*}; case $a in *[!0-9]*|"") a=0;; esac; show`,
    `n=${Math.floor(now / 1000)}; t=$(date +%s) 2>/dev/null; case $t in *[!0-9]*|"") t=0;; esac; [ $t -ge $n ] || t=$n`,
    `[ "$a" -le $(((t + ${MOST_AHEAD / 1000}) * 1000)) ] || a=0`,
    // One that the service refused asks again.
    `case $shown in *" no "*) lives=no;; esac; later() { if [ "$a" -eq ${at} ]; then expr "x$v" \\< x${version}; else [ "$a" -lt ${at} ]; fi >/dev/null 2>&1; }`,
    `if later || { [ "$v" = ${version} ] && [ $lives = no ]; }; then ${END}`,
    `echo ${version} > "$d/order.new" && mv "$d/order.new" "$d/order" || exit`,
    ...(wish ? begin : [`rm -f "$d/${SCRIPT}"`]),
    'fi; rm -f "$d/new.$$"; rmdir "$d/lock" 2>/dev/null; show',
    ANSWER,
  ].join("\n");
  return { command: buildShellCommand(command), input };
}

const VERSION = /^(?<at>0|[1-9]\d{0,14})(?:-(?<digits>[0-9a-f]{20}))?$/;
const NUMBER = /^(?:0|[1-9]\d{0,14})$/;
const WORDS = 13;
const ACCEPTED: Readonly<Record<string, boolean>> = { yes: true, no: false };

/**
 * The machine isn't trusted: what isn't exactly as its script writes it, or can't be, is nothing.
 * @returns undefined if it doesn't tell.
 */
export function readKeeperState(answer: string): IdleKeeperState | "missing" | undefined {
  if (answer === MISSING) return "missing";
  const words = answer.slice(0, 400).split(" ");
  const [name, version, order = "", pid, now, since, seen, ok, tried, end, lives, clock, acted] = words;
  if (words.length !== WORDS || name !== "idle-keeper" || version !== "1" || end !== ".") return undefined;
  const { at, digits } = VERSION.exec(order)?.groups ?? {};
  const numbers = [at, pid, now, since, tried, clock].map((word = "") =>
    NUMBER.test(word) ? Number(word) : undefined,
  );
  const [a, , n, s, t, uptime] = numbers;
  const last = parseSeen(seen);
  if (numbers.includes(undefined) || last === undefined) return undefined;
  if (a === undefined || n === undefined || s === undefined || uptime === undefined) return undefined;
  const isWhole = ["yes", "no"].includes(lives ?? "") && ["yes", "no"].includes(acted ?? "");
  if (!isWhole || !["yes", "no", "unasked"].includes(ok ?? "") || s > n || n > uptime) return undefined;
  return {
    // One of an earlier release has no name.
    ...{
      at: a,
      name: digits === undefined ? "" : NAME + digits,
      lives: lives === "yes",
      age: uptime - n,
      idle: n - s,
      seen: last,
    },
    ...{ isAccepted: ACCEPTED[ok ?? ""], hasActed: t !== 0 || acted === "yes" },
  };
}
