// Lists what a run would upload, and shows how far it is if that takes long.
import { basename } from "node:path";
import type { RunDraft } from "../../domain/run/run-plan.ts";
import type { RunUpload } from "../../domain/run/run-upload.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { formatFileCount } from "../../present/transfer/transfer-text.ts";
import { listRun } from "../../services/run/list-run.ts";
import { withLateNotification } from "../kit/late-notification.ts";

/** What would be uploaded for a run. @throws AppError if it can't be read. */
export function listForRun(draft: RunDraft): Promise<RunUpload> {
  return withLateNotification(t("Listing {0}", toPlainText(basename(draft.folder), 60)), (report, cancelled) =>
    listRun(draft, cancelled, (files) => report(formatFileCount(files))),
  );
}
