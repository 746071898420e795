// Answers to the commands that are sent to a machine, as its shell would give them. They are told apart by the very texts that the
// product sends: one that this doesn't know is an error of the model.

import { createHash } from "node:crypto";
import { packTar } from "modern-tar";
import { RunId } from "../../../src/domain/base/id.ts";
import { ANSWER_MARK } from "../../../src/domain/connection/machine-answer.ts";
import { OPENED } from "../../../src/domain/connection/ssh-command.ts";
import { NVIDIA_SMI } from "../../../src/domain/instance/gpu-load.ts";
import { buildReadGuardsCommand } from "../../../src/domain/run/keep-script.ts";
import {
  buildDigestCommand,
  buildListResultsCommand,
  DIGESTS,
  LOG_NAME,
  NO_DIGESTS,
  RESULTS,
} from "../../../src/domain/run/result-commands.ts";
import { runFolder } from "../../../src/domain/run/run-folder.ts";
import {
  ALONE,
  BUSY,
  buildFollowCommand,
  buildMarkCommand,
  buildOtherRunsCommand,
  buildStartCommand,
  buildStateCommand,
  FOLLOWING,
  MARKED,
  RUN_NEEDS,
  STARTED,
  THERE,
} from "../../../src/domain/run/run-script.ts";
import {
  buildDownloadCommand,
  buildDownloadFilesCommand,
  buildUploadCommand,
  STORED,
  TRANSFER_PROBE,
} from "../../../src/domain/transfer/transfer-command.ts";
import { readScript } from "../../unit/support.ts";
import { type FarMachine, REMOTE } from "./far-machine.ts";

const HOME = "/root";

/** What a command has of its connection. */
export interface Line {
  /** All of its input, once that has ended. */
  readonly input: () => Promise<Buffer>;
  readonly print: (bytes: Uint8Array | string) => void;
  /** Model seconds. False if the connection is gone by then. */
  readonly wait: (seconds: number) => Promise<boolean>;
}

/** What it exits with, and what it complains with. */
export interface FarEnd {
  readonly code: number;
  readonly err?: string;
}

type Answer = (machine: FarMachine, line: Line) => Promise<FarEnd>;

const DONE: FarEnd = { code: 0 };
const say = (answer: string) => `${ANSWER_MARK} ${answer}\n`;
const told =
  (answer: (machine: FarMachine) => string): Answer =>
  async (machine, { print }) => {
    print(say(answer(machine)));
    return DONE;
  };

/** @throws Error for a command that no machine of the model knows. */
export function answerTo(command: string): { readonly name: string; readonly answer: Answer } {
  const script = command.startsWith("exec sh -c ") ? readScript(command) : command;
  const [id = ""] = /\d{8}-\d{6}-[a-z0-9-]*-[a-z0-9]{4}(?=["/*)])/.exec(script) ?? [];
  const found = [...plainCommands(), ...(id === "" ? [] : commandsOf(RunId.parse(id), script))].find(
    ({ text }) => text === command,
  );
  if (found) return found;
  throw new Error(`No machine of the model knows this command: ${command.slice(0, 300)}`);
}

interface Known {
  readonly name: string;
  readonly text: string;
  readonly answer: Answer;
}

function plainCommands(): readonly Known[] {
  return [
    { name: "share", text: `echo ${OPENED}; exec cat >/dev/null`, answer: stayOpen },
    { name: "load", text: NVIDIA_SMI, answer: sayLoad },
    { name: "probe", text: TRANSFER_PROBE, answer: told(() => HOME) },
    { name: "upload", text: buildUploadCommand(REMOTE, RUN_NEEDS), answer: store },
    { name: "files", text: buildDownloadFilesCommand(REMOTE), answer: packFiles },
  ];
}

function commandsOf(id: RunId, script: string): readonly Known[] {
  const [, bytes = "0"] = /-eq (\d+) \]/.exec(script) ?? [];
  const [, from = "0"] = /at=(\d+);/.exec(script) ?? [];
  const log = `${runFolder(HOME, id)}/log`;
  return [
    { name: "start", text: buildStartCommand(id, Number(bytes)), answer: begin(id, Number(bytes)) },
    { name: "mark", text: buildMarkCommand(id), answer: told(() => MARKED) },
    { name: "state", text: buildStateCommand(id), answer: told((machine) => stateOf(machine, id)) },
    { name: "follow", text: buildFollowCommand(id, Number(from)), answer: follow(Number(from)) },
    { name: "others", text: buildOtherRunsCommand(id), answer: told(({ fate }) => (fate.busy ? BUSY : ALONE)) },
    { name: "guards", text: buildReadGuardsCommand(id), answer: told(() => "guards") },
    { name: "list", text: buildListResultsCommand(id, REMOTE), answer: listResults },
    { name: "digests", text: buildDigestCommand(id, REMOTE), answer: digest },
    { name: "log", text: buildDownloadCommand(log), answer: packLog },
  ];
}

const stayOpen: Answer = async (_, { print, input }) => {
  print(`${OPENED}\n`);
  await input();
  return DONE;
};

const sayLoad: Answer = async (_, { print }) => {
  print("0, 80, 20000, 300.00\n");
  return DONE;
};

const store: Answer = async (machine, { input, print }) => {
  await input();
  machine.hasUpload = true;
  print(say(STORED));
  return DONE;
};

/** A folder can be created once. */
const begin =
  (id: string, bytes: number): Answer =>
  async (machine, { input, print }) => {
    if ((await input()).length !== bytes) return { code: 1 };
    const isThere = machine.hasBegun(id);
    if (!isThere) machine.begin(id);
    print(say(isThere ? THERE : STARTED));
    return DONE;
  };

function stateOf({ begun, process, exit, isLeft }: FarMachine, id: string): string {
  if (!begun.includes(id)) return "missing";
  return process === "ended" ? `ended ${exit} 5${isLeft ? " left" : ""}` : process;
}

const follow =
  (from: number): Answer =>
  async (machine, { print, wait }) => {
    print(say(FOLLOWING));
    for (let at = from; ; ) {
      const isOver = machine.process !== "running";
      if (machine.log.length > at) print(machine.log.subarray(at));
      at = machine.log.length;
      if (isOver || !(await wait(2))) return DONE;
    }
  };

const listResults: Answer = async (machine, { print }) => {
  const { fate } = machine;
  print(say(RESULTS));
  for (const name of machine.names()) print(`${name}\0`);
  print("\0");
  if (fate.obstacle === "outward-link") print("./out\0/\0");
  // What is missing is the last word, and with it that nothing was missed.
  if (fate.obstacle !== "unlisted") print("\0end\0");
  return DONE;
};

const digestOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const digest: Answer = async (machine, { input, print }) => {
  const { fate } = machine;
  const names = String(await input())
    .split("\0")
    .slice(0, -1);
  print(say(fate.obstacle === "no-digests" ? NO_DIGESTS : DIGESTS));
  if (fate.obstacle === "no-digests") return DONE;
  for (const name of [LOG_NAME, ...names]) {
    const bytes = machine.contentOf(name);
    if (bytes) print(`${digestOf(bytes)}  ${name}\n`);
  }
  return DONE;
};

const packed = (name: string, body: Buffer) => ({
  header: { name, size: body.length, mode: 0o644, type: "file" as const },
  body,
});

const packFiles: Answer = async (machine, { input, print }) => {
  const names = String(await input())
    .split("\n")
    .slice(0, -1);
  print(say("folder"));
  const readable = names.flatMap((name) => {
    const body = machine.unreadable.has(name) ? undefined : machine.files.get(name);
    if (body) machine.packed.set(name, body);
    return body ? [packed(name, body)] : [];
  });
  print(await packTar(readable));
  machine.afterPacking();
  return readable.length === names.length ? DONE : { code: 2, err: "tar: ./secret: Cannot open: Permission denied" };
};

const packLog: Answer = async (machine, { print }) => {
  const { log } = machine;
  machine.packed.set(LOG_NAME, log);
  print(say("file"));
  print(await packTar([packed("./log", log)]));
  machine.afterPacking();
  return DONE;
};
