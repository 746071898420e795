// How a machine asks the service to start, stop or destroy it, with the key that the service gave it for that.
import { quoteWord } from "../../lib/shell-words.ts";
import type { InstanceId } from "../base/id.ts";

export interface OwnCall {
  readonly instance: InstanceId;
  /** The service's address. */
  readonly base: string;
}

/** Exits with 0 only for the status 200, and with `REFUSED` for a refusal. Follows no redirect. */
const PYTHON_CALL = [
  "import os,sys,urllib.request as r,urllib.error as f",
  "class N(r.HTTPRedirectHandler):",
  " def redirect_request(*a): return None",
  "e=os.environ;h={'Authorization':e['A'][15:],'Content-Type':'application/json'}",
  "q=r.Request(e['U'],e['B'].encode(),h,method=e['M'])",
  "try: sys.exit(r.build_opener(N).open(q,timeout=30).status!=200)",
  "except f.HTTPError as x: sys.exit(3 if 400<=x.code<500 and x.code not in (408,425,429) else 1)",
].join("\n");

/**
 * `call` sends a state, `running`, `stopped` or `destroyed`, with the machine's own key, by whichever program there is, and tells by its
 * exit code whether the service took it (0), or refused it for good (3), not because it was busy: a redirect, or a page of someone in between, is no answer of the service. A configuration of the
 * machine's could follow those. Every user of the machine may read the arguments of its programs, so the key is in none: `printf` is the shell's own, and a shell that
 * prints what it does stops that. The file for `wget` is a new one. In curl's, backslashes and quotes have a meaning of their own, and a
 * line break in the key would begin an option of either.
 * The variables may be missing in a login; the machine's first process has them, or the one that is named.
 */
export const defineCall = ({ instance, base }: OwnCall, process = "1"): string =>
  [
    "set +x; judge() { case $c in 200) ;; 408|425|429) return 1;; 4[0-9][0-9]) return 3;; *) return 1;; esac; }",
    `own() { eval "v=\\$$1"; [ "$v" ] || v=$(tr "\\000" "\\n" 2>/dev/null < /proc/${process}/environ | sed -n "s/^$1=//p"); }`,
    `u=${quoteWord(`${base}/api/v0/instances/${instance}/`)}; own CONTAINER_API_KEY; k=$v; own CONTAINER_ID`,
    "call() { case $k in *[[:cntrl:]]*) return 1;; esac; m=PUT; b='{\"state\":\"'$1'\"}'; [ $1 != destroyed ] || { m=DELETE; b={}; }; a=\"Authorization: Bearer $k\"; j='Content-Type: application/json'",
    'if command -v curl; then c=$(printf "%s\\n" "$a" | sed \'s/[\\"]/\\\\&/g; s/.*/header = "&"/\' | curl -qsm 30 -K - -o /dev/null -w "%{http_code}" -X $m -H "$j" -d "$b" "$u"); judge',
    `elif command -v python3; then A=$a B=$b M=$m U=$u python3 -c ${quoteWord(PYTHON_CALL)}`,
    'else c=; y="$HOME/.cloud-gpu-call.$$"; rm -f "$y"; (umask 077; set -C; printf "header = %s\\n" "$a" > "$y") && c=$(wget --config="$y" -SO /dev/null -T 30 -t 1 --max-redirect=0 --method=$m --header="$j" --body-data="$b" "$u" 2>&1)',
    `rm -f "$y"; case $(echo "$c" | grep "^ *HTTP/") in *" 200"*) c=200;; *" 4"[0-9][0-9]*) c=\${c#*HTTP/* }; c=\${c%% *};; *) c=;; esac; judge; fi; } > /dev/null 2>&1`,
  ].join("\n");
