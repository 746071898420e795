// The configuration of a launch as a form holds it: every field present and as typed (interface 4.3).
import * as z from "zod";
import {
  type EnvEntry,
  formatEnvTable,
  parseEnvTable,
  withEntry,
  withNewEntry,
} from "../template/environment/env-table.ts";
import { getRuntype, RUNTYPES, type Template, withTag } from "../template/template.ts";
import type { TemplateLaunch } from "../template/template-proposals.ts";
import { readVolumeHint } from "./launch-configuration.ts";
import type { LaunchDraft } from "./launch-draft.ts";

/** In the order in which the form shows them. */
export const LaunchForm = z.strictObject({
  image: z.string(),
  login_registry: z.string(),
  login_user: z.string(),
  login_token: z.string(),
  runtype: z.enum(RUNTYPES),
  use_jupyter_lab: z.boolean(),
  jupyter_dir: z.string(),
  vm: z.boolean(),
  python_utf8: z.boolean(),
  lang_utf8: z.boolean(),
  /** Docker flags, as a template has them. */
  env: z.string(),
  /** Whether the script takes the place of the template's or runs after it. */
  onstart_order: z.enum(["instead", "after"]),
  onstart: z.string(),
  args_str: z.string(),
  disk: z.string(),
  volume: z.enum(["none", "link", "create"]),
  volume_id: z.string(),
  volume_size: z.string(),
  mount_path: z.string(),
  target_state: z.enum(["running", "stopped"]),
  cancel_unavail: z.boolean(),
  price: z.string(),
  label: z.string(),
});
export type LaunchForm = z.infer<typeof LaunchForm>;
export type LaunchField = keyof LaunchForm;
export const LAUNCH_FIELDS = Object.keys(LaunchForm.shape) as LaunchField[];

/** What the form is about. */
export const LaunchFormContext = z.strictObject({
  /** What is launched without a change: the template's values, and the defaults. */
  base: LaunchForm,
  hasTemplate: z.boolean(),
  /** The registry that the template has a login for (interface 4.3, rule 7). */
  templateLogin: z.string().optional(),
  /** Whether a bid is asked for here. It comes with the offer while none is chosen. */
  isBid: z.boolean(),
  /** GB that are free on the machine. Undefined while no machine is chosen, or if its offer doesn't say. */
  freeGb: z.number().optional(),
  /** Dollars per hour. */
  leastBid: z.number().optional(),
  /** Whether something is to be done on the instance as soon as it is there. */
  mustRun: z.boolean(),
  /** Whether several machines get the same: what belongs to one of them is asked elsewhere, or can't be had. */
  isForSeveral: z.boolean(),
});
export type LaunchFormContext = z.infer<typeof LaunchFormContext>;

/** Fields that the form doesn't ask for: what one of several machines has, and whether it starts where something waits for that. */
export function listUnaskedFields({
  mustRun,
  isForSeveral,
}: Pick<LaunchFormContext, "mustRun" | "isForSeveral">): readonly LaunchField[] {
  const ofOne = ["vm", "disk", "volume", "volume_id", "volume_size", "mount_path", "label"] as const;
  return [...(isForSeveral ? ofOne : []), ...(mustRun ? (["target_state"] as const) : [])];
}

export function toFormContext(draft: LaunchDraft, mustRun: boolean, isForSeveral = false): LaunchFormContext {
  const { template, offer, search, bid } = draft;
  const login = template?.docker_login_repo;
  return {
    base: toBaseForm(draft),
    hasTemplate: template !== undefined,
    ...(login ? { templateLogin: login } : {}),
    isBid: search.type === "bid" && (offer !== undefined || bid !== undefined),
    ...(offer?.disk_space === undefined ? {} : { freeGb: offer.disk_space }),
    ...(offer?.min_bid === undefined ? {} : { leastBid: offer.min_bid }),
    mustRun,
    isForSeveral,
  };
}

/** A template may have a runtype that only its service knows. */
function readRuntype(template: Template | undefined): LaunchForm["runtype"] {
  if (!template) return "ssh_direct";
  const runtype = getRuntype(template);
  return RUNTYPES.find((one) => one === runtype) ?? "args";
}

const EMPTY: LaunchForm = {
  image: "",
  login_registry: "",
  login_user: "",
  login_token: "",
  runtype: "ssh_direct",
  use_jupyter_lab: false,
  jupyter_dir: "",
  vm: false,
  python_utf8: false,
  lang_utf8: false,
  env: "",
  onstart_order: "instead",
  onstart: "",
  args_str: "",
  disk: "",
  volume: "none",
  volume_id: "",
  volume_size: "",
  mount_path: "",
  target_state: "running",
  cancel_unavail: true,
  price: "",
  label: "",
};

/** The form without a change: what the template says, and the defaults. */
export function toBaseForm({ template, search, diskGb, label, bid }: LaunchDraft): LaunchForm {
  const hint = readVolumeHint(template);
  return {
    ...EMPTY,
    image: template?.image === undefined ? "" : withTag(template.image, template.tag),
    runtype: readRuntype(template),
    use_jupyter_lab: template?.use_jupyter_lab ?? false,
    jupyter_dir: template?.jupyter_dir ?? "",
    env: template?.env ?? "",
    onstart: template?.onstart ?? "",
    args_str: template?.args_str ?? "",
    volume_size: hint.size,
    mount_path: hint.path,
    cancel_unavail: search.type === "ondemand",
    disk: String(diskGb),
    label,
    price: bid === undefined ? "" : String(bid),
  };
}

/** The form with everything that was configured. */
export function toLaunchForm(draft: LaunchDraft): LaunchForm {
  const base = toBaseForm(draft);
  const { env = {}, image_login, volume_info, ...rest } = draft.configuration ?? {};
  return {
    ...base,
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
    ...(draft.image === undefined ? {} : { image: draft.image }),
    ...(draft.runtype === undefined ? {} : { runtype: draft.runtype }),
    ...readLogin(image_login),
    ...readVolume(volume_info),
    env: addEntries(base.env, env),
  };
}

function readLogin(login: string | undefined): Partial<LaunchForm> {
  const [, user, token, registry] = /^-u (\S+) -p (\S+) (\S+)$/.exec(login ?? "") ?? [];
  if (user === undefined || token === undefined || registry === undefined) return {};
  return { login_user: user, login_token: token, login_registry: registry };
}

function readVolume(volume: NonNullable<LaunchDraft["configuration"]>["volume_info"]): Partial<LaunchForm> {
  if (!volume) return {};
  const { create_new: isNew, volume_id: id, size, mount_path: path } = volume;
  return {
    volume: isNew ? "create" : "link",
    volume_id: String(id),
    mount_path: path,
    ...(size === undefined ? {} : { volume_size: String(size) }),
  };
}

/** The form as a template file proposes it. */
export function withProposal(form: LaunchForm, { env = {}, disk, ...rest }: TemplateLaunch): LaunchForm {
  return {
    ...form,
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
    ...(disk === undefined ? {} : { disk: String(disk) }),
    env: addEntries(form.env, env),
  };
}

/** Entries of a request as rows of a table: each in the place of the template's with the same key, or after it. */
function addEntries(flags: string, env: Readonly<Record<string, string>>): string {
  let table = parseEnvTable(flags);
  for (const [key, value] of Object.entries(env)) {
    const entry = toEntry(key, value);
    const at = table.rows.findLastIndex((row) => row.kind !== "raw" && toKey(row) === key);
    table = at < 0 ? withNewEntry(table, entry) : withEntry(table, at, entry);
  }
  return formatEnvTable(table);
}

function toEntry(key: string, value: string): EnvEntry {
  if (!key.startsWith("-")) return { kind: "variable", name: key, value };
  const [flag = "", text = value] = key.split(/ (.*)/s);
  if (flag !== "-p") return { kind: "option", flag, value: text };
  const [host = "", container = ""] = text.split(/:(.*)/s);
  return { kind: "port", host, container };
}

/** The key of an entry in a request (interface 4.3, rule 4). */
export function toKey(entry: EnvEntry): string {
  if (entry.kind === "variable") return entry.name;
  if (entry.kind === "port") return `-p ${entry.host}:${entry.container}`;
  return entry.flag === "-h" ? "-h" : `${entry.flag} ${entry.value}`;
}
