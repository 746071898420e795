// Shows the receipt to the person as a list of choices. Small changes are asked like the earlier steps.
import { asAppError } from "../../domain/base/error.ts";
import type { LaunchDraft } from "../../domain/launch/launch-draft.ts";
import type { LaunchPlan } from "../../domain/launch/launch-plan.ts";
import { unpackScript } from "../../domain/template/packed-script.ts";
import { displayName } from "../../domain/template/template.ts";
import { t } from "../../lib/text.ts";
import { compareWithTemplate } from "../../present/launch/effective.ts";
import { launchQuestion } from "../../present/launch/launch-messages.ts";
import type { ReceiptChange, Reviewer, ReviewMessage } from "../../services/launch/review-launch.ts";
import { addAccountKey } from "../connection/choose-key.ts";
import { confirm } from "../kit/confirm.ts";
import { showError } from "../kit/errors.ts";
import { tellError, tellInfo, tellWarning } from "../kit/messages.ts";
import { type Answer, BACK, type StepPlace } from "../kit/steps.ts";
import { askOffer } from "./ask-offer.ts";
import type { LaunchServices } from "./launch-services.ts";
import { askDisk, askLabel } from "./plan-steps.ts";
import { receiptText, showReceipt } from "./review-receipt.ts";

export function createReviewer(services: LaunchServices, place: StepPlace): Reviewer {
  const sub: StepPlace = { title: place.title, back: true };
  return {
    showReceipt: async (plan, label, keys) => {
      const answer = await showReceipt(plan, label, keys, place);
      return answer === BACK ? "back" : answer;
    },
    change: async (what, draft) => {
      const changed = await change(services, what, sub, draft);
      return changed === BACK ? "back" : changed;
    },
    read: (what, plan, label) =>
      what === "full"
        ? services.documents.show(`${t("Receipt")}.txt`, receiptText(plan, label))
        : showChanges(services, plan, label),
    addKey: (account) => addAccountKey(services, account),
    confirm: (question) => confirm(launchQuestion(question)),
    tell: (message) => tell(services, message),
  };
}

function change(
  services: LaunchServices,
  what: ReceiptChange,
  place: StepPlace,
  draft: LaunchDraft,
): Promise<Answer<LaunchDraft>> {
  if (what === "disk") return askDisk(place, draft);
  return what === "label" ? askLabel(place, draft) : askOffer(services, place, draft);
}

/** Messages aren't awaited: the receipt, or the list of offers, reappears below them. */
function tell({ log }: LaunchServices, message: ReviewMessage): void {
  switch (message.kind) {
    case "template-changed": {
      const name = displayName(message.name, 60);
      return void tellInfo(t("The template “{0}” was changed meanwhile. The receipt shows it as it is now.", name));
    }
    case "offer-taken":
      return void tellWarning(
        t("That offer was just taken, or has no room for {0} GB of disk. Choose another.", message.diskGb),
      );
    case "price-unread":
      return void tellError(
        t("The price with {0} GB could not be read: {1}", message.diskGb, asAppError(message.error).message),
      );
    case "refused":
      return void showError(message.error, log);
  }
}

/** The template and the resulting launch, side by side. A packed script is shown unpacked. */
async function showChanges({ documents }: LaunchServices, plan: LaunchPlan, label: string): Promise<void> {
  const script = plan.template?.onstart;
  const unpacked = script === undefined ? undefined : ((await unpackScript(script)) ?? script);
  const texts = compareWithTemplate(plan, label, unpacked);
  if (!texts) return;
  const [left, right] = [`${t("Template")}.json`, `${t("This Launch")}.json`];
  await documents.compare(t("Template ↔ This Launch"), [left, texts.template], [right, texts.effective]);
}
