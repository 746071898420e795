// Launching: the questions of each way to launch, the receipt, and what follows the confirmation.
import { asAppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { type LaunchPlan, planPrice } from "../../domain/launch/launch-plan.ts";
import { unpackScript } from "../../domain/template/packed-script.ts";
import type { Template } from "../../domain/template/template.ts";
import { realClock } from "../../lib/clock.ts";
import { plain, t } from "../../lib/text.ts";
import { compareWithTemplate } from "../../present/launch/effective.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { type Intent, labelFor, mintIntent } from "../../services/launch/intent.ts";
import { showError } from "../kit/errors.ts";
import { tellError, tellInfo, tellWarning } from "../kit/messages.ts";
import { type Answer, BACK, BackWith, type Place, type Step, walk } from "../kit/steps.ts";
import { chooseOffer } from "../offer/choose-offer.ts";
import type { LaunchServices } from "./launch-services.ts";
import {
  askBid,
  askDisk,
  askImage,
  askLabel,
  askRuntype,
  askTemplate,
  askWhat,
  type Draft,
  emptyDraft,
  type Priced,
  toPlan,
  withTemplate,
  withTemplateNow,
} from "./plan-steps.ts";
import { type Rental, rentAndWait } from "./rent.ts";
import { offerReplacement } from "./replace.ts";
import { confirmRent, receiptText, showReceipt } from "./review-receipt.ts";

interface LaunchStep {
  readonly applies?: (draft: Draft) => boolean;
  readonly ask: Step<Draft>;
}

/** From a template: at most template, offer, receipt; disk and label have defaults and are changed on the receipt. */
export async function launchFromTemplate(services: LaunchServices, template: Template | undefined): Promise<void> {
  const title = t("Launch Instance from Template");
  await launch(services, title, template ? withTemplate(emptyDraft, template) : emptyDraft, [
    {
      applies: () => template === undefined,
      ask: (draft, place) => askTemplate(services.templates, { ...place, title }, draft),
    },
    { ask: (draft, place) => askOffer(services, { ...place, title }, draft) },
  ]);
}

/** From an offer: the machine first, then what runs on it. */
export async function launchFromOffer(services: LaunchServices): Promise<void> {
  const title = t("Launch Instance from Offer");
  const ownImage = (draft: Draft) => draft.image !== undefined;
  await launch(services, title, emptyDraft, [
    { ask: (draft, place) => askOffer(services, { ...place, title }, draft) },
    { ask: (draft, place) => askWhat(services.templates, { ...place, title }, draft) },
    { applies: ownImage, ask: (draft, place) => askImage({ ...place, title }, draft) },
    { applies: ownImage, ask: (draft, place) => askRuntype({ ...place, title }, draft) },
    { ask: (draft, place) => askDisk({ ...place, title }, draft) },
    { ask: (draft, place) => askLabel({ ...place, title }, draft) },
  ]);
}

/** An offer and, where it is interruptible, the bid for it: nothing else ever sets either of the two. */
async function askOffer({ offers, launches }: LaunchServices, place: Place, start: Draft): Promise<Answer<Draft>> {
  let draft = start;
  for (;;) {
    const search = { ...draft.search, diskGb: draft.diskGb };
    const choice = await chooseOffer(offers, { search, fresh: draft.fresh }, place, launches.tried, draft.offer);
    if (choice === undefined || choice === BACK) return choice;
    const sameOffer = choice.offer.id === draft.offer?.id && choice.search.type === draft.search.type;
    draft = { ...draft, ...choice, pricedGb: draft.diskGb, bid: sameOffer ? draft.bid : undefined };
    if (draft.search.type !== "bid") return draft;
    const bid = await askBid({ title: place.title, back: true }, draft);
    if (bid !== BACK) return bid;
  }
}

async function launch(
  services: LaunchServices,
  title: string,
  start: Draft,
  steps: readonly LaunchStep[],
): Promise<void> {
  const account = services.session.signedIn();
  let confirmed: Confirmed | undefined;
  const draft = await walk<Draft>(start, [
    ...steps,
    {
      ask: async (state, place) => {
        const answer = await review(services, account, { ...place, title }, state);
        if (answer === undefined || answer instanceof BackWith) return answer;
        confirmed = answer;
        return answer.draft;
      },
    },
  ]);
  if (!draft || !confirmed) return;
  const { draft: last, intent, withoutTracking } = confirmed;
  const again = () =>
    launch(services, title, { ...last, offer: undefined }, [
      { ask: (state, place) => askOffer(services, { ...place, title }, state) },
    ]);
  const plan = toPlan(last);
  const onDead = (rental: Rental, id: InstanceId) => offerReplacement(services, rental, id);
  const chain = { price: planPrice(plan), tries: 0 };
  await rentAndWait(services, { account, plan, search: last.search, intent, again, chain, withoutTracking, onDead });
}

interface Confirmed {
  readonly draft: Priced;
  readonly intent: Intent;
  readonly withoutTracking: boolean;
}

/**
 * The receipt with its own small changes. The intent is minted as it opens, so whatever is clicked on this receipt,
 * however often, carries the same one.
 */
async function review(
  services: LaunchServices,
  account: SignedIn,
  place: Place,
  start: Draft,
): Promise<Confirmed | BackWith<Draft> | undefined> {
  const intent = mintIntent();
  const sub: Place = { title: place.title, back: true };
  let draft = await withTemplateAsItIs(services, start);
  for (;;) {
    const priced = await reprice(services, account, draft);
    if (!priced) {
      const other = await askOffer(services, sub, draft);
      if (other === undefined) return undefined;
      if (other === BACK) return new BackWith(draft);
      draft = other;
      continue;
    }
    const plan = toPlan(priced);
    const sentLabel = labelFor(intent, plan.label);
    const answer = await showReceipt(plan, sentLabel, place);
    if (answer === undefined) return undefined;
    if (answer === BACK) return new BackWith<Draft>(priced);
    if (answer === "rent") {
      const edited = withLaterEdits(services, priced);
      if (edited !== priced) {
        draft = edited;
        continue;
      }
      const consent = await askToRent(services, account, plan);
      if (consent) return { draft: priced, intent, ...consent };
    } else if (answer === "full") {
      // The receipt comes back over the document: reading is not leaving.
      await services.documents.show(`${t("Receipt")}.txt`, receiptText(plan, sentLabel));
    } else if (answer === "compare") {
      await showChanges(services, plan, sentLabel);
    } else {
      const changed = await change(services, answer, sub, priced);
      if (changed === undefined) return undefined;
      if (changed !== BACK) draft = changed;
    }
  }
}

/** Milliseconds a receipt waits for its template. What comes later is taken up when *Rent* is chosen. */
const RECEIPT_WAITS = 2000;

/** Lists may be hours old. What cannot be read now is left to the service, which refuses a hash it does not have. */
async function withTemplateAsItIs({ saves }: LaunchServices, draft: Draft): Promise<Draft> {
  const { template } = draft;
  if (!template) return draft;
  const reading = saves.find({ id: template.id, hash: template.hash_id }).catch(() => undefined);
  const row = await Promise.race([reading, realClock.sleep(RECEIPT_WAITS)]);
  return row ? toldOf(draft, withTemplateNow(draft, row.value)) : draft;
}

/** A template that was saved here, or read, while its receipt was open. */
function withLaterEdits({ templates }: LaunchServices, draft: Draft): Draft {
  const { template } = draft;
  if (!template) return draft;
  const { id, hash_id } = template;
  const row = templates.find(hash_id) ?? (id === undefined ? undefined : templates.byNumber(id));
  return row ? toldOf(draft, withTemplateNow(draft, row.value)) : draft;
}

function toldOf(before: Draft, now: Draft): Draft {
  if (now === before) return before;
  const name = plain(now.template?.name ?? "", 60) || t("Unnamed template");
  void tellInfo(t("The template “{0}” was changed meanwhile. The receipt shows it as it is now.", name));
  return now;
}

/** The template and what the launch comes to, side by side. A packed script is shown as what it runs. */
async function showChanges({ documents }: LaunchServices, plan: LaunchPlan, label: string): Promise<void> {
  const script = plan.template?.onstart;
  const unpacked = script === undefined ? undefined : ((await unpackScript(script)) ?? script);
  const texts = compareWithTemplate(plan, label, unpacked);
  if (!texts) return;
  const [left, right] = [`${t("Template")}.json`, `${t("This Launch")}.json`];
  await documents.compare(t("Template ↔ This Launch"), [left, texts.template], [right, texts.effective]);
}

/** The limits, whether a lost rental could be found, and then the one question. What is refused leaves the receipt open. */
async function askToRent(
  services: LaunchServices,
  account: SignedIn,
  plan: LaunchPlan,
): Promise<{ readonly withoutTracking: boolean } | undefined> {
  try {
    const { withoutTracking } = await services.launches.mayRent(account, plan);
    return (await confirmRent(plan, account.sandbox, withoutTracking)) ? { withoutTracking } : undefined;
  } catch (error) {
    // Not waited for: the receipt comes back under the message.
    void showError(error, services.log);
    return undefined;
  }
}

function change(
  services: LaunchServices,
  what: "disk" | "label" | "offer",
  place: Place,
  draft: Draft,
): Promise<Answer<Draft>> {
  if (what === "disk") return askDisk(place, draft);
  return what === "label" ? askLabel(place, draft) : askOffer(services, place, draft);
}

/** The disk is part of an offer's price: another size means reading it again. Undefined where the offer is gone. */
async function reprice(services: LaunchServices, account: SignedIn, draft: Draft): Promise<Priced | undefined> {
  const { offer } = draft;
  if (!offer) return undefined;
  if (draft.pricedGb === draft.diskGb) return { ...draft, offer };
  try {
    const fresh = await services.offers.reread(account, offer.id, draft.search.type, draft.diskGb);
    if (fresh) return { ...draft, offer: fresh, pricedGb: draft.diskGb };
    services.launches.tried.add(offer.id);
    void tellWarning(t("That offer was just taken, or has no room for {0} GB of disk. Choose another.", draft.diskGb));
  } catch (thrown) {
    void tellError(t("The price with {0} GB could not be read: {1}", draft.diskGb, asAppError(thrown).message));
  }
  return undefined;
}
