// From an offer or a template to a complete plan: the few questions a launch needs, each with a sensible default.

import { dollars, knownPrice } from "../../domain/base/money.ts";
import { parseLabel } from "../../domain/instance/label.ts";
import type { RUNTYPES } from "../../domain/launch/create-request.ts";
import { type LaunchDraft, withTemplate } from "../../domain/launch/launch-draft.ts";
import { parseBid } from "../../domain/offer/bid.ts";
import { parseDisk } from "../../domain/offer/disk.ts";
import { recommendedDisk } from "../../domain/offer/offer-search.ts";
import { parseImage } from "../../domain/template/image.ts";
import type { Template } from "../../domain/template/template.ts";
import { plain, t } from "../../lib/text.ts";
import type { TemplatesService } from "../../services/template/templates.ts";
import { type Answer, ask, BACK, type Choice, pick, type StepPlace, separator } from "../kit/steps.ts";
import { templateChoices } from "../template/choose-template.ts";

export async function askTemplate(
  templates: TemplatesService,
  place: StepPlace,
  draft: LaunchDraft,
): Promise<Answer<LaunchDraft>> {
  const template = await pick<Template>({
    ...place,
    placeholder: t("Which template?"),
    choices: () => templateChoices(templates, (template) => template),
    active: (value) => value.hash_id === draft.template?.hash_id,
  });
  return template === undefined || template === BACK ? template : withTemplate(draft, template);
}

type What = { readonly template: Template } | "image";

/** A template, or the person's own image. The offer is already chosen, so a template's machine search isn't applied. */
export async function askWhat(
  templates: TemplatesService,
  place: StepPlace,
  draft: LaunchDraft,
): Promise<Answer<LaunchDraft>> {
  const what = await pick<What>({
    ...place,
    placeholder: t("What should run on it?"),
    choices: async () => [
      {
        label: `$(package) ${t("A docker image…")}`,
        detail: t("Type its name; you get a plain machine with SSH."),
        value: "image" as const,
        alwaysShow: true,
      },
      separator<What>(t("Templates")),
      ...(await templateChoices<What>(templates, (template) => ({ template }))),
    ],
    active: (value) =>
      value === "image" ? draft.image !== undefined : value.template.hash_id === draft.template?.hash_id,
  });
  if (what === undefined || what === BACK) return what;
  if (what === "image") return { ...draft, template: undefined, image: draft.image ?? "" };
  if (what.template.hash_id === draft.template?.hash_id) return draft;
  return {
    ...draft,
    template: what.template,
    image: undefined,
    runtype: undefined,
    diskGb: recommendedDisk(what.template),
  };
}

export async function askImage(place: StepPlace, draft: LaunchDraft): Promise<Answer<LaunchDraft>> {
  const image = await ask({
    ...place,
    prompt: t("Docker image, with its tag"),
    value: draft.image ?? "",
    placeholder: "pytorch/pytorch:latest",
    read: parseImage,
  });
  return typeof image === "string" ? { ...draft, image } : image;
}

export async function askRuntype(place: StepPlace, draft: LaunchDraft): Promise<Answer<LaunchDraft>> {
  const choices: Choice<(typeof RUNTYPES)[number]>[] = [
    {
      label: t("SSH, direct"),
      description: "ssh_direct",
      detail: t("Port 22 of the machine. The image's own entrypoint does not start."),
      value: "ssh_direct",
    },
    {
      label: t("SSH through a proxy"),
      description: "ssh_proxy",
      detail: t("Works where the machine has no open ports. The image's own entrypoint does not start."),
      value: "ssh_proxy",
    },
    {
      label: t("Jupyter and SSH, direct"),
      description: "jupyter_direct",
      detail: t("Ports 8080 and 22 of the machine. The image's own entrypoint does not start."),
      value: "jupyter_direct",
    },
    {
      label: t("Jupyter and SSH through a proxy"),
      description: "jupyter_proxy",
      detail: t("The image's own entrypoint does not start."),
      value: "jupyter_proxy",
    },
    {
      label: t("The image as it is"),
      description: "args",
      detail: t("Its own entrypoint starts. No SSH, no Jupyter."),
      value: "args",
    },
  ];
  const runtype = await pick({
    ...place,
    placeholder: t("How do you want to reach it?"),
    choices,
    active: (value) => value === draft.runtype,
  });
  return runtype === undefined || runtype === BACK ? runtype : { ...draft, runtype };
}

export async function askBid(place: StepPlace, draft: LaunchDraft): Promise<Answer<LaunchDraft>> {
  const { offer } = draft;
  if (!offer) return draft;
  const least = knownPrice(offer.min_bid);
  const suggested = least === undefined ? "" : (Math.ceil(least * 1000) / 1000).toFixed(3);
  const bid = await ask({
    ...place,
    prompt:
      least === undefined
        ? t("Your bid in dollars an hour for the whole machine, without its disk")
        : t(
            "Your bid in dollars an hour for the whole machine, without its disk; the lowest that starts it now is {0}",
            dollars(least),
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
  const diskGb = await ask({
    ...place,
    prompt: `${t("Disk in GB. It cannot be changed later and is billed while stopped, too.")}${most}`,
    value: String(draft.diskGb),
    read: (text) => parseDisk(text, offer),
  });
  return typeof diskGb === "number" ? { ...draft, diskGb } : diskGb;
}

export async function askLabel(place: StepPlace, draft: LaunchDraft): Promise<Answer<LaunchDraft>> {
  const label = await ask({
    ...place,
    prompt: t("A name for it, if you like"),
    value: draft.label,
    placeholder: plain(draft.template?.name ?? "", 40),
    read: parseLabel,
  });
  return typeof label === "string" ? { ...draft, label } : label;
}
