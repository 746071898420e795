// A launch in the making: what the person chose so far, each answer with a sound default.
import type { AutoStopWish } from "../instance/auto-stop.ts";
import type { IdleWish } from "../instance/idle-order.ts";
import { LEAST_DISK, USUAL_IMAGE_DISK } from "../offer/disk.ts";
import type { Filters } from "../offer/filter.ts";
import type { Offer } from "../offer/offer.ts";
import { anySearch, getRecommendedDisk, type OfferSearch, toOfferSearch } from "../offer/offer-search.ts";
import type { OfferJob } from "../offer/table/job.ts";
import type { Template } from "../template/template.ts";
import { type LaunchChoice, type LaunchConfiguration, readVolumeHint } from "./launch-configuration.ts";
import type { LaunchPlan } from "./launch-plan.ts";
import type { VolumeFacts } from "./launch-volume.ts";

/** Everything chosen so far; it becomes a plan once it has an offer. */
export interface LaunchDraft {
  readonly template: Template | undefined;
  readonly image: string | undefined;
  readonly runtype: LaunchPlan["runtype"];
  readonly search: OfferSearch;
  /** What the search began with, for starting over. */
  readonly fresh: OfferSearch;
  readonly offer: Offer | undefined;
  /** GB of disk that the offer's price includes. */
  readonly pricedGb: number;
  readonly diskGb: number;
  readonly label: string;
  readonly bid: number | undefined;
  readonly end?: AutoStopWish | undefined;
  /** As in the plan. */
  readonly idle?: IdleWish | undefined;
  /** What was set beyond the template and the defaults. */
  readonly configuration?: LaunchConfiguration | undefined;
  /** What the person is going to do with it, where they compared offers by that. */
  readonly job?: OfferJob | undefined;
  /** As in the plan. */
  readonly volumePrice?: number | undefined;
  /** As in the plan. */
  readonly volumeMachine?: number | undefined;
  /** As in the plan. */
  readonly lostLogin?: boolean | undefined;
  /** As in the plan. */
  readonly askedBy?: LaunchPlan["askedBy"];
}

export const emptyDraft: LaunchDraft = {
  template: undefined,
  image: undefined,
  runtype: undefined,
  search: anySearch,
  fresh: anySearch,
  offer: undefined,
  pricedGb: LEAST_DISK,
  diskGb: LEAST_DISK,
  label: "",
  bid: undefined,
};

/** What was set of another template or image, whose secrets and scripts are none of this one's. */
const ANEW = {
  ...{ image: undefined, runtype: undefined, configuration: undefined },
  ...{ volumePrice: undefined, volumeMachine: undefined, lostLogin: undefined },
} as const satisfies Partial<LaunchDraft>;

/**
 * A template with its default machine search merged over ours and its disk as the disk to rent (interface 2.3, 4.3
 * rule 6). The same template chosen again keeps what was changed since; another one starts again.
 */
export function withTemplate(draft: LaunchDraft, template: Template): LaunchDraft {
  if (template.hash_id === draft.template?.hash_id) return draft;
  const fresh = toOfferSearch(template);
  const { diskGb } = fresh;
  return {
    ...draft,
    template,
    ...ANEW,
    ...{ diskGb, search: fresh, fresh, offer: undefined },
  };
}

/**
 * What runs on an offer that was chosen before: a template, or an image that is named later. The same again keeps what was changed since;
 * another one starts again, and its machine search isn't applied. Its disk is at least the one that the offer was searched with.
 */
export function withWhat(draft: LaunchDraft, template: Template | undefined): LaunchDraft {
  const isSame = template ? template.hash_id === draft.template?.hash_id : !draft.template && draft.image !== undefined;
  if (isSame) return draft;
  const { pricedGb, offer } = draft;
  const usual = Math.min(USUAL_IMAGE_DISK, Math.floor(offer?.disk_space ?? USUAL_IMAGE_DISK));
  return {
    ...draft,
    ...ANEW,
    template,
    image: template ? undefined : "",
    search: withoutNeeds(draft),
    diskGb: Math.max(pricedGb, template ? getRecommendedDisk(template) : usual),
  };
}

const imageSearch: OfferSearch = { ...anySearch, diskGb: USUAL_IMAGE_DISK };

/** An image that is named later, before any offer is chosen. Chosen again, it keeps what was changed since. */
export function withOwnImage(draft: LaunchDraft): LaunchDraft {
  if (!draft.template && draft.image !== undefined) return draft;
  return {
    ...draft,
    ...ANEW,
    ...{ template: undefined, image: "", offer: undefined },
    ...{ search: imageSearch, fresh: imageSearch, diskGb: USUAL_IMAGE_DISK },
  };
}

/**
 * An image in place of a template, started with SSH: no variables, no login to a registry and no start script. The same image again keeps
 * what was changed since.
 */
export function withSshImage(draft: LaunchDraft, image: string): LaunchDraft {
  if (draft.image === image) return draft;
  const { diskGb } = imageSearch;
  return { ...emptyDraft, image, runtype: "ssh", label: draft.label, search: imageSearch, fresh: imageSearch, diskGb };
}

/** The draft with its template as it is now. What was configured stays, and the offer as long as the template asks for the same machines. */
export function withTemplateNow(draft: LaunchDraft, now: Template): LaunchDraft {
  const before = draft.template;
  if (!before || before.hash_id === now.hash_id) return draft;
  const chosenFirst = draft.fresh.filters === anySearch.filters;
  const sameMachines = JSON.stringify(before.extra_filters) === JSON.stringify(now.extra_filters);
  const diskGb = draft.diskGb === getRecommendedDisk(before) ? getRecommendedDisk(now) : draft.diskGb;
  if (chosenFirst || sameMachines) return { ...draft, template: now, diskGb };
  const fresh = toOfferSearch(now);
  const needs = toNeeds(draft.configuration, draft.volumeMachine);
  const search = Object.keys(needs).length === 0 ? fresh : { ...fresh, filters: { ...fresh.filters, ...needs } };
  return { ...draft, template: now, diskGb, search, fresh, offer: undefined };
}

/** An offer that was just read, on the disk that its price includes. */
export function withOffer(draft: LaunchDraft, offer: Offer, search: OfferSearch): LaunchDraft {
  const { diskGb } = search;
  return { ...draft, search, offer, diskGb, pricedGb: diskGb, bid: undefined };
}

/** A draft whose offer carries the price of its disk. */
export type PricedDraft = LaunchDraft & { readonly offer: Offer };

export const toLaunchPlan = (draft: PricedDraft): LaunchPlan => ({ ...toPlanWithoutOffer(draft), offer: draft.offer });

/** Enough for the request, which an offer isn't part of. */
export function toPlanWithoutOffer(draft: LaunchDraft): Omit<LaunchPlan, "offer"> {
  const { template, image, runtype, search, diskGb, label, bid, end, idle, configuration, job } = draft;
  const { volumePrice, volumeMachine, lostLogin, askedBy } = draft;
  return {
    template,
    image,
    runtype,
    type: search.type,
    diskGb,
    label,
    bid: search.type === "bid" ? bid : undefined,
    end,
    idle,
    configuration,
    job,
    volumePrice,
    volumeMachine,
    lostLogin,
    askedBy,
  };
}

/** Where a volume appears if nothing else is said. */
const USUAL_MOUNT = "/data";

/** With a volume of the account, on the machine where that is; on any machine if `machine` is undefined. */
export function withVolume(draft: LaunchDraft, id: number, machine: number | undefined): LaunchDraft {
  const { configuration, search } = draft;
  const mount_path = readVolumeHint(draft.template).path || USUAL_MOUNT;
  return {
    ...draft,
    configuration: { ...configuration, volume_info: { create_new: false, volume_id: id, mount_path } },
    volumeMachine: machine,
    search: { ...search, filters: { ...search.filters, ...toNeeds(undefined, machine) } },
  };
}

/** Without a volume that isn't on the machine of the offer. */
export function withoutLostVolume(draft: LaunchDraft): LaunchDraft {
  const { offer, configuration = {}, volumeMachine } = draft;
  if (!offer || volumeMachine === undefined || offer.machine_id === volumeMachine) return draft;
  const { volume_info: _, ...rest } = configuration;
  const left = Object.keys(rest).length === 0 ? undefined : rest;
  return { ...draft, configuration: left, volumePrice: undefined, volumeMachine: undefined };
}

/** What a configured launch needs of the machine. */
function toNeeds(configuration: LaunchConfiguration | undefined, volumeMachine: number | undefined): Filters {
  return {
    ...(configuration?.vm === true ? { vms_enabled: { eq: true } } : {}),
    ...(volumeMachine === undefined ? {} : { machine_id: { eq: volumeMachine } }),
  };
}

/** The search without what only this launch's configuration needs: another launch has other volumes. */
export function withoutNeeds({ search, fresh, configuration, volumeMachine }: LaunchDraft): OfferSearch {
  const needs = toNeeds(configuration, volumeMachine);
  if (Object.keys(needs).length === 0) return search;
  const filters = Object.entries(search.filters).flatMap(([field, condition]) => {
    if (needs[field] === undefined || condition?.eq !== needs[field].eq) return [[field, condition]];
    return fresh.filters[field] === undefined ? [] : [[field, fresh.filters[field]]];
  });
  return { ...search, filters: Object.fromEntries(filters) };
}

/** With what was chosen in a form. A machine that can't have it is to be chosen again. */
export function withChoice(draft: LaunchDraft, choice: LaunchChoice, volume: VolumeFacts = {}): LaunchDraft {
  const { machine, price: volumePrice } = volume;
  const { configuration, ...chosen } = choice;
  const { offer, search } = draft;
  // A new one is made on the machine of the offer.
  const volumeMachine = configuration.volume_info?.create_new === true ? offer?.machine_id : machine;
  const needs = toNeeds(configuration, volumeMachine);
  const isOther = volumeMachine !== undefined && offer?.machine_id !== volumeMachine;
  const wasVm = draft.configuration?.vm === true || search.filters.vms_enabled?.eq === true;
  const mustChoose = isOther || (configuration.vm === true && !wasVm);
  const before = withoutNeeds(draft);
  const asked = Object.entries(needs).filter(([field, need]) => mustChoose || search.filters[field]?.eq === need?.eq);
  const filters = { ...before.filters, ...Object.fromEntries(asked) };
  return {
    ...draft,
    ...chosen,
    volumePrice,
    volumeMachine,
    // Another image may need none.
    lostLogin: chosen.image === draft.image ? draft.lostLogin : undefined,
    configuration: Object.keys(configuration).length === 0 ? undefined : configuration,
    search: asked.length === 0 ? before : { ...before, filters },
    ...(mustChoose ? { offer: undefined } : {}),
  };
}
