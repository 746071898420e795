// Runs a program on a machine and joins it to a channel of a connection.
import { type ChildProcess, spawn } from "node:child_process";
import type { ServerChannel } from "ssh2";
import { quoteWord } from "../../lib/shell-words.ts";
import { findPrograms } from "./folder.ts";
import { canFindProcesses, signalGroup } from "./processes.ts";
import type { Tools } from "./tools.ts";

export interface Terminal {
  readonly term: string;
  readonly rows: number;
  readonly columns: number;
}

export interface Place {
  readonly folder: string;
  readonly tools: Tools;
  /** What the service tells each instance about itself. */
  readonly variables: Readonly<Record<string, string>>;
  /** The programs that run now, for when the machine stops. */
  readonly running: Set<ChildProcess>;
}

export type CommandLine = readonly [file: string, ...rest: string[]];

/** Milliseconds a program has to end on its own when its connection is gone. */
const GRACE_MS = 500;

/** The command line of a shell, or of a command run by one. */
export function findCommandLine(
  { shell, script }: Tools,
  command: string | undefined,
  terminal: Terminal | undefined,
): CommandLine {
  if (terminal === undefined) return command === undefined ? [shell] : [shell, "-c", command];
  const inside = command === undefined ? [shell, "-i"] : [shell, "-c", command];
  if (script === undefined) return [inside[0] ?? shell, ...inside.slice(1)];
  const size = `stty rows ${terminal.rows} cols ${terminal.columns} 2>/dev/null`;
  return [script, "-qfec", `${size}; exec ${inside.map(quoteWord).join(" ")}`, "/dev/null"];
}

/** Nothing of the environment of this process but where programs are: it may hold secrets. */
function createEnvironment({ folder, tools, variables }: Place, terminal: Terminal | undefined): NodeJS.ProcessEnv {
  return {
    ...variables,
    PATH: `${findPrograms(folder)}:${tools.path}`,
    LANG: "C.UTF-8",
    HOME: folder,
    USER: "root",
    SHELL: tools.shell,
    // Sessions of tmux are this machine's, and not those of the whole computer.
    TMUX_TMPDIR: folder,
    // By these, shells know that they were logged in to, and profiles that they may start something of theirs.
    SSH_CLIENT: "127.0.0.1 0 22",
    SSH_CONNECTION: "127.0.0.1 0 127.0.0.1 22",
    ...(terminal ? { TERM: terminal.term } : {}),
  };
}

function sayEnd(channel: ServerChannel, code: number | null, name: NodeJS.Signals | null): void {
  // What it wrote last must leave before the channel is closed.
  channel.stderr.write("", () => {
    if (code === null) channel.exit((name ?? "SIGKILL").slice(3), false, "");
    else channel.exit(code);
    channel.end();
  });
}

/** A program that ignores the hangup is killed a little later. */
function hangUp(child: ChildProcess): void {
  signalGroup(child, "SIGHUP");
  const timer = setTimeout(() => signalGroup(child, "SIGKILL"), GRACE_MS);
  child.once("close", () => clearTimeout(timer));
}

/**
 * Runs a script that the machine starts with, and what it leaves in the background, until the machine stops.
 * @returns what to end it with where programs can't be found by their folder.
 */
export function runAtStart(place: Place, script: string): ChildProcess {
  const env = createEnvironment(place, undefined);
  const child = spawn(place.tools.shell, ["-c", script], { cwd: place.folder, env, detached: true, stdio: "ignore" });
  child.once("error", () => undefined);
  return child;
}

/** Runs it until it ends or the channel is closed, whichever comes first. */
export function runProgram(
  place: Place,
  channel: ServerChannel,
  [file, ...rest]: CommandLine,
  terminal?: Terminal,
): ChildProcess {
  const env = createEnvironment(place, terminal);
  const child = spawn(file, rest, { cwd: place.folder, env, detached: true });
  place.running.add(child);
  // A connection that breaks while something is written to it must not end the sandbox.
  for (const stream of [channel, channel.stderr, child.stdin, child.stdout, child.stderr])
    stream.on("error", () => undefined);
  child.once("error", (error) => {
    place.running.delete(child);
    channel.stderr.write(`${error.message}\n`);
    sayEnd(channel, 127, null);
  });
  child.stdout.pipe(channel, { end: false });
  child.stderr.pipe(channel.stderr, { end: false });
  // The end of what a person types ends no terminal, as elsewhere: only the hangup does, which leaves what goes on without one.
  channel.pipe(child.stdin, { end: terminal === undefined });
  let isClosed = false;
  child.once("close", (code, name) => {
    place.running.delete(child);
    // What was left running in the background stays as on a real machine, where it can be found when the machine stops.
    if (!canFindProcesses) signalGroup(child, "SIGKILL");
    // A connection that is gone can't even compress what it is told.
    if (!isClosed) sayEnd(channel, code, name);
  });
  channel.once("close", () => {
    isClosed = true;
    if (place.running.has(child)) hangUp(child);
  });
  return child;
}
