// A run that is written down and agreed to: what is left is to upload and start it.
import type { RunRecord } from "../../domain/run/run-record.ts";
import type { UploadList } from "../../domain/transfer/upload-list.ts";
import type { MachineLogin } from "../connection/run-there.ts";

export interface PreparedRun {
  readonly machine: MachineLogin;
  readonly run: RunRecord;
  readonly list: UploadList;
  /**
   * Rents another instance for it if its own was lost, and that was agreed to. @returns undefined if it isn't to continue automatically, or can't: the
   * person was told why.
   */
  readonly goOn?: (run: RunRecord) => Promise<PreparedRun | undefined>;
}
