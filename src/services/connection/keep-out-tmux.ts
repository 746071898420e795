// Turns off tmux for logins to a machine whose profile starts it: the one way in is a terminal, where a person would type the same.
import { buildTerminalArguments } from "../../domain/connection/ssh-command.ts";
import { endsAtPrompt, KEEP_OUT_TMUX } from "../../domain/connection/tmux.ts";
import type { Clock } from "../../lib/clock.ts";
import { type SshWay, startSsh } from "./ssh/ssh-program.ts";

/** Milliseconds for a prompt to appear, and for the command. */
const PATIENCE = 15_000;
/** Characters of the screen. */
const MOST_SEEN = 4000;

/** Types the command once a prompt waits for one. @returns whether it was carried out. @throws the signal's reason. */
export async function keepOutTmux(
  { program, login, start = startSsh }: SshWay,
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  const over = new AbortController();
  const ssh = start(program, buildTerminalArguments(login));
  const typed = new Promise<boolean>((resolve) => {
    let [seen, isTyped] = ["", false];
    ssh.stdout.setEncoding("utf8").on("data", (text: string) => {
      seen = (seen + text).slice(-MOST_SEEN);
      if (!isTyped && endsAtPrompt(seen)) {
        isTyped = true;
        // What a terminal repeats of it must not look like its answer. The blank keeps it out of the shell's history.
        ssh.stdin.write(` ${KEEP_OUT_TMUX} && echo no-"tmux"\r`);
      } else if (isTyped && seen.includes("no-tmux")) resolve(true);
    });
  });
  const late = clock.sleep(PATIENCE, AbortSignal.any([signal, over.signal])).then(
    () => false,
    () => false,
  );
  try {
    return await Promise.race([typed, late, ssh.ended.then(() => false)]);
  } finally {
    over.abort();
    ssh.stop();
    signal.throwIfAborted();
  }
}
