// A session of a logged-in client: a command, a shell, or the file transfer program, once.
import type { ChildProcess } from "node:child_process";
import type { AcceptConnection, RejectConnection, ServerChannel, Session } from "ssh2";
import { signalGroup } from "./processes.ts";
import { type CommandLine, findCommandLine, type Place, runProgram, type Terminal } from "./program.ts";

const SIGNALS: ReadonlySet<string> = new Set([
  "ABRT",
  "ALRM",
  "FPE",
  "HUP",
  "ILL",
  "INT",
  "KILL",
  "PIPE",
  "QUIT",
  "SEGV",
  "TERM",
  "USR1",
  "USR2",
]);

/** Rows or columns that a terminal can have. */
function readSize(value: number, usual: number): number {
  return Number.isInteger(value) && value > 0 && value < 10_000 ? value : usual;
}

function readTerminal({ term, rows, cols }: { term?: unknown; rows: number; cols: number }): Terminal {
  const isName = typeof term === "string" && /^[\w.+-]{1,64}$/.test(term);
  return { term: isName ? term : "xterm", rows: readSize(rows, 24), columns: readSize(cols, 80) };
}

/** Agents, X11 and variables have no listener, so the library refuses them. */
export function serveSession(session: Session, place: Place): void {
  let terminal: Terminal | undefined;
  let child: ChildProcess | undefined;
  session.on("error", () => undefined);
  // A request that wants no reply comes without a way to accept it, which the types of the library don't say.
  session.on("pty", (accept: (() => void) | undefined, _reject, info) => {
    terminal = readTerminal(info);
    accept?.();
  });
  // The terminal of `script` keeps its size.
  session.on("window-change", (accept: (() => void) | undefined) => accept?.());
  session.on("signal", (accept: (() => void) | undefined, _reject, { name }) => {
    if (child && place.running.has(child) && SIGNALS.has(name)) signalGroup(child, `SIG${name}` as NodeJS.Signals);
    accept?.();
  });
  // Undefined for a second program in one session.
  const run = (accept: () => ServerChannel | undefined, commandLine: CommandLine) => {
    const channel = accept();
    if (channel) child = runProgram(place, channel, commandLine, terminal);
  };
  const { tools } = place;
  session.on("exec", (accept, _reject, { command }) => run(accept, findCommandLine(tools, command, terminal)));
  session.on("shell", (accept) => run(accept, findCommandLine(tools, undefined, terminal)));
  session.on("subsystem", (accept: AcceptConnection<ServerChannel>, reject: RejectConnection | undefined, { name }) => {
    if (name === "sftp" && tools.sftpServer !== undefined) run(accept, [tools.sftpServer]);
    else reject?.();
  });
}
