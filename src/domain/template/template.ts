// A template: a stored configuration to launch from, and its combination with a request (interface 2.3, 4.3).
import * as z from "zod";
import { t, toPlainText } from "../../lib/text.ts";
import { TemplateHash, TemplateId } from "../base/id.ts";
import { bool, int, num, str, text } from "../base/wire.ts";
import { type Filters, StoredFilters, toFilters } from "../offer/filter.ts";
import { mergeEnv } from "./environment/docker-flags.ts";
import { splitImage } from "./image.ts";

/** Deeper entries are dropped: comparing or writing them would overflow the stack. */
const DEEPEST_ENTRY = 32;
const isDeep = (value: unknown, left = DEEPEST_ENTRY): boolean =>
  typeof value === "object" &&
  value !== null &&
  (left === 0 || Object.values(value).some((item) => isDeep(item, left - 1)));

/** Machine filters with every entry unchanged. Some servers send them as JSON text. */
export const WholeFilters = z
  .preprocess((value) => {
    if (typeof value !== "string") return value;
    try {
      return JSON.parse(value);
    } catch {
      return undefined;
    }
  }, StoredFilters.optional().catch(undefined))
  .transform((filters) => filters && Object.fromEntries(Object.entries(filters).filter(([, entry]) => !isDeep(entry))));

/** The entries that can be used in a search; undefined if there are entries and none of them can. */
const ExtraFilters = z
  .unknown()
  .transform((value): Filters | undefined => {
    const stored = WholeFilters.parse(value);
    const read = stored && toFilters(stored);
    return read && Object.keys(read).length === 0 && !isEmpty(value) ? undefined : read;
  })
  .optional();

/** `{}`, as an object or as text. */
const isEmpty = (value: unknown): boolean =>
  typeof value === "string" ? /^\s*\{\s*\}\s*$/.test(value) : Object.keys(value as object).length === 0;

/** Units: `recommended_disk_space` GB; dates UTC epoch seconds. Registry passwords aren't read. */
export const Template = z.object({
  hash_id: TemplateHash,
  id: TemplateId.optional().catch(undefined),
  name: text,
  image: text,
  tag: text,
  desc: text,
  readme: text,
  env: text,
  onstart: text,
  runtype: str,
  args_str: text,
  ssh_direct: bool,
  use_ssh: bool,
  jup_direct: bool,
  jupyter_dir: text,
  use_jupyter_lab: bool,
  docker_login_repo: text,
  docker_login_user: text,
  href: text,
  extra_filters: ExtraFilters,
  recommended_disk_space: num,
  private: bool,
  /** A hint for whoever asks for a volume: the service doesn't apply it (interface 4.3, rule 8). */
  volume_info: z.record(z.string(), z.unknown()).nullable().optional().catch(undefined),
  creator_id: int,
  created_at: num,
  count_created: int,
  default_tag: text,
  recent_create_date: num,
  recommended: bool,
});
export type Template = z.infer<typeof Template>;

/** Fields of the template search that can be filtered on (interface 4.5). */
export const TEMPLATE_FIELDS = {
  creator_id: "integer",
  created_at: "float",
  count_created: "integer",
  default_tag: "string",
  docker_login_repo: "string",
  id: "integer",
  image: "string",
  jup_direct: "boolean",
  hash_id: "string",
  name: "string",
  recent_create_date: "float",
  recommended_disk_space: "float",
  recommended: "boolean",
  ssh_direct: "boolean",
  tag: "string",
  use_ssh: "boolean",
} as const;

/** The image with its tag. An existing tag or digest stays; a registry's port isn't a tag. */
export function withTag(image: string, tag: string | undefined): string {
  const own = splitImage(image);
  return own.tag !== undefined || own.digest !== undefined || !tag ? image : `${image}:${tag}`;
}

/** How an instance is started and reached (interface 4.3). */
export const RUNTYPES = [
  "ssh_direct",
  "ssh_proxy",
  "ssh",
  "jupyter_direct",
  "jupyter_proxy",
  "jupyter",
  "args",
] as const;

/** The instance runtype a template asks for: its own, made direct if the template says so. */
export function getRuntype(template: Pick<Template, "runtype" | "ssh_direct" | "jup_direct">): string {
  if (template.runtype === "ssh") return template.ssh_direct ? "ssh_direct" : "ssh_proxy";
  if (template.runtype === "jupyter") return template.jup_direct ? "jupyter_direct" : "jupyter_proxy";
  return template.runtype ?? "args";
}

type Base = Partial<
  Pick<
    Template,
    | "image"
    | "tag"
    | "env"
    | "onstart"
    | "runtype"
    | "ssh_direct"
    | "jup_direct"
    | "args_str"
    | "jupyter_dir"
    | "use_jupyter_lab"
    | "recommended_disk_space"
    | "extra_filters"
  >
>;

interface Overrides {
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly extra_filters?: Filters | undefined;
  readonly [field: string]: unknown;
}

/**
 * What an instance gets: the request's single values override the template's, `env` and `extra_filters` are merged by
 * key with the request winning, and `volume_info` comes only from the request (interface 4.3, rules 6 and 8). The disk
 * defaults to 8 GB.
 */
export function mergeConfiguration(template: Base | undefined, request: Overrides): Record<string, unknown> {
  const base: Record<string, unknown> = template
    ? {
        image: template.image === undefined ? undefined : withTag(template.image, template.tag),
        runtype: getRuntype(template),
        onstart: template.onstart,
        args_str: template.args_str,
        jupyter_dir: template.jupyter_dir,
        use_jupyter_lab: template.use_jupyter_lab,
        disk: template.recommended_disk_space,
      }
    : {};
  const { env, extra_filters, ...scalars } = request;
  const given = Object.fromEntries(
    Object.entries(scalars).filter(([, value]) => value !== undefined && value !== null),
  );
  const merged: Record<string, unknown> = {
    disk: 8,
    ...Object.fromEntries(Object.entries(base).filter(([, value]) => value !== undefined && value !== "")),
    ...given,
    env: mergeEnv(template?.env, env),
    extra_filters: { ...template?.extra_filters, ...extra_filters },
  };
  return merged;
}

/** What a template is called where people read it, in at most so many characters. */
export function toDisplayName(name: string | null | undefined, most = 200): string {
  return toPlainText(name ?? "", most) || t("Unnamed template");
}
