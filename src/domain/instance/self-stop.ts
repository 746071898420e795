// An instance that ends itself: what is put before its start script, and the file on the machine that says when. It works with the key
// that the service gives each instance for itself, so nothing of this computer is needed at the end.
import { formatNumber, t } from "../../lib/text.ts";
import { MOST_ONSTART } from "../template/template-draft.ts";
import type { AutoStop, AutoStopAction, SelfStopProof } from "./auto-stop.ts";

/** In the home folder of the machine. Its first line is the end; whoever writes a later time there puts the end off. */
export const SELF_END_FILE = ".gpu-end";

/** What an instance can do to itself. */
export type SelfStopAction = Exclude<AutoStopAction, "remind">;

interface SelfStop {
  /** The service's address. */
  readonly base: string;
  /** Epoch milliseconds. */
  readonly until: number;
  readonly ending: SelfStopAction;
}

/** The method and the body of the request, as the file has them. */
export const SELF_REQUESTS: Readonly<Record<SelfStopAction, string>> = {
  stop: 'PUT {"state":"stopped"}',
  destroy: "DELETE {}",
};

/** As the script of a launch has it. */
export const toSeconds = (until: number): number => Math.ceil(until / 1000);

/** Seconds between two looks at the file. */
const EVERY = 9;

/** The address stands without quotes in a script: nothing in it may mean anything to a shell. Encrypted, or on this computer only. */
const ADDRESS =
  /^(?:https:\/\/|http:\/\/(?=(?:127\.0\.0\.1|localhost)(?::|\/|$)))[\w.-]{1,200}(?::\d{1,5})?(?:\/[\w.~-]{1,100}){0,5}$/;

/** Whether a machine can be told to use this address on its own. */
export const isSelfStopAddress = (base: string): boolean => ADDRESS.test(base);

/**
 * Starts a loop in the background and leaves nothing else to the script after it. The first start makes a folder beside the file and
 * writes the end down. Later ones find the folder: they leave an end alone that passed in the meantime, since whoever started the
 * machine again wants it to run, and a file that was removed doesn't come back. The request is repeated until the machine is gone,
 * whatever is answered, so no one in between can make it stop trying. No program follows a redirect. The key reaches a program by its
 * standard input, or by a new file of this user's alone: everyone may read the arguments. Short, since it counts among the characters of
 * a start script: programs take unambiguous beginnings of their options.
 * @throws RangeError for an address that isn't `isSelfStopAddress`.
 */
export function buildSelfStopScript({ base, until, ending }: SelfStop): string {
  if (!isSelfStopAddress(base)) throw new RangeError("base");
  const seconds = toSeconds(until);
  if (!Number.isSafeInteger(seconds) || seconds <= 0) throw new RangeError("until");
  const request = SELF_REQUESTS[ending].replace(/\{.+\}/, "'$&'");
  return [
    `(L=~/${SELF_END_FILE};s=0;mkdir $L.d&&echo ${seconds} ${request}>$L||s=$(date +%s)`,
    `s=$s sh -c 'while sleep ${EVERY};[ -e $0 ];do read t m b<$0;[ $t -gt $s -a $(date +%s) -ge $t ]&&{`,
    `set -- --header Content-Type:application/json ${base}/api/v0/instances/$CONTAINER_ID/`,
    'a="Authorization:Bearer $CONTAINER_API_KEY"',
    'echo "header=\\"$a\\""|curl -qm9 -K- -X$m -d$b "$@"||(umask 77;rm -f $0.k;set -C;echo "header=$a">$0.k&&wget --conf=$0.k -O- -T9 --max-r=0 --meth=$m --body-d=$b "$@")||echo "$a"|python3 -c "import sys,urllib.request as r;a=input();*_,j,u,m,b=sys.argv;r.urlopen(r.Request(u,b.encode(),{a[:13]:a[14:],j[:12]:j[13:]},method=m),None,9)" "$@" $m $b',
    "};done' $L&)>/dev/null 2>&1",
    "",
  ].join("\n");
}

const SHEBANG = /^#![^\n]*(?:\n|$)/;
const SHELLS = /^#!\s*(?:\/usr\/bin\/env\s+(?:-S\s+)?)?\S*\b(?:ba|da|z|a|k)?sh(?:\s|$)/;

/** Puts it before a start script, whose first line goes on saying which shell reads it. */
export function withSelfStop(onstart: string | undefined, script: string): string {
  const [first = ""] = SHEBANG.exec(onstart ?? "") ?? [];
  return `${first}${first === "" || first.endsWith("\n") ? "" : "\n"}${script}${(onstart ?? "").slice(first.length)}`;
}

/** Why an instance can't end itself. */
export type NoSelfStop =
  /** No start script runs there. */
  | { readonly kind: "no-start" }
  /** The service can't be reached safely at its address. */
  | { readonly kind: "address" }
  /** The start script isn't one of a shell. */
  | { readonly kind: "interpreter" }
  /** With it, the start script has too many characters: `by` more than allowed. */
  | { readonly kind: "too-long"; readonly by: number };

/** @returns undefined if it can. */
export function findNoSelfStop(base: string, onstart: string | undefined): NoSelfStop | undefined {
  if (!isSelfStopAddress(base)) return { kind: "address" };
  const [first] = SHEBANG.exec(onstart ?? "") ?? [];
  if (first !== undefined && !SHELLS.test(first)) return { kind: "interpreter" };
  // The time has as many digits until the year 2286, and to stop takes the longer request.
  const length = withSelfStop(onstart, buildSelfStopScript({ base, until: 1e12, ending: "stop" })).length;
  return length > MOST_ONSTART ? { kind: "too-long", by: length - MOST_ONSTART } : undefined;
}

export function describeNoSelfStop(no: NoSelfStop): string {
  switch (no.kind) {
    case "no-start":
      return t("Self-stop isn't available: the instance runs no start script.");
    case "address":
      return t("Self-stop isn't available: this service address doesn't use HTTPS.");
    case "interpreter":
      return t("Self-stop isn't available: the start script isn't a shell script.");
    case "too-long":
      return t(
        "Self-stop isn't available: the start script would be {0} characters too long. The maximum is {1}.",
        formatNumber(no.by),
        formatNumber(MOST_ONSTART),
      );
  }
}

const WRITTEN = /^(?:#![^\n]*\n)?\(L=~\/\.gpu-end;[^\n]*&&echo (\d{1,12}) (PUT|DELETE) [^\n]*\n/;
const WRITTEN_ADDRESS = /^set -- .* (https?:\/\/\S+)\/api\/v0\/instances\/\$CONTAINER_ID\/$/m;

/** What this extension put before a start script, and nothing else of it. Undefined if anything in it is different. */
export function findSelfStopScript(onstart: string): string | undefined {
  const head = onstart.slice(0, 2000);
  const [, seconds, method] = WRITTEN.exec(head) ?? [];
  const [, base] = WRITTEN_ADDRESS.exec(head) ?? [];
  if (seconds === undefined || base === undefined || !isSelfStopAddress(base) || Number(seconds) === 0)
    return undefined;
  const ending = method === "PUT" ? "stop" : "destroy";
  const script = buildSelfStopScript({ base, until: Number(seconds) * 1000, ending });
  return head.slice(SHEBANG.exec(head)?.[0].length ?? 0).startsWith(script) ? script : undefined;
}

/** Which end of an instance comes after which: by the count first, since clocks may be set back. */
interface EndVersion {
  readonly count: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

export const isLater = (one: EndVersion, other: EndVersion): boolean =>
  one.count === other.count ? one.at > other.at : one.count > other.count;

/** An end that is to be written down on a machine. Without a time, it is to run on. */
export interface SelfStopOrder extends EndVersion {
  /** Milliseconds from now. */
  readonly wait: number | undefined;
  readonly ending: SelfStopAction;
}

/** What a machine says of the end that it keeps. */
export interface SelfStopState extends EndVersion {
  /** Epoch milliseconds on this computer's clock, whatever the machine's says; undefined for none. */
  readonly until: number | undefined;
  /** As it is written there, in seconds on the machine's clock. */
  readonly written: number | undefined;
  readonly ending: SelfStopAction | undefined;
  /** Whether what keeps it runs, and takes this end for one that is to come. */
  readonly lives: boolean;
  /** Whether the service accepted a harmless request with the machine's own key. False if it wasn't asked. */
  readonly isAccepted: boolean;
  /** Whether the end before had come when it was moved: it may have been carried out. */
  readonly wasDue: boolean;
}

/** Milliseconds by which two clocks may differ, with what an answer takes. */
const CLOCKS_APART = 90_000;

/** Whether this is the end that the person set. */
export function keepsEnd({ until, ending }: SelfStopState, autoStop: Pick<AutoStop, "until" | "ending">): boolean {
  if (autoStop.until === null || autoStop.ending === "remind") return until === undefined;
  return until !== undefined && Math.abs(until - autoStop.until) <= CLOCKS_APART && ending === autoStop.ending;
}

/** Judges what a machine says of its end. `now` is in epoch milliseconds. */
export function judgeEnd(
  end: SelfStopState | "missing",
  autoStop: Pick<AutoStop, "until" | "ending">,
  now: number,
): SelfStopProof {
  const version = 1;
  if (end === "missing") return { version, at: now, doubt: "missing" };
  if (!end.lives) return { version, at: now, doubt: "ended" };
  if (!end.isAccepted) return { version, at: now, doubt: "refused" };
  if (keepsEnd(end, autoStop)) return { version, at: now };
  const { until, ending } = end;
  return { version, at: now, doubt: "other", ...(until === undefined ? {} : { until, ending }) };
}
