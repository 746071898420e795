// What goes to a machine before a run begins there: its folder, and the results of its earlier attempts.
import type { RunRecord } from "../../domain/run/run-record.ts";
import { RUN_NEEDS } from "../../domain/run/run-script.ts";
import type { UploadList, UploadSize } from "../../domain/transfer/upload-list.ts";
import type { MachineLogin } from "../connection/run-there.ts";
import { uploadChanged } from "../transfer/find-unchanged.ts";
import { createMissingError, listEarlier, sendEarlier } from "./results/earlier-results.ts";
import { type Reaching, retryOnMachine } from "./retry-on-machine.ts";
import type { RunJournal } from "./run-journal.ts";
import type { Following } from "./run-watch.ts";

interface Parts extends Reaching {
  readonly journal: RunJournal;
}

/** What arrived before the connection was lost isn't sent again. @returns the machine as it was reached then. @throws AppError; the signal's reason. */
export async function uploadRun(
  parts: Parts,
  machine: MachineLogin,
  run: RunRecord,
  list: UploadList,
  following: Following,
): Promise<MachineLogin> {
  const { watch, signal } = following;
  const { folder, remote } = run.plan;
  const report = ({ files, bytes }: UploadSize) => watch.stage({ kind: "uploading", files, bytes });
  const reached = await retryOnMachine(parts, machine, following, async (now) => {
    report({ files: 0, bytes: 0 });
    await uploadChanged({ machine: now, folder, list, remote, needs: RUN_NEEDS }, signal, report);
  });
  const { early } = run;
  if (run.earlier === undefined || early === undefined || early.files === 0) return reached;
  const earlier = await listEarlier(early.place, await parts.journal.readFetched(run.id));
  // The person was told that they go along.
  if (!earlier || earlier.files.length < early.files) throw createMissingError(early.place);
  // Only once the folder is there: what is sent again would be among the results.
  return await retryOnMachine(parts, reached, following, (now) => sendEarlier(now, run, earlier, signal, report));
}
