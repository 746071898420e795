// Asks a machine something that it answers with one line of ours, and perhaps with more after it.
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError } from "../../domain/base/error.ts";
import { findAnswer } from "../../domain/connection/machine-answer.ts";
import { t } from "../../lib/text.ts";
import { Turns } from "../../lib/turns.ts";
import { WordReader } from "../../lib/word-reader.ts";
import { type MachineLogin, withCommand } from "./run-there.ts";
import { toMachineError } from "./ssh/ssh-failure.ts";

/** Bytes of an answer with all that is printed before and after it: of one line, and with many words. */
const MOST = { line: 1_000_000, words: 50_000_000 };

/** Characters of words that are handled before others get their turn, what each counts for beside them, and those of one that are kept. */
const WORDS = { together: 4000, each: 20, longest: 5000 };

/**
 * Runs a command that says one line of ours; `input` goes to its standard input.
 * @returns the words of the line. @throws AppError as `toMachineError` says if it says none, or if the connection is lost;
 *   `unexpected-reply` if it says too much; the signal's reason.
 */
export async function askMachine(
  machine: MachineLogin,
  command: string,
  signal: AbortSignal,
  input = "",
): Promise<string> {
  const texts = input === "" ? [] : [input];
  return await ask(machine, command, signal, { input: texts, most: MOST.line, hear: async () => undefined });
}

interface WordOrder {
  /** Words that go to its standard input, each with what ends it. */
  readonly input?: { readonly words: readonly string[]; readonly end: string };
  /** What ends each word of the answer. */
  readonly end: "\0" | "\n";
  /** Hears each word as it comes, although the connection may be lost later. */
  readonly take: (word: string) => void;
}

/** The same for a command that prints words after our line, however many. In the meantime the editor does what else there is to do. */
export async function askMachineForWords(
  machine: MachineLogin,
  command: string,
  signal: AbortSignal,
  { input, end, take }: WordOrder,
): Promise<string> {
  const reader = new WordReader(end, WORDS.longest);
  const turns = new Turns(signal);
  let handled = 0;
  const hear = async (bytes: Uint8Array) => {
    for (const word of reader.read(bytes)) {
      take(word);
      handled += word.length + WORDS.each;
      if (handled < WORDS.together) continue;
      handled = 0;
      await turns.take();
    }
  };
  const { words = [], end: afterEach } = input ?? {};
  return await ask(machine, command, signal, { input: words, afterEach, most: MOST.words, hear });
}

interface Asking {
  readonly input: readonly string[];
  readonly afterEach?: string | undefined;
  readonly most: number;
  /** Hears what follows the line. */
  readonly hear: (bytes: Uint8Array) => Promise<void>;
}

async function ask(
  machine: MachineLogin,
  command: string,
  signal: AbortSignal,
  { input, afterEach, most, hear }: Asking,
): Promise<string> {
  return await withCommand(machine, command, signal, async (running) => {
    writeInput(running.stdin, input, afterEach);
    let [head, length]: [Buffer, number] = [Buffer.alloc(0), 0];
    let answer: string | undefined;
    for await (const chunk of running.stdout as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > most) throw new AppError("unexpected-reply", t("Instance {0} printed too much output.", machine.id));
      if (answer !== undefined) {
        await hear(chunk);
        continue;
      }
      head = Buffer.concat([head, chunk]);
      const found = findAnswer(head);
      if (!found) continue;
      answer = found.answer;
      await hear(head.subarray(found.end));
    }
    const end = await running.ended;
    signal.throwIfAborted();
    // A connection that was lost may have lost the rest.
    if (answer === undefined) throw toMachineError(machine, end, head.toString("utf8"));
    if (end.code === undefined || end.code === 255) throw toMachineError(machine, end);
    return answer;
  });
}

/** Characters that are written together. */
const WRITTEN = 60_000;

function* joinParts(parts: readonly string[], afterEach: string): Generator<string> {
  let together = "";
  for (const part of parts) {
    together += part + afterEach;
    if (together.length < WRITTEN) continue;
    yield together;
    together = "";
  }
  if (together !== "") yield together;
}

/** Writes texts, however many, as fast as they are read. Whoever reads them may end before. */
export function writeInput(stdin: Writable, texts: readonly string[], afterEach = ""): void {
  void pipeline(Readable.from(joinParts(texts, afterEach)), stdin).catch(() => undefined);
}
