// Services start tmux at every login, so that a session survives a lost connection. Without a terminal it fails, and a profile that ends
// there keeps every command out. Who wants a session that survives asks for one.
import { quoteWord } from "../../lib/shell-words.ts";
import { t } from "../../lib/text.ts";
import { buildTerminalCommand } from "./machine-answer.ts";

/** What tells the profile not to; a file of the machine's home folder. */
export const NO_TMUX = "~/.no_auto_tmux";

/** What the person can do about it, in a terminal on the machine. */
export const KEEP_OUT_TMUX = `touch ${NO_TMUX}`;

/** Whether a login succeeded, and its command was kept out. 255 is `ssh`'s own exit code. */
export const isKeptOutByTmux = ({ code, err }: { readonly code: number | undefined; readonly err: string }): boolean =>
  code !== undefined && code !== 255 && /^(?:open terminal failed: |server exited unexpectedly)/m.test(err);

/** What a terminal is told beside the text that it shows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is told by.
const TOLD = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-~])/g;

/** A second prompt at the right edge, from where the cursor comes back, or just a move of the cursor along its line. */
const RIGHT =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is told by.
  /(?:\r?\u001b\[\d+C[^\r\n\u001b]+(?:\u001b\[K)?)?(?:\u001b\[\d+[DG]|\u001b\[\d+;\d+H|\r(?:\u001b\[\d*C)+)+/g;

/** What prompts end with; one of them has the folder behind its sign. */
const SIGNS = "(?:[#$%>❯»›λ▶]|➜ [^\\r\\n]*) ";
const AT_PROMPT = new RegExp(`${SIGNS}$`);
const ABOVE_STATUS = new RegExp(`${SIGNS}(?:\\r\\n)+[^\\r\\n]+$`);

/** What `tmux attach` says when it finds no session, so that the one that follows is new. */
const FOUND_NONE = /^(?:no sessions|no server running on .*|can't find session: .*|error connecting to .*)\r?$/m;

/**
 * Whether a shell's prompt is the last thing that was printed. A session of tmux that is taken up again is drawn in full, with its status
 * line last: what a program there would make of a command that is typed, no one knows. A session that is certainly new may be drawn so
 * too, when its shell was faster than the drawing.
 */
export function endsAtPrompt(screen: string): boolean {
  const text = screen.replaceAll(RIGHT, "").replaceAll(TOLD, "");
  return AT_PROMPT.test(text) || (FOUND_NONE.test(text) && ABOVE_STATUS.test(text));
}

/** Who comes back finds it by this name, from any computer. */
const SESSION = "cloud-gpu";

/** Takes the session up again, or begins it. Where the machine has no program for that, the terminal is an ordinary one and says so. */
export function buildPersistentCommand(): string {
  const none = t(
    "This machine has neither tmux nor screen, so what you start here ends with the connection. Install tmux, then open this terminal again.",
  );
  return buildTerminalCommand(
    [
      `if command -v tmux >/dev/null 2>&1; then exec tmux -u new-session -A -s ${SESSION}; fi`,
      `if command -v screen >/dev/null 2>&1; then exec screen -U -xRR -S ${SESSION}; fi`,
      `printf '%s\\n' ${quoteWord(none)}; exec "\${SHELL:-sh}"`,
    ].join("\n"),
  );
}
