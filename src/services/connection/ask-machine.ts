// Asks a machine something that it answers with one line of ours, and perhaps with more after it.
import { AppError } from "../../domain/base/error.ts";
import { findAnswer } from "../../domain/connection/machine-answer.ts";
import { t } from "../../lib/text.ts";
import { type MachineLogin, withCommand } from "./run-there.ts";
import { toMachineError } from "./ssh/ssh-failure.ts";

export interface MachineAnswer {
  /** The words of the line. */
  readonly answer: string;
  /** What was printed after the line. */
  readonly rest: Uint8Array;
}

/** Bytes of an answer with all that is printed before and after it. */
const MOST = 50_000_000;

/**
 * Runs a command that says one line of ours; `input` goes to its standard input.
 * @throws AppError as `toMachineError` says if it says none, or if the connection is lost; `unexpected-reply` if it says too much; the signal's reason.
 */
export async function askMachine(
  machine: MachineLogin,
  command: string,
  signal: AbortSignal,
  input = "",
): Promise<MachineAnswer> {
  return await withCommand(machine, command, signal, async (running) => {
    running.stdin.end(input);
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of running.stdout as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > MOST) throw new AppError("unexpected-reply", t("Instance {0} printed too much output.", machine.id));
      chunks.push(chunk);
    }
    const end = await running.ended;
    signal.throwIfAborted();
    const printed = Buffer.concat(chunks);
    const found = findAnswer(printed);
    // A connection that was lost may have lost the rest.
    if (!found || end.code === undefined || end.code === 255) throw toMachineError(machine, end);
    return { answer: found.answer, rest: printed.subarray(found.end) };
  });
}
