// Asks a machine which end it keeps itself, and moves it.
import { quoteWord } from "../../lib/shell-words.ts";
import { SELF_END_FILE, SELF_REQUESTS, type SelfStopOrder, type SelfStopState } from "../instance/self-stop.ts";
import { buildAnswerCommand, buildShellCommand } from "./machine-answer.ts";
import { defineCall, type OwnCall } from "./own-call.ts";

/** Nothing on the machine keeps an end. */
const MISSING = "no-end";
/** The system doesn't tell which programs run. */
const UNKNOWN = "unknown";
/** Begins the line with the end. */
const END = "end";

/**
 * `look` reads the file: its end, what happens at it, and which end it is. The launch wrote the end alone. Only whole requests count:
 * with anything else, nothing would happen.
 */
const DEFINE_LOOK = [
  'look() { t= m= x= nth= set=; { read -r t m x; read -r nth set; } < "$f"',
  `case $t in ""|*[!0-9]*) t=none;; esac; case "$m $x" in ${quoteWord(SELF_REQUESTS.stop)}|"DELETE "?*) ;; *) m=none;; esac`,
  'case $nth in ""|*[!0-9]*) nth=0;; esac; case $set in ""|*[!0-9]*) set=0;; esac; } 2>/dev/null',
].join("\n");

/**
 * `$p` is the process that keeps the end, by its command line, `$f` its file, and `$s` the time before which it leaves ends alone. A start
 * script may have another home folder than a login: its file is found by what keeps it, if that has the key of this machine. The brackets
 * keep those who ask from being found.
 */
const FIND_KEEPER = [
  'lines() { tr "\\000" "\\n" 2>/dev/null < "$1"; }; value() { lines "/proc/$1/environ" | sed -n "s/^$2=//p"; }',
  'k=$CONTAINER_API_KEY; [ "$k" ] || k=$(value 1 CONTAINER_API_KEY); h=$f; p=; s=; w=',
  `for g in $(grep -lsz -e "/[.]${SELF_END_FILE.slice(1)}" /proc/[0-9]*/cmdline 2>/dev/null)`,
  `do grep -qsz "CONTAINER_[A]PI_KEY" "$g" || continue; q=\${g#/proc/}; q=\${q%/cmdline}; n=$(lines "$g" | sed -n "\\$p")`,
  'case $n in "$h") ;;',
  `*/${SELF_END_FILE}) [ "$k" ] || { ${buildAnswerCommand(UNKNOWN)}; exit; }`,
  `[ -z "$p" ] && [ "$(value "$q" CONTAINER_API_KEY)" = "$k" ] || continue;;`,
  '*) continue;; esac; p=$q; f=$n; [ "$f" != "$h" ] || break; done',
  'if [ "$p" ]; then s=$(value "$p" s); w=$(value "$p" PATH); fi; k=',
  'case $s in ""|*[!0-9]*) s=0;; esac',
].join("\n");

/** One at a time writes, and nothing over what was set later. */
function move({ wait, ending, count, at }: SelfStopOrder): string {
  const end = wait === undefined ? "none" : `$(($(date +%s) + ${Math.ceil(wait / 1000)})) `;
  const request = wait === undefined ? "" : SELF_REQUESTS[ending];
  return [
    'i=0; until mkdir "$f.lock" 2>/dev/null; do i=$((i + 1)); [ $i -ge 5 ] && break; sleep 1; done; look',
    `if [ "$nth" -lt ${count} ] || { [ "$nth" -eq ${count} ] && [ "$set" -lt ${at} ]; }; then`,
    '[ -z "$p" ] || [ "$t" = none ] || [ "$t" -le "$s" ] || [ "$(date +%s)" -lt "$t" ] || d=due',
    `e="${end}"; printf "%s\\n" "$e"${quoteWord(request)} "${count} ${at}" > "$f.new" && mv "$f.new" "$f"; fi`,
    'rmdir "$f.lock" 2>/dev/null',
  ].join("\n");
}

/**
 * Has a machine say which end it keeps, and whether it could carry it out: it is asked to start, which it has, with the same key. Not if
 * its end has come: that would take back what it just did. What asks is a shell of its own, for the key to be in no variable of the
 * answer, with the programs that what keeps the end can find. With `order`, the end is moved first, unless a later one is there.
 */
export function buildSelfStopCommand(call: OwnCall, order?: SelfStopOrder): string {
  return buildShellCommand(
    [
      // A shell that prints what it does would print the key.
      `set +x; f="$HOME/${SELF_END_FILE}"; d=no; k=; v=; ok=no`,
      `[ -r "/proc/$$/cmdline" ] || { ${buildAnswerCommand(UNKNOWN)}; exit; }`,
      FIND_KEEPER,
      `[ -e "$f" ] || { ${buildAnswerCommand(MISSING)}; exit; }`,
      DEFINE_LOOK,
      "unset CONTAINER_API_KEY CONTAINER_ID",
      defineCall(call, '"$p"'),
      ...(order === undefined ? [] : [move(order)]),
      'look; n=$(date +%s); [ "$t" = none ] && l=no || { [ "$n" -ge "$t" ] && l=yes || l=no; }',
      `if [ "$p" ] && [ "$k" ] && [ "$v" = ${call.instance} ] && [ $l = no ]; then (PATH=\${w:-$PATH}; call running) && ok=yes; fi`,
      buildAnswerCommand(`${END} $t $m $nth $set $s $(date +%s) "\${p:-none}" $ok $d`),
    ].join("\n"),
  );
}

/** The last second that a date can say. */
const LAST_SECOND = 8.64e12;

/** @returns undefined if the machine doesn't tell. `now` is this computer's time when it answered, in epoch milliseconds. */
export function readSelfStopState(answer: string, now: number): SelfStopState | "missing" | undefined {
  if (answer === MISSING) return "missing";
  const words = answer.slice(0, 300).split(" ");
  const [begin, time = "", method, count = "", at = "", since = "", clock = "", keeper, accepted, due] = words;
  const numbers = [count, at, since, clock].map((word) => (/^\d{1,16}$/.test(word) ? Number(word) : undefined));
  const [c, a, s, n] = numbers;
  if (begin !== END || words.length !== 10) return undefined;
  if (c === undefined || a === undefined || s === undefined || n === undefined) return undefined;
  const end = /^\d{1,13}$/.test(time) && Number(time) <= LAST_SECOND ? Number(time) : undefined;
  const ending = ({ PUT: "stop", DELETE: "destroy" } as const)[method ?? ""];
  return {
    // A time alone ends nothing.
    until: end === undefined || ending === undefined ? undefined : now + (end - n) * 1000,
    written: end,
    ending,
    count: c,
    at: a,
    lives: keeper !== "none" && (end === undefined || end > s),
    isAccepted: accepted === "yes",
    wasDue: due === "due",
  };
}
