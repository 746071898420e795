// Whether a command may be typed, by what tmux really draws in a terminal of 80 columns; and what a persistent terminal starts on a machine,
// by a real shell with programs that only say how they were called.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { buildPersistentCommand, endsAtPrompt } from "../../../../src/domain/connection/tmux.ts";

const WELCOME = "Last login: Sat Nov 28 06:06:55 2026 from 127.0.0.1\r\r\n\r\n";
/** A screen in full: its lines, the status line, and the cursor back where it was. */
const draw = (text: string, program: string, cursor: string) =>
  `\u001b[?1049h\u001b[1;24r\u001b[?25l\u001b[H${text}${"\u001b[K\r\n".repeat(23)}\u001b[K\u001b[30m\u001b[42m\r\n[0] 0:${program}*      "gpu" 06:09 28-Nov-26\u001b(B\u001b[m\u001b[?25h\u001b[${cursor}H`;
const PROMPT = "root@gpu:/root# ";

/** What shells draw at the end of their start: on their own, and in a new session of tmux. */
const [CLEARED, SET_BACK] = [
  `28-Nov-26\u001b(B\u001b[m\u001b[?12l\u001b[?25h\u001b[1;1H${" ".repeat(80)}\u001b[1;1H\u001b[1;23r\u001b[22S\u001b[1;1H\u001b[K`,
  "\u001b[1;24r",
];
const BARE = "\r \r\r\u001b[0m\u001b[27m\u001b[24m\u001b[J";
const PASTE = "\u001b[?2004h";
const RIGHT_IN_TMUX = `${SET_BACK}\u001b[1;3H\u001b[65X\u001b[65C13:53 [main]\u001b[K\u001b[3G${PASTE}`;

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
  ["another sign, in zsh", `${BARE}~ » \u001b[K\u001b[?1h\u001b=${PASTE}`, true],
  ["another sign, in zsh, in tmux", `${CLEARED}~ » \u001b[K${SET_BACK}\u001b[1;20H${PASTE}`, true],
  [
    "a prompt at the right, too, in zsh",
    `${BARE}λ \u001b[K\u001b[65C13:54 [main]\u001b[77D\u001b[?1h\u001b=${PASTE}`,
    true,
  ],
  ["a prompt at the right, too, in zsh, in tmux", `${CLEARED}λ ${RIGHT_IN_TMUX}`, true],
  ["no prompt, and something at the right", `${CLEARED}loading ${RIGHT_IN_TMUX}`, false],
  ["a folder behind the sign, in zsh", `${BARE}➜  t \u001b[K\u001b[?1h\u001b=${PASTE}`, true],
  ["a folder behind the sign, in zsh, in tmux", `${CLEARED}➜  t \u001b[K${SET_BACK}\u001b[1;6H${PASTE}`, true],
  ["fish", `Welcome to fish\r\n${PASTE}\u001b[m\rroot@gpu \u001b[31m/t\u001b[m# \u001b[K\r\u001b[16C`, true],
  ["fish with a prompt at the right", `${PASTE}\r» \u001b[K\r\u001b[75C12:34\r\u001b[75C\r\u001b[C\u001b[C`, true],
  ["a session taken up at a prompt with another sign", draw("➜  t ", "zsh", "1;6"), false],
  ["a session taken up at a prompt", draw(PROMPT, "bash", "1;17"), false],
  ["a session taken up in a program", draw("mysql> ", "mysql", "1;8"), false],
];

for (const [what, screen, mayType] of SCREENS)
  test(`${what}: ${mayType ? "type" : "wait"}`, () => assert.equal(endsAtPrompt(screen), mayType));

const findSh = (): string => spawnSync("sh", ["-c", "command -v sh"], { encoding: "utf8" }).stdout.trim();

/** What is printed on a machine that has these programs. */
function startOn(programs: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "cloud-gpu-terminal-"));
  try {
    symlinkSync(findSh(), join(folder, "sh"));
    for (const name of programs) {
      writeFileSync(join(folder, name), `#!${findSh()}\necho ${name} "$@"\n`);
      chmodSync(join(folder, name), 0o755);
    }
    const { stdout, stderr } = spawnSync(findSh(), ["-c", buildPersistentCommand()], {
      env: { PATH: folder, SHELL: join(folder, "shell") },
      encoding: "utf8",
    });
    assert.equal(stderr, "");
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("a persistent terminal", { skip: process.platform === "win32" && "needs a POSIX shell" }, () => {
  for (const [name, programs, printed] of [
    [
      "takes its session of tmux up again, or begins it",
      ["tmux", "screen", "shell"],
      /^tmux -u new-session -A -s cloud-gpu\n$/,
    ],
    ["does so with screen where there is no tmux", ["screen", "shell"], /^screen -U -xRR -S cloud-gpu\n$/],
    [
      "says so where there is neither, and is an ordinary one",
      ["shell"],
      /^This machine has neither tmux nor screen, .*\nshell\n$/,
    ],
  ] as const)
    test(name, () => assert.match(startOn(programs), printed));
});
