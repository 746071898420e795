// Fetches a folder or a file from a machine into a new folder beside the place that it is for, and puts it there once it is whole.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../domain/base/error.ts";
import { findAnswer, findComplaint } from "../../domain/connection/machine-answer.ts";
import { isSafeName } from "../../domain/transfer/archive-path.ts";
import {
  buildDownloadCommand,
  buildDownloadFilesCommand,
  toRemoteName,
} from "../../domain/transfer/transfer-command.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { writeInput } from "../connection/ask-machine.ts";
import { type MachineLogin, withCommand } from "../connection/run-there.ts";
import { toMachineError } from "../connection/ssh/ssh-failure.ts";
import type { RunningSsh, SshEnd } from "../connection/ssh/ssh-program.ts";
import { createDownloadFolder } from "./download-folder.ts";
import { removeUnpacked, Unpacker, type UnpackLimits, type UnpackReport } from "./unpack-archive.ts";

export interface DownloadOrder {
  readonly machine: MachineLogin;
  /** A file or folder on the machine. */
  readonly remote: string;
  /** The folder of this computer that it goes into. */
  readonly into: string;
  /** Only these files of the folder: names that begin with `./`, without line breaks and backslashes. All if left out. */
  readonly names?: readonly string[];
}

/** What arrived, and lies beside its place. */
export interface Arrived {
  /** The temporary folder; `remove` takes it away. */
  readonly folder: string;
  /** Where in it the file or folder is. */
  readonly path: string;
  readonly name: string;
  readonly kind: "file" | "folder";
  readonly report: Readonly<UnpackReport>;
  /** What the machine complained about, if it couldn't read everything; empty if it could. */
  readonly complaint: string;
  remove(): Promise<void>;
}

export interface DownloadWatch {
  readonly report: (now: Readonly<UnpackReport>) => void;
  /** Whether to go on with more than was agreed to. */
  readonly mayGoOn: (bytes: number) => Promise<boolean>;
  /** The usual ones if left out. */
  readonly limits?: UnpackLimits;
}

/**
 * Downloads into a temporary folder. Nothing else of this computer is touched, and whatever fails leaves nothing.
 * @throws AppError `rejected`, `not-found` or `offline` with the reason; the signal's reason.
 */
export async function downloadFiles(order: DownloadOrder, signal: AbortSignal, watch: DownloadWatch): Promise<Arrived> {
  const { machine, remote, into, names } = order;
  const folder = await createDownloadFolder(into).catch((cause) => {
    throw new AppError(
      "rejected",
      t("The folder {0} can't be written. Check its permissions.", toPlainText(into, 200)),
      {
        cause,
      },
    );
  });
  const remove = () => removeUnpacked(folder);
  try {
    // The temporary folder itself is open to this user only, and what comes out of it shall not be.
    const files = join(folder, "files");
    await mkdir(files);
    const unpacker = new Unpacker(files, watch);
    const command = names ? buildDownloadFilesCommand(remote) : buildDownloadCommand(remote);
    const { kind, end } = await withCommand(machine, command, signal, (running) =>
      receive(running, unpacker, order, signal),
    );
    const { report } = unpacker;
    if (!unpacker.isComplete) throw toMachineError(machine, end);
    if (end.code !== 0 && report.files + report.folders.length === 0) throw toMachineError(machine, end);
    const name = localName(remote);
    const complaint = end.code === 0 ? "" : findComplaint(end.err) || "?";
    if (kind === "folder") return { folder, path: files, name, kind, report, complaint, remove };
    const [file, ...more] = report.paths;
    if (report.names > 0 && report.paths.size === 0)
      throw new AppError(
        "rejected",
        t(
          "This computer can't save a file named “{0}”. Rename it on the machine, then try again.",
          toRemoteName(remote),
        ),
      );
    if (file === undefined || more.length > 0)
      throw new AppError(
        "rejected",
        t("“{0}” isn't a regular file or folder. Nothing was saved.", toPlainText(remote)),
      );
    return { folder, path: join(files, ...file), name, kind, report, complaint, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** A name for this computer. */
function localName(remote: string): string {
  const name = toRemoteName(remote);
  return isSafeName(name, process.platform === "win32") ? name : "download";
}

interface Received {
  readonly kind: "file" | "folder";
  readonly end: SshEnd;
}

/** Reads what the machine sends, no faster than it is written. */
async function receive(
  running: RunningSsh,
  unpacker: Unpacker,
  { machine, remote, names }: DownloadOrder,
  signal: AbortSignal,
): Promise<Received> {
  writeInput(running.stdin, names ?? [], "\n");
  let head = Buffer.alloc(0);
  let kind: Received["kind"] | undefined;
  try {
    for await (const chunk of running.stdout as AsyncIterable<Buffer>) {
      signal.throwIfAborted();
      if (kind) {
        await unpacker.write(chunk);
        continue;
      }
      head = Buffer.concat([head, chunk]);
      const found = findAnswer(head);
      if (!found) continue;
      if (found.answer === "missing")
        throw new AppError("not-found", t("“{0}” doesn't exist on instance {1}.", toPlainText(remote), machine.id));
      kind = found.answer === "file" ? "file" : "folder";
      await unpacker.write(head.subarray(found.end));
    }
    const end = await running.ended;
    signal.throwIfAborted();
    if (!kind) throw toMachineError(machine, end);
    return { kind, end };
  } finally {
    await unpacker.close();
  }
}
