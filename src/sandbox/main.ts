// The sandbox as a standalone program: reads the command line and serves until it is stopped.
import { openSync, writeSync } from "node:fs";
import { type CommandLine, readCommandLine, USAGE } from "./command-line.ts";
import type { RequestLine } from "./http/request-line.ts";
import { type Sandbox, startSandbox } from "./start.ts";

/** One sentence on standard error and the exit status: 2 for wrong usage, 1 for a later failure. */
function giveUp(error: unknown, status: 1 | 2): never {
  const [sentence] = (error instanceof Error ? error.message : String(error)).split("\n");
  process.stderr.write(`sandbox: ${sentence}\n`);
  process.exit(status);
}

function open(file: string): number {
  try {
    return openSync(file, "w");
  } catch (error) {
    throw new Error(`--requests cannot write to “${file}”: ${(error as Error).message}`, { cause: error });
  }
}

/** Writes lines immediately and in order, so that a program reading along misses nothing. */
function recorder(file: string): (line: RequestLine) => void {
  const handle = open(file);
  return (line) => void writeSync(handle, `${JSON.stringify(line)}\n`);
}

function prepare(argv: readonly string[]) {
  try {
    const commandLine = readCommandLine(argv);
    const requests = commandLine.requests === undefined ? undefined : recorder(commandLine.requests);
    return { commandLine, requests };
  } catch (error) {
    return giveUp(error, 2);
  }
}

function stopOnSignal(sandbox: Sandbox): void {
  const stop = () => {
    sandbox.stop().then(
      () => process.exit(0),
      (error) => giveUp(error, 1),
    );
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

async function run(
  { help: _, requests: __, ...options }: CommandLine,
  requests: ((line: RequestLine) => void) | undefined,
) {
  const sandbox = await startSandbox({ ...options, ...(requests ? { requests } : {}) });
  stopOnSignal(sandbox);
  if (options.ssh && !sandbox.ssh)
    process.stderr.write("sandbox: machines cannot be logged in to, because this computer has no POSIX shell.\n");
  process.stdout.write(`${JSON.stringify({ url: sandbox.url, apiKey: sandbox.apiKey })}\n`);
}

const { commandLine, requests } = prepare(process.argv.slice(2));
if (commandLine.help) process.stdout.write(USAGE);
else run(commandLine, requests).catch((error) => giveUp(error, 1));
