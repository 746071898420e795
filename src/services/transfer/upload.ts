// Sends a folder to a machine: packed here as it is read, and unpacked there as it arrives.
import { AppError } from "../../domain/base/error.ts";
import { findAnswer } from "../../domain/connection/machine-answer.ts";
import { assertNoneMissing, buildUploadCommand, STORED } from "../../domain/transfer/transfer-command.ts";
import type { UploadList } from "../../domain/transfer/upload-list.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { type MachineLogin, withCommand } from "../connection/run-there.ts";
import { toMachineError } from "../connection/ssh/ssh-failure.ts";
import type { RunningSsh } from "../connection/ssh/ssh-program.ts";
import { type PackReport, packFiles } from "./pack-files.ts";

export interface UploadOrder {
  readonly machine: MachineLogin;
  /** A folder of this computer. */
  readonly folder: string;
  readonly list: Pick<UploadList, "files" | "folders">;
  /** The folder on the machine that becomes like it. */
  readonly remote: string;
  /** Programs without which nothing is uploaded. */
  readonly needs?: readonly string[];
}

/**
 * Uploads the files of a list. It returns only if the machine said that it stored all of them.
 * @throws AppError `rejected` or `offline` with the machine's own reason; the signal's reason.
 */
export async function uploadFiles(
  { machine, folder, list, remote, needs }: UploadOrder,
  signal: AbortSignal,
  report: (now: Readonly<PackReport>) => void,
): Promise<Readonly<PackReport>> {
  return await withCommand(machine, buildUploadCommand(remote, needs), signal, async (running) => {
    // Our line is the last; what a profile prints before it must not wait for someone who reads it.
    let said = Buffer.alloc(0);
    running.stdout.on("data", (chunk: Buffer) => {
      said = Buffer.concat([said, chunk]).subarray(-1000);
    });
    const packed = packFiles(folder, list, signal);
    await pour(packed.archive, running, () => report(packed.report));
    running.stdin.end();
    const end = await running.ended;
    signal.throwIfAborted();
    const answer = end.code === 0 ? findAnswer(said)?.answer : undefined;
    if (answer === STORED) return packed.report;
    assertNoneMissing(machine.id, answer ?? "");
    const { kind, message } = toMachineError(machine, end);
    const some =
      packed.report.files + packed.report.bytes > 0
        ? t("Some files may have arrived in {0}.", toPlainText(remote, 200))
        : "";
    throw new AppError(kind, `${message} ${some}`.trim());
  });
}

/** Bytes that leave together: each write becomes packets of its own, which are encrypted and read one by one. */
const TOGETHER = 64 * 1024;

/** Writes the archive to the machine as fast as it takes it. Ends early if the machine does. */
async function pour(archive: ReadableStream<Uint8Array>, { stdin }: RunningSsh, report: () => void): Promise<void> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  const send = async () => {
    const bytes = waiting.length > 1 ? Buffer.concat(waiting) : waiting[0];
    [waiting, length] = [[], 0];
    if (bytes && !stdin.write(bytes)) await untilWritable(stdin);
    report();
  };
  for await (const chunk of archive) {
    if (stdin.destroyed) return;
    waiting.push(chunk);
    length += chunk.length;
    if (length >= TOGETHER) await send();
  }
  if (length > 0 && !stdin.destroyed) await send();
}

function untilWritable(stdin: RunningSsh["stdin"]): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      stdin.off("drain", go).off("close", go);
      resolve();
    };
    stdin.on("drain", go).on("close", go);
    if (stdin.destroyed) go();
  });
}
