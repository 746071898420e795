// What comes before an upload: the list of what would go, where to, and the person's agreement.
import { basename } from "node:path";
import type { UploadFacts, UploadList } from "../../domain/transfer/upload-list.ts";
import { waitForAbort } from "../../lib/clock.ts";
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

/** Someone who waits for the answer, and not for as long as the person likes. */
interface Waiting {
  /** They have left. */
  readonly over: AbortSignal;
  /** The person went on after that. */
  readonly tellLate: () => void;
}

/**
 * Asks until the person decided, with the whole list in a tab if they want to read it first.
 * @throws the reason of who waits and has left.
 */
export async function agreeToUpload(
  { documents }: Pick<ConnectionServices, "documents">,
  question: Question,
  folder: string,
  { waiting, ...facts }: UploadFacts & { readonly waiting?: Waiting },
): Promise<boolean> {
  for (;;) {
    waiting?.over.throwIfAborted();
    const answer = await confirmOr(question, { label: t("Show List"), isDefault: false });
    if (answer !== "other") return answer === "go";
    if (waiting?.over.aborted) waiting.tellLate();
    waiting?.over.throwIfAborted();
    await documents.show(`${t("Upload to Instance {0}", facts.id)}.txt`, formatUploadList(folder, facts));
    if (!(await askToGoOn(waiting))) return false;
  }
}

/** A message stays for as long as the person likes, and isn't in the way of another question. */
async function askToGoOn(waiting: Waiting | undefined): Promise<boolean> {
  const goOn = t("Continue…");
  const told = tellInfo(t("Nothing has been uploaded yet. Continue after you've read the list."), goOn).then(
    (answer) => answer === goOn,
  );
  if (!waiting) return await told;
  const { over, tellLate } = waiting;
  void told.then((goesOn) => goesOn && over.aborted && tellLate());
  return await Promise.race([told, waitForAbort(over)]);
}
