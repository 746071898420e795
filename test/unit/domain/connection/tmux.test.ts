// Whether a command may be typed, by what tmux really draws in a terminal of 80 columns.
import assert from "node:assert/strict";
import test from "node:test";
import { endsAtPrompt } from "../../../../src/domain/connection/tmux.ts";

const WELCOME = "Last login: Sat Nov 28 06:06:55 2026 from 127.0.0.1\r\r\n\r\n";
/** A screen in full: its lines, the status line, and the cursor back where it was. */
const draw = (text: string, program: string, cursor: string) =>
  `\u001b[?1049h\u001b[1;24r\u001b[?25l\u001b[H${text}${"\u001b[K\r\n".repeat(23)}\u001b[K\u001b[30m\u001b[42m\r\n[0] 0:${program}*      "gpu" 06:09 28-Nov-26\u001b(B\u001b[m\u001b[?25h\u001b[${cursor}H`;
const PROMPT = "root@gpu:/root# ";

const SCREENS: readonly [what: string, screen: string, mayType: boolean][] = [
  ["nothing yet", "", false],
  ["a welcome", WELCOME, false],
  ["a shell without tmux", `${WELCOME}${PROMPT}`, true],
  ["a prompt in color", "\u001b[1;32m➜\u001b[0m ~ \u001b[1m❯\u001b[0m ", true],
  ["a new session before its prompt", `no sessions\r\n${draw("", "bash", "1;1")}`, false],
  ["a new session, drawn, then its prompt", `${draw("", "bash", "1;1")}\u001b[?2004h${PROMPT}`, true],
  ["a new session, drawn with its prompt", `no sessions\r\n${draw(PROMPT, "bash", "1;17")}\u001b[?2004h`, true],
  ["no server yet", `no server running on /tmp/tmux-0/default\r\n${draw(PROMPT, "bash", "1;17")}`, true],
  ["no socket yet", `error connecting to /tmp/tmux-0/x (No such file)\r\n${draw(PROMPT, "bash", "1;17")}`, true],
  ["another session", `can't find session: ssh_tmux\r\n${draw(PROMPT, "bash", "1;17")}`, true],
  ["a session taken up at a prompt", draw(PROMPT, "bash", "1;17"), false],
  ["a session taken up in a program", draw("mysql> ", "mysql", "1;8"), false],
];

for (const [what, screen, mayType] of SCREENS)
  test(`${what}: ${mayType ? "type" : "wait"}`, () => assert.equal(endsAtPrompt(screen), mayType));
