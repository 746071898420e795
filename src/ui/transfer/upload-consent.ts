// What comes before an upload: the list of what would go, where to, and the person's agreement.
import { basename } from "node:path";
import type { UploadFacts, UploadList } from "../../domain/transfer/upload-list.ts";
import { t, toPlainText } from "../../lib/text.ts";
import type { Question } from "../../present/base/question.ts";
import { formatFileCount, formatUploadList } from "../../present/transfer/transfer-text.ts";
import { listUpload } from "../../services/transfer/list-upload.ts";
import type { ConnectionServices } from "../connection/connection-services.ts";
import { confirmOr } from "../kit/ask/confirm.ts";
import { withLateNotification } from "../kit/late-notification.ts";
import { tellInfo } from "../kit/messages.ts";

/** What of a folder would be uploaded. @throws AppError if it can't be read. */
export function listFolder(folder: string): Promise<UploadList> {
  return withLateNotification(t("Listing {0}", toPlainText(basename(folder), 60)), (report, cancelled) =>
    listUpload(folder, cancelled, (files) => report(formatFileCount(files))),
  );
}

/** Asks until the person decided, with the whole list in a tab if they want to read it first. */
export async function agreeToUpload(
  { documents }: Pick<ConnectionServices, "documents">,
  question: Question,
  folder: string,
  facts: UploadFacts,
): Promise<boolean> {
  for (;;) {
    const answer = await confirmOr(question, { label: t("Show List"), isDefault: false });
    if (answer !== "other") return answer === "go";
    await documents.show(`${t("Upload to Instance {0}", facts.id)}.txt`, formatUploadList(folder, facts));
    const goOn = t("Continue…");
    if ((await tellInfo(t("Nothing has been uploaded yet. Continue after you've read the list."), goOn)) !== goOn)
      return false;
  }
}
