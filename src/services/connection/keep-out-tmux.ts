// Turns off tmux for logins to a machine whose profile starts it: the one way in is a terminal, where a person would type the same.

import { buildTerminalArguments } from "../../domain/connection/ssh-command.ts";
import { endsAtPrompt, KEEP_OUT_TMUX } from "../../domain/connection/tmux.ts";
import type { Clock } from "../../lib/clock.ts";
import { type SshWay, startSsh } from "./ssh/ssh-program.ts";

/** Milliseconds for a prompt to appear, and for the command. */
const PATIENCE = 15_000;
/** Terminals to open: the first may be cut off by the end of the tmux server that an earlier login without a terminal started. */
const TRIES = 2;
/** Characters of the screen. */
const MOST_SEEN = 4000;

/** Types the command once a prompt waits for one. @returns whether it was carried out. @throws the signal's reason. */
export async function keepOutTmux(way: SshWay, clock: Clock, signal: AbortSignal): Promise<boolean> {
  const over = new AbortController();
  const late = clock.sleep(PATIENCE, AbortSignal.any([signal, over.signal])).then(
    () => false,
    () => false,
  );
  try {
    for (let tried = 0; tried < TRIES; tried += 1) {
      const answer = await typeInTerminal(way, late);
      signal.throwIfAborted();
      if (answer !== undefined) return answer;
    }
    return false;
  } finally {
    over.abort();
  }
}

/** @returns whether the command was carried out; undefined where the session ended before it could be typed. */
async function typeInTerminal(
  { program, login, start = startSsh }: SshWay,
  late: Promise<boolean>,
): Promise<boolean | undefined> {
  const ssh = start(program, buildTerminalArguments(login));
  let [seen, isTyped] = ["", false];
  const typed = new Promise<boolean>((resolve) => {
    ssh.stdout.setEncoding("utf8").on("data", (text: string) => {
      seen = (seen + text).slice(-MOST_SEEN);
      if (!isTyped && endsAtPrompt(seen)) {
        isTyped = true;
        // What a terminal repeats of it must not look like its answer. The blank keeps it out of the shell's history.
        ssh.stdin.write(` ${KEEP_OUT_TMUX} && echo no-"tmux"\r`);
      } else if (isTyped && seen.includes("no-tmux")) resolve(true);
    });
  });
  try {
    return await Promise.race([
      typed,
      late,
      ssh.ended.then(({ code }) => (isTyped || code === 255 ? false : undefined)),
    ]);
  } finally {
    ssh.stop();
  }
}
