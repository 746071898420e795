// A terminal on a machine whose programs go on when it is closed, or when the connection is lost.
import { quoteWord } from "../../lib/shell-words.ts";
import { t } from "../../lib/text.ts";
import { buildTerminalCommand } from "./machine-answer.ts";

/** Who comes back finds it by this name, from any computer. */
const SESSION = "cloud-gpu";

/** Takes the session up again, or begins it. Where the machine has no program for that, the terminal is an ordinary one and says so. */
export function buildPersistentCommand(): string {
  const none = t(
    "This machine has neither tmux nor screen, so what you start here ends with the connection. Install tmux, then open this terminal again.",
  );
  return buildTerminalCommand(
    [
      `if command -v tmux >/dev/null 2>&1; then exec tmux new-session -A -s ${SESSION}; fi`,
      `if command -v screen >/dev/null 2>&1; then exec screen -xRR -S ${SESSION}; fi`,
      `printf '%s\\n' ${quoteWord(none)}; exec "\${SHELL:-sh}"`,
    ].join("\n"),
  );
}
