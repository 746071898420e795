// What a launch will send: the strict request of interface 4.3, and the plan a person reviews before paying.
import * as z from "zod";
import { t } from "../lib/text.ts";
import { AppError } from "./error.ts";
import { TemplateHash } from "./id.ts";
import { dollars, HOURS_PER_MONTH, knownPrice } from "./money.ts";
import { hourly, type Offer, type RentalType } from "./offer.ts";
import type { Template } from "./template.ts";
import { MOST_ONSTART, ShellWords } from "./template-draft.ts";

export const RUNTYPES = [
  "ssh_direct",
  "ssh_proxy",
  "ssh",
  "jupyter_direct",
  "jupyter_proxy",
  "jupyter",
  "args",
] as const;
/** GB; the interface's own default and the smallest disk a public service rents. */
export const LEAST_DISK = 8;
/** Longest label a person may type; the launch token takes the rest of the 128 characters services show. */
export const MOST_LABEL = 100;

/** `volume_id` is a volume when linking, a volume offer when creating; `size` GB, only when creating (interface 4.3). */
const VolumeInfo = z
  .strictObject({
    create_new: z.boolean().optional(),
    volume_id: z.int().positive(),
    size: z.number().positive().optional(),
    mount_path: z.string().regex(/^\/(?!.*(^|\/)\.\.(\/|$)).+/, "it must be an absolute path below /, without .."),
  })
  .refine((volume) => volume.create_new !== true || volume.size !== undefined, {
    path: ["size"],
    message: "a new volume needs a size in GB",
  })
  .refine((volume) => volume.create_new === true || volume.size === undefined, {
    path: ["size"],
    message: "only a new volume has a size",
  });

/** `-u <user> -p <access_token> <registry>` (interface 4.3); what holds a blank or a quote cannot be written in this form. */
export const ImageLogin = z
  .string()
  .regex(/^-u [^\s"'-][^\s"']* -p [^\s"'-][^\s"']* [^\s"'-][^\s"']*$/, "it must look like -u user -p token registry");

/** Environment names and `-p host:container` keys (interface 4.3, rule 4). */
const EnvKey = z
  .string()
  .regex(
    /^(?:[A-Za-z_][A-Za-z0-9_.]*|-p (\S+)|-h|-v \S+:\S+|-n \S+)$/,
    "it is neither a variable's name nor an option such as -p 8080:8080",
  )
  .refine(
    (key) => !key.startsWith("-p ") || isPortMapping(key.slice(3)),
    "ports are written host:container, each 1 to 65535",
  )
  .refine((key) => key !== "__proto__", "this name cannot be used");

/** `8080:8080`, `8080:8080/udp`, and `70000:70000` and above for identity ports. */
export function isPortMapping(text: string): boolean {
  const [, host, container] = /^(\d{1,5}):(\d{1,5})(?:\/(?:tcp|udp))?$/.exec(text) ?? [];
  const [from, to] = [Number(host), Number(container)];
  const identity = from >= 70_000 && from === to;
  return identity || (from >= 1 && from <= 65_535 && to >= 1 && to <= 65_535);
}

/** Body of create instance (interface 4.3). Units: `disk` GB, `price` dollars an hour for the whole machine. */
export const CreateInstanceBody = z
  .strictObject({
    image: z.string().min(1).max(1024).optional(),
    template_hash_id: TemplateHash.optional(),
    label: z.string().max(256).optional(),
    disk: z.number().min(LEAST_DISK).optional(),
    runtype: z.enum(RUNTYPES).optional(),
    target_state: z.enum(["running", "stopped"]).optional(),
    price: z.number().min(0.001).max(128).optional(),
    env: z
      .record(
        EnvKey,
        z.string().refine((value) => !value.includes("\0"), "a value cannot hold a NUL character"),
      )
      .optional(),
    onstart: z
      .string()
      // Counted in UTF-16 units: zod counts characters, and the document does not say which the service counts.
      .refine((script) => script.length <= MOST_ONSTART, `it is longer than ${MOST_ONSTART} characters; compress it`)
      .refine((script) => !script.includes("\0"), "a script cannot hold a NUL character")
      .optional(),
    args_str: ShellWords.optional(),
    use_jupyter_lab: z.boolean().optional(),
    jupyter_dir: z.string().optional(),
    python_utf8: z.boolean().optional(),
    lang_utf8: z.boolean().optional(),
    image_login: ImageLogin.optional(),
    cancel_unavail: z.boolean().optional(),
    vm: z.boolean().optional(),
    volume_info: VolumeInfo.optional(),
  })
  .refine((body) => body.image !== undefined || body.template_hash_id !== undefined, {
    path: ["image"],
    message: "an image or a template is needed",
  })
  .refine((body) => body.args_str === undefined || body.runtype === undefined || body.runtype === "args", {
    path: ["args_str"],
    message: "it has an effect with the runtype args only",
  });
export type CreateInstanceBody = z.infer<typeof CreateInstanceBody>;

/** Everything the person chose. The label is theirs alone; the launch service puts its token before it. */
export interface LaunchPlan {
  readonly offer: Offer;
  readonly type: RentalType;
  readonly template: Template | undefined;
  readonly image: string | undefined;
  readonly runtype: (typeof RUNTYPES)[number] | undefined;
  readonly diskGb: number;
  readonly label: string;
  /** Dollars an hour; only for interruptible. */
  readonly bid: number | undefined;
}

/**
 * Dollars an hour this plan will cost while running. An on-demand offer's price includes its disk; a bid is for the
 * machine alone and the disk comes on top. Undefined where a part of it is not known.
 */
export function planPrice(plan: Pick<LaunchPlan, "offer" | "type" | "bid" | "diskGb">): number | undefined {
  if (plan.type !== "bid") return hourly(plan.offer);
  const [bid, disk] = [knownPrice(plan.bid), diskPrice(plan.offer, plan.diskGb)];
  return bid === undefined || disk === undefined ? undefined : bid + disk;
}

/** Dollars an hour the disk costs while the machine is stopped, or undefined where the offer does not say. */
export function diskPrice(offer: Offer, diskGb: number): number | undefined {
  return offer.storage_cost === undefined || offer.storage_cost < 0
    ? undefined
    : (offer.storage_cost * diskGb) / HOURS_PER_MONTH;
}

/** The request for a plan. `cancel_unavail` keeps an on-demand launch from leaving a stopped, billed instance behind. */
export function launchRequest(plan: LaunchPlan, label: string): CreateInstanceBody {
  const onDemand = plan.type === "ondemand";
  return {
    ...(plan.template ? { template_hash_id: plan.template.hash_id } : {}),
    ...(plan.image === undefined ? {} : { image: plan.image }),
    ...(plan.runtype === undefined ? {} : { runtype: plan.runtype }),
    disk: plan.diskGb,
    label,
    ...(onDemand ? { cancel_unavail: true } : {}),
    ...(plan.bid === undefined || onDemand ? {} : { price: plan.bid }),
    target_state: "running",
  };
}

/** A number as people type it, with a decimal point; a comma is ambiguous and refused. @throws AppError `rejected`. */
export function readNumber(name: string, input: string): number {
  const text = input.trim();
  if (text.includes(",")) throw refusal(name, t("{0}: write it with a decimal point, such as 0.35.", name));
  if (!/^\+?\d*\.?\d+$|^\+?\d+\.$/.test(text))
    throw refusal(name, t("{0}: “{1}” is not a number. Type digits only.", name, text));
  return Number(text);
}

function refusal(field: string, message: string): AppError {
  return new AppError("rejected", message, { fields: { [field]: message } });
}

/** GB between 8 and what the machine has. @throws AppError `rejected`. */
export function parseDisk(input: string, offer: Pick<Offer, "disk_space">): number {
  const gb = readNumber(t("Disk"), input);
  if (gb < LEAST_DISK) throw refusal("disk", t("Disk: {0} GB is too small. {1} GB is the least.", gb, LEAST_DISK));
  if (offer.disk_space !== undefined && gb > offer.disk_space) {
    throw refusal(
      "disk",
      t("Disk: {0} GB is more than this machine has free ({1} GB).", gb, Math.floor(offer.disk_space)),
    );
  }
  return gb;
}

/** Dollars an hour, 0.001 to 128, three decimals at most, at least the offer's lowest bid. @throws AppError `rejected`. */
export function parseBid(input: string, offer: Pick<Offer, "min_bid">): number {
  const text = input.trim().replace(/^\$\s*/, "");
  const price = readNumber(t("Bid"), text);
  if (price < 0.001 || price > 128)
    throw refusal("price", t("Bid: {0} is outside $0.001 to $128 an hour.", dollars(price)));
  if (!/^\+?\d*\.?\d{0,3}$/.test(text)) throw refusal("price", t("Bid: three decimals at most, such as 0.355."));
  const least = knownPrice(offer.min_bid);
  if (least !== undefined && price < least) {
    throw refusal(
      "price",
      t(
        "Bid: {0} is below the lowest bid for this machine, {1}; it would never start.",
        dollars(price),
        dollars(least),
      ),
    );
  }
  return price;
}

/** @throws AppError `rejected` for a label that is too long or looks like one of our tokens. */
export function parseLabel(input: string): string {
  const label = input.trim();
  // The zero-width joiner holds emoji together and moves nothing.
  if (/[\p{Cc}\p{Cs}]|(?!\u200d)\p{Cf}/u.test(label))
    throw refusal("label", t("Label: it contains a line break or an invisible character. Remove it."));
  if (label.length > MOST_LABEL)
    throw refusal("label", t("Label: {0} characters are too many ({1} at most).", label.length, MOST_LABEL));
  if (/^vsc-/i.test(label))
    throw refusal("label", t("Label: “vsc-” at the beginning marks launches of this extension. Choose another word."));
  return label;
}

/** A docker image as it is pulled: `pytorch/pytorch:2.4.0`, `ghcr.io:443/a/b@sha256:…`. @throws AppError `rejected`. */
export function parseImage(input: string): string {
  const image = input.trim();
  const name = "[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*";
  const host = "(?:[A-Za-z0-9.-]+(?::\\d{1,5})?/)?";
  const shape = new RegExp(
    `^${host}${name}(?:/${name})*(?::[A-Za-z0-9_@][A-Za-z0-9_.-]{0,127})?(?:@sha256:[a-f0-9]{64})?$`,
  );
  if (image === "") throw refusal("image", t("Image: empty. Type one, such as pytorch/pytorch:latest."));
  if (image.length > 1024 || !shape.test(image)) {
    throw refusal(
      "image",
      t("Image: “{0}” is not the name of a docker image. It looks like owner/name:tag, in lower case.", image),
    );
  }
  return image;
}
