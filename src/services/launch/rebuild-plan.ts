// What an instance was rented with, according to its own record: enough to find a similar machine.

import { AppError } from "../../domain/base/error.ts";
import { TemplateHash } from "../../domain/base/id.ts";
import { toPrice } from "../../domain/base/money.ts";
import type { Row } from "../../domain/base/wire.ts";
import { type Instance, readLaunchToken, withoutLaunchToken } from "../../domain/instance/instance.ts";
import { findOverlay } from "../../domain/instance/overlay.ts";
import { type LaunchPlan, readLaunchAccess } from "../../domain/launch/launch-plan.ts";
import { hasLostLogin } from "../../domain/launch/launch-record.ts";
import { rebuildConfiguration } from "../../domain/launch/rebuild-configuration.ts";
import { LEAST_DISK } from "../../domain/offer/disk.ts";
import { type Offer, readOffer } from "../../domain/offer/offer.ts";
import { anySearch, type OfferSearch } from "../../domain/offer/offer-search.ts";
import { isImageName, parseImage, splitImage } from "../../domain/template/image.ts";
import { getRuntype, RUNTYPES, type Template, withTag } from "../../domain/template/template.ts";
import { t } from "../../lib/text.ts";
import type { SignedIn } from "../core/session.ts";
import type { TemplateSaves } from "../template/template-saves.ts";
import type { LaunchWatch } from "./outcome/launch-watch.ts";
import type { RentalTerms } from "./replacement.ts";

export interface RebuildServices {
  readonly saves: Pick<TemplateSaves, "find">;
  readonly watch: Pick<LaunchWatch, "reread">;
}

/** The lowest possible bid. A replacement raises it to what its machine asks for. */
const LEAST_BID = 0.001;

/** @throws AppError `rejected` if the record doesn't say what ran on it. */
export async function rebuildPlan(
  { saves, watch }: RebuildServices,
  account: SignedIn,
  row: Row<Instance>,
): Promise<RentalTerms> {
  const { value } = row;
  const template = await templateOf(saves, account, value);
  const image = template ? findOtherImage(value, template) : imageOf(value);
  const isLost = await wasLoginLost(watch, value, template);
  const diskGb = Math.max(LEAST_DISK, Math.round(value.disk_space ?? LEAST_DISK));
  const type = value.is_bid ? "bid" : "ondemand";
  const runtype = template ? findOtherRuntype(value, template) : runtypeOf(value.image_runtype ?? "");
  const { onstart, image_args: args, is_vm: isVm } = row.raw;
  const plan: LaunchPlan = {
    offer: offerOf(row),
    type,
    template,
    image,
    runtype,
    diskGb,
    label: withoutLaunchToken(value.label).slice(0, 100),
    bid: value.is_bid ? (toPrice(value.min_bid) ?? LEAST_BID) : undefined,
    overlay: findOverlay(value.extra_env),
    configuration: rebuildConfiguration({ env: value.extra_env, onstart, args, isVm, runtype }, template),
    ...(isLost ? { lostLogin: true } : {}),
  };
  return { plan, search: searchFor(value, plan) };
}

async function templateOf(
  saves: Pick<TemplateSaves, "find">,
  account: SignedIn,
  value: Instance,
): Promise<Template | undefined> {
  const hash = TemplateHash.safeParse(value.template_hash_id);
  return hash.success ? (await saves.find(account, { id: undefined, hash: hash.data }))?.value : undefined;
}

/** Nothing is known of what wasn't rented on this computer. */
async function wasLoginLost(
  watch: Pick<LaunchWatch, "reread">,
  { label }: Instance,
  template: Template | undefined,
): Promise<boolean> {
  const token = readLaunchToken(label);
  const records = token === undefined ? [] : await watch.reread().catch(() => []);
  return records.some((record) => record.token === token && hasLostLogin(record, template));
}

function imageOf({ image_uuid, id }: Instance): string {
  try {
    return parseImage(image_uuid ?? "");
  } catch {
    throw new AppError(
      "rejected",
      t("The service doesn't say what ran on instance {0}. Destroy the instance, then launch another one.", id),
    );
  }
}

/** Services write several words, such as `jupyter_direc ssh_direc ssh_proxy`. */
function runtypeOf(words: string): LaunchPlan["runtype"] {
  const isDirect = words.includes("direc");
  if (words.includes("jupyter")) return isDirect ? "jupyter_direct" : "jupyter_proxy";
  if (words.includes("ssh")) return isDirect ? "ssh_direct" : "ssh_proxy";
  return "args";
}

/** The image that a launch had in place of its template's. Services write the digest or the whole name of the one that they found. */
function findOtherImage({ image_uuid: image = "" }: Instance, template: Template): string | undefined {
  if (!isImageName(image)) return undefined;
  const [one, own] = [splitImage(image), splitImage(withTag(template.image ?? "", template.tag))];
  const isSameTag = one.tag === undefined || own.tag === undefined || own.tag.startsWith("@") || one.tag === own.tag;
  return one.name === own.name && isSameTag ? undefined : image;
}

/** The mode that a launch had in place of its template's, of those that are known. */
function findOtherRuntype({ image_runtype: words = "" }: Instance, template: Template): LaunchPlan["runtype"] {
  const own = RUNTYPES.find((one) => one === getRuntype(template));
  const mode = /ssh|jupyter|^args\b/.test(words) ? runtypeOf(words) : own;
  return own === undefined || mode === own ? undefined : mode;
}

/** An instance's record has the same field names as the offer it came from. The instance's ID replaces the offer's. */
function offerOf({ value, raw }: Row<Instance>): Offer {
  const offer = readOffer({ ...raw, id: value.id });
  if (!offer) throw new AppError("defect", t("Couldn't read instance {0}.", value.id));
  return offer;
}

/** Machines of its kind, which host virtual machines if it is one. */
function searchFor({ gpu_name, num_gpus }: Instance, plan: LaunchPlan): OfferSearch {
  const { type, diskGb } = plan;
  const filters = {
    ...(gpu_name === undefined ? {} : { gpu_name: { eq: gpu_name } }),
    ...(num_gpus === undefined ? {} : { num_gpus: { eq: num_gpus } }),
    ...(readLaunchAccess(plan).isVm ? { vms_enabled: { eq: true } } : {}),
  };
  return { ...anySearch, type, sort: "price", diskGb, filters: { ...anySearch.filters, ...filters } };
}
