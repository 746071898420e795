// Shows the summary to the person as a list of choices. Small changes are asked like the earlier steps.
import { asAppError } from "../../../domain/base/error.ts";
import type { LaunchDraft } from "../../../domain/launch/launch-draft.ts";
import type { LaunchField } from "../../../domain/launch/launch-form.ts";
import type { LaunchQuestion } from "../../../domain/launch/launch-messages.ts";
import { calculatePlanPrice, findNoSelfStopInPlan, type LaunchPlan } from "../../../domain/launch/launch-plan.ts";
import { calculateDiskPrice } from "../../../domain/offer/disk.ts";
import { unpackScript } from "../../../domain/template/packed-script.ts";
import { toDisplayName } from "../../../domain/template/template.ts";
import { t } from "../../../lib/text.ts";
import type { Question } from "../../../present/base/question.ts";
import { compareWithTemplate } from "../../../present/launch/effective.ts";
import { buildLaunchQuestion } from "../../../present/launch/launch-messages.ts";
import type { Reviewer, ReviewMessage, SummaryChange } from "../../../services/launch/review-launch.ts";
import { addAccountKey } from "../../connection/choose-key.ts";
import type { SelfStopChoice } from "../../instance/ask-auto-stop.ts";
import { askAutoStops } from "../../instance/ask-idle-auto-stop.ts";
import { confirm } from "../../kit/ask/confirm.ts";
import { type Answer, BACK, type StepPlace } from "../../kit/ask/steps.ts";
import { showError } from "../../kit/errors.ts";
import { tellError, tellInfo, tellWarning } from "../../kit/messages.ts";
import { askOffer } from "../ask-offer.ts";
import type { LaunchServices } from "../launch-services.ts";
import { askBid, askDisk, askLabel } from "../plan-steps.ts";
import type { RentPurpose } from "../rent-purpose.ts";
import { formatSummary, showSummary } from "./review-summary.ts";
import { createFactsReader } from "./summary-facts.ts";

/** `listMore`: lines of the summary beside those of a purpose. */
export function createReviewer(
  services: LaunchServices,
  place: StepPlace,
  { purpose, listMore }: { readonly purpose?: RentPurpose | undefined; readonly listMore?: RentPurpose["lines"] } = {},
): Reviewer {
  const sub: StepPlace = { title: place.title, back: true };
  const readKnown = createFactsReader(services);
  return {
    showSummary: async (plan, label, keys) => {
      const known = await readKnown(plan);
      for (;;) {
        const facts = { plan, sentLabel: label, now: services.scheduler.clock.now(), known };
        const answer = await showSummary(facts, keys, place, { purpose, more: listMore?.(plan) ?? [] });
        if (typeof answer !== "object") return answer === BACK ? "back" : answer;
        await answer.change?.();
      }
    },
    change: async (what, draft) => {
      const changed = await change(services, what, sub, draft, {
        mostPerHour: purpose?.mostPerHour?.(),
        mustRun: purpose !== undefined,
      });
      return changed === BACK ? "back" : changed;
    },
    read: async (what, plan, label) => {
      const known = await readKnown(plan);
      return await services.documents.read((folder) =>
        what === "full"
          ? services.documents.show(
              `${folder}/${t("Summary")}.txt`,
              formatSummary({ plan, sentLabel: label, now: services.scheduler.clock.now(), known }),
            )
          : showChanges(services, folder, plan, label),
      );
    },
    addKey: (account) => addAccountKey(services, account),
    confirm: async (question) => {
      if (question.kind === "rent") purpose?.check?.(question.plan);
      return await confirm(withPurpose(question, purpose));
    },
    tell: (message) => tell(services, message),
  };
}

function withPurpose(asked: LaunchQuestion, purpose: RentPurpose | undefined): Question {
  const question = buildLaunchQuestion(asked);
  if (!purpose || asked.kind !== "rent") return question;
  return { ...question, detail: `${question.detail}\n\n${purpose.detail(asked.plan)}` };
}

function change(
  services: LaunchServices,
  what: SummaryChange,
  place: StepPlace,
  draft: LaunchDraft,
  { mostPerHour, mustRun }: { readonly mostPerHour: number | undefined; readonly mustRun: boolean },
): Promise<Answer<LaunchDraft>> {
  if (what === "bid") return askBid(place, draft);
  if (what === "disk") return askDisk(place, draft);
  if (what === "end") return askEndOf(services, place, draft);
  if (what === "configuration" || what === "volume")
    return services.launchPages.ask(services, draft, { focus: chooseFocus(what, draft), mustRun });
  return what === "label" ? askLabel(place, draft) : askOffer(services, place, draft, mostPerHour);
}

/** Whoever launches an image has it in sight. */
function chooseFocus(what: "configuration" | "volume", { template }: LaunchDraft): LaunchField {
  if (what === "volume") return "volume";
  return template ? "env" : "image";
}

async function askEndOf(
  { scheduler, session }: LaunchServices,
  place: StepPlace,
  draft: LaunchDraft,
): Promise<Answer<LaunchDraft>> {
  const { base } = session.requireSignedIn().address;
  const no = findNoSelfStopInPlan(draft, base);
  const { offer, search, bid, diskGb } = draft;
  const price = offer && calculatePlanPrice({ offer, type: search.type, bid, diskGb });
  const diskCost = offer && calculateDiskPrice(offer, diskGb);
  const itself: SelfStopChoice = no ? { kind: "impossible", no } : { kind: "offered", base };
  const facts = { now: scheduler.clock.now(), price, diskPrice: diskCost, itself };
  const wishes = await askAutoStops({ ...place, title: t("Set Auto-Stop") }, facts, draft);
  return wishes === undefined || wishes === BACK ? wishes : { ...draft, ...wishes };
}

/** Messages aren't awaited: the summary, or the list of offers, reappears below them. */
function tell({ log }: LaunchServices, message: ReviewMessage): void {
  switch (message.kind) {
    case "template-changed": {
      const name = toDisplayName(message.name, 60);
      return void tellInfo(t("The template “{0}” has changed. The summary shows the current version.", name));
    }
    case "offer-taken":
      return void tellWarning(
        t("That offer was just taken, or doesn't have {0} GB of disk. Choose another offer.", message.diskGb),
      );
    case "volume-lost":
      return void tellWarning(t("The volume isn't on the machine of this offer, so the launch no longer has it."));
    case "price-unread":
      return void tellError(
        t("Couldn't get the price with {0} GB: {1}", message.diskGb, asAppError(message.error).message),
      );
    case "refused":
      return void showError(message.error, log);
  }
}

/** The template and the resulting launch, side by side. A packed script is shown unpacked. */
async function showChanges(
  { documents, scheduler }: LaunchServices,
  folder: string,
  plan: LaunchPlan,
  label: string,
): Promise<void> {
  const script = plan.template?.onstart;
  const unpacked = script === undefined ? undefined : ((await unpackScript(script)) ?? script);
  const texts = compareWithTemplate(plan, label, unpacked, scheduler.clock.now());
  if (!texts) return;
  const [left, right] = [`${folder}/${t("Template")}.json`, `${folder}/${t("This Launch")}.json`];
  await documents.compare(
    t("Template ↔ This Launch (Escape returns to the summary)"),
    [left, texts.template],
    [right, texts.effective],
  );
}
