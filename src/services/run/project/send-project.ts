// Sends a project to a machine, again and again: only what changed here is uploaded, and what was changed there stays.
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../../domain/base/error.ts";
import {
  buildListProjectCommand,
  buildPrepareProjectCommand,
  formatSentLine,
  PROJECT_LISTED,
  type ProjectPlace,
  type ProjectReadiness,
  type ProjectSetup,
  readProjectLine,
  readProjectReadiness,
} from "../../../domain/run/project-there.ts";
import { THERE_LISTED, type ThereFile } from "../../../domain/transfer/transfer-command.ts";
import type { UploadFile } from "../../../domain/transfer/upload-list.ts";
import { t } from "../../../lib/text.ts";
import { askMachine, askMachineForWords } from "../../connection/ask-machine.ts";
import type { MachineLogin } from "../../connection/run-there.ts";
import type { PackReport } from "../../transfer/pack-files.ts";
import { type UploadOrder, uploadFiles } from "../../transfer/upload.ts";

/** Files that are looked at together. */
const TOGETHER = 50;

export const toProjectPlace = (remote: string): ProjectPlace => ({
  key: createHash("sha256").update(remote).digest("hex").slice(0, 12),
  remote,
});

/** What became of a project's files. */
export interface SentProject extends ProjectReadiness {
  readonly sent: Readonly<PackReport>;
  /** Changed on the machine, so they stay as they are there. */
  readonly kept: readonly string[];
}

interface Comparison {
  readonly files: readonly UploadFile[];
  readonly kept: readonly string[];
  /** What was uploaded, now or before, a line for each file. */
  readonly lines: Map<string, string>;
}

/** @throws AppError as `uploadFiles` and `askMachine` do; the signal's reason. */
export async function sendProject(
  order: UploadOrder,
  setup: ProjectSetup,
  signal: AbortSignal,
  report: (now: Readonly<PackReport>) => void,
): Promise<SentProject> {
  const { machine, list, remote } = order;
  const place = toProjectPlace(remote);
  const { files, kept, lines } = await compare(order, place, signal);
  const sent = await uploadFiles({ ...order, list: { ...list, files } }, signal, report);
  // What arrived of these is neither what was here nor what is.
  for (const path of [...sent.changed, ...sent.missing]) lines.delete(path);
  const readiness = await prepare(machine, place, setup, [...lines.values()].join(""), signal);
  return { sent, kept, ...readiness };
}

async function prepare(
  machine: MachineLogin,
  place: ProjectPlace,
  setup: ProjectSetup,
  lines: string,
  signal: AbortSignal,
): Promise<ProjectReadiness> {
  const answer = await askMachine(machine, buildPrepareProjectCommand(place, setup), signal, lines);
  const readiness = readProjectReadiness(answer);
  if (readiness) return readiness;
  throw new AppError("unexpected-reply", t("Instance {0} sent an unexpected response.", machine.id));
}

/** A file that differs is kept unless it is what was uploaded last: no one knows who changed one that came another way. */
async function compare(
  { machine, folder, list }: UploadOrder,
  place: ProjectPlace,
  signal: AbortSignal,
): Promise<Comparison> {
  const asked = new Set(list.files.map(({ path }) => path));
  const [there, before] = [new Map<string, ThereFile>(), new Map<string, ThereFile>()];
  let isWhole = false;
  const take = (text: string) => {
    isWhole ||= text === PROJECT_LISTED;
    const line = readProjectLine(text);
    if (line && asked.has(line.path)) (line.isSent ? before : there).set(line.path, line.file);
  };
  const answer = await askMachineForWords(machine, buildListProjectCommand(place), signal, { end: "\n", take });
  const isListed = answer === THERE_LISTED;
  // What isn't known to be absent isn't replaced.
  if (isListed && !isWhole)
    throw new AppError(
      "rejected",
      t("Instance {0} couldn't list the project's files, so nothing was uploaded.", machine.id),
    );
  const [files, kept, lines]: [UploadFile[], string[], Map<string, string>] = [[], [], new Map()];
  for (let at = 0; at < list.files.length; at += TOGETHER) {
    signal.throwIfAborted();
    const some = list.files.slice(at, at + TOGETHER);
    const here = await Promise.all(some.map((file) => readHere(folder, file)));
    for (const [index, file] of some.entries()) {
      const { path } = file;
      const [mine, theirs, sent] = [here[index], isListed ? there.get(path) : undefined, before.get(path)];
      const isKept = mine !== undefined && theirs !== undefined && isChangedThere(mine, theirs, sent);
      if (isKept) kept.push(path);
      else if (mine === undefined || theirs === undefined || !isSame(mine, theirs)) files.push(file);
      const known = isKept ? sent : mine;
      const line = known && formatSentLine(path, known);
      if (line !== undefined) lines.set(path, line);
    }
  }
  return { files, kept, lines };
}

const isSame = (one: ThereFile, other: ThereFile): boolean =>
  one.size === other.size && one.seconds === other.seconds && one.isExecutable === other.isExecutable;

const isChangedThere = (mine: ThereFile, theirs: ThereFile, sent: ThereFile | undefined): boolean =>
  !isSame(mine, theirs) && !(sent && isSame(sent, theirs));

/** Epoch seconds that an archive and every file system can keep: what is earlier or later arrives as the first or the last of them. */
const clampTime = (seconds: number): number => Math.min(Math.max(0, Math.floor(seconds)), 2 ** 31 - 1);

async function readHere(folder: string, { path, isExecutable }: UploadFile): Promise<ThereFile | undefined> {
  const found = await stat(join(folder, path)).catch(() => undefined);
  return found && { size: found.size, seconds: clampTime(found.mtimeMs / 1000), isExecutable };
}
