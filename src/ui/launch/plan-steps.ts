// From an offer or a template to a complete plan: the few questions a launch needs, each with a sensible default.

import { formatPrice, toPrice } from "../../domain/base/money.ts";
import { parseLabel } from "../../domain/instance/label.ts";
import { type LaunchDraft, withOwnImage, withTemplate, withWhat } from "../../domain/launch/launch-draft.ts";
import { parseBid } from "../../domain/offer/bid.ts";
import { parseDisk } from "../../domain/offer/disk.ts";
import type { Offer } from "../../domain/offer/offer.ts";
import { parseImage } from "../../domain/template/image.ts";
import type { Template } from "../../domain/template/template.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { formatMismatches } from "../../present/launch/mismatches.ts";
import type { TemplatesService } from "../../services/template/templates.ts";
import { type Choice, createSeparator, pickOne } from "../kit/ask/pick.ts";
import { type Answer, askText, BACK, type StepPlace } from "../kit/ask/steps.ts";
import { listTemplateChoices } from "../template/choose-template.ts";

export async function askTemplate(
  templates: TemplatesService,
  place: StepPlace,
  draft: LaunchDraft,
): Promise<Answer<LaunchDraft>> {
  const template = await pickOne<Template>({
    ...place,
    placeholder: t("Which template?"),
    choices: (_, partly) => listTemplateChoices(templates, (template) => template, partly),
    active: (value) => value.hash_id === draft.template?.hash_id,
  });
  return template === undefined || template === BACK ? template : withTemplate(draft, template);
}

type What = { readonly template: Template } | "image";

/** A template, or the person's own image, before an offer is chosen. */
export async function askBase(
  templates: TemplatesService,
  place: StepPlace,
  draft: LaunchDraft,
): Promise<Answer<LaunchDraft>> {
  const what = await pickWhat(
    templates,
    { ...place, placeholder: t("Which template?") },
    { ...draft, offer: undefined },
  );
  if (what === undefined || what === BACK) return what;
  return what === "image" ? withOwnImage(draft) : withTemplate(draft, what.template);
}

/** A template, or the person's own image, on an offer that is already chosen. */
export async function askWhat(
  templates: TemplatesService,
  place: StepPlace,
  draft: LaunchDraft,
): Promise<Answer<LaunchDraft>> {
  const what = await pickWhat(templates, { ...place, placeholder: t("What should run on the machine?") }, draft);
  if (what === undefined || what === BACK) return what;
  return withWhat(draft, what === "image" ? undefined : what.template);
}

async function pickWhat(
  templates: TemplatesService,
  place: StepPlace & { readonly placeholder: string },
  draft: LaunchDraft,
): Promise<Answer<What>> {
  const withImage = (choices: readonly Choice<What>[]): Choice<What>[] => [
    {
      label: `$(package) ${t("A Docker Image…")}`,
      detail: t("Your own image, with its variables, ports, start script, and everything else on one page."),
      value: "image",
    },
    createSeparator(t("Templates")),
    ...choices.map((choice) => warnOfMismatches(choice, draft.offer)),
  ];
  return await pickOne<What>({
    ...place,
    button: { icon: "package", tooltip: t("A Docker Image…"), value: "image" },
    choices: async (_, partly) =>
      withImage(
        await listTemplateChoices<What>(
          templates,
          (template) => ({ template }),
          // A list of the image alone would leave the cursor there.
          (some) => some.length > 0 && partly(withImage(some)),
        ),
      ),
    active: (value) => isChosen(value, draft),
  });
}

/** Before anything is chosen, the first template is at the cursor. */
function isChosen(what: What, { template, image }: LaunchDraft): boolean {
  if (what === "image") return image !== undefined && !template;
  return template ? what.template.hash_id === template.hash_id : image === undefined;
}

/** Says first what the template asks for and the chosen machine doesn't have. */
function warnOfMismatches(choice: Choice<What>, offer: Offer | undefined): Choice<What> {
  const template = typeof choice.value === "object" ? choice.value.template : undefined;
  const warning = template && offer && formatMismatches(template, offer);
  return warning ? { ...choice, detail: [`⚠ ${warning}`, choice.detail].filter(Boolean).join("  ·  ") } : choice;
}

export async function askImage(place: StepPlace, draft: LaunchDraft): Promise<Answer<LaunchDraft>> {
  const image = await askText({
    ...place,
    prompt: t("Docker image, including the tag"),
    value: draft.image ?? "",
    placeholder: "pytorch/pytorch:latest",
    read: parseImage,
  });
  return typeof image === "string" ? { ...draft, image } : image;
}

export async function askBid(place: StepPlace, draft: LaunchDraft): Promise<Answer<LaunchDraft>> {
  const { offer } = draft;
  if (!offer) return draft;
  const least = toPrice(offer.min_bid);
  const suggested = least === undefined ? "" : (Math.ceil(least * 1000) / 1000).toFixed(3);
  const bid = await askText({
    ...place,
    prompt:
      least === undefined
        ? t("Your bid in dollars per hour for the whole machine, excluding the disk")
        : t(
            "Your bid in dollars per hour for the whole machine, excluding the disk. The minimum right now is {0}.",
            formatPrice(least),
          ),
    value: draft.bid === undefined ? suggested : String(draft.bid),
    read: (text) => parseBid(text, offer),
  });
  return typeof bid === "number" ? { ...draft, bid } : bid;
}

export async function askDisk(place: StepPlace, draft: LaunchDraft): Promise<Answer<LaunchDraft>> {
  const { offer } = draft;
  if (!offer) return draft;
  const most =
    offer.disk_space === undefined ? "" : ` ${t("This machine has {0} GB free.", Math.floor(offer.disk_space))}`;
  const diskGb = await askText({
    ...place,
    prompt: `${t("Disk size in GB. Can't be changed later, and is billed even while the instance is stopped.")}${most}`,
    value: String(draft.diskGb),
    read: (text) => parseDisk(text, offer),
  });
  return typeof diskGb === "number" ? { ...draft, diskGb } : diskGb;
}

export async function askLabel(place: StepPlace, draft: LaunchDraft): Promise<Answer<LaunchDraft>> {
  const label = await askText({
    ...place,
    prompt: t("Instance name (optional)"),
    value: draft.label,
    placeholder: toPlainText(draft.template?.name ?? "", 40),
    read: parseLabel,
  });
  return typeof label === "string" ? { ...draft, label } : label;
}
