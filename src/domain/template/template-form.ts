// A template as a form holds it: every field present, numbers and filters as typed; and the draft it results in.
import * as z from "zod";
import { t } from "../../lib/text.ts";
import { FilterRow, readFilterRows, toFilterRows } from "../offer/filter-rows.ts";
import { Template, WholeFilters } from "./template.ts";
import { TemplateDraft } from "./template-draft.ts";

export type TemplateField = keyof TemplateDraft;
/** In the order of the schema. */
export const TEMPLATE_DRAFT_FIELDS = Object.keys(TemplateDraft.shape) as TemplateField[];

/** The sections of the form and their fields, both in the order in which the form shows them. */
export const FORM_SECTIONS = {
  general: ["name", "desc", "private"],
  image: ["image", "tag", "docker_login_repo", "docker_login_user", "docker_login_pass"],
  launch: ["runtype", "use_ssh", "ssh_direct", "jup_direct", "use_jupyter_lab", "jupyter_dir", "args_str"],
  environment: ["env"],
  onstart: ["onstart"],
  machines: ["extra_filters", "recommended_disk_space"],
  documentation: ["readme", "href", "repo", "volume_info"],
} as const satisfies Record<string, readonly TemplateField[]>;
const FIELDS_IN_ORDER: readonly TemplateField[] = Object.values(FORM_SECTIONS).flat();

/** Where the form shows a field, for sorting. */
export const getFormPosition = (field: TemplateField): number => FIELDS_IN_ORDER.indexOf(field);

/** `docker_login_pass` is the password being typed; the stored one is never shown. Empty means that none was typed. */
export const TemplateForm = z.strictObject({
  name: z.string(),
  image: z.string(),
  tag: z.string(),
  desc: z.string(),
  readme: z.string(),
  env: z.string(),
  onstart: z.string(),
  runtype: z.enum(["ssh", "jupyter", "args"]),
  args_str: z.string(),
  ssh_direct: z.boolean(),
  use_ssh: z.boolean(),
  jup_direct: z.boolean(),
  jupyter_dir: z.string(),
  use_jupyter_lab: z.boolean(),
  docker_login_repo: z.string(),
  docker_login_user: z.string(),
  docker_login_pass: z.string(),
  href: z.string(),
  repo: z.string(),
  extra_filters: z.array(FilterRow),
  recommended_disk_space: z.string(),
  private: z.boolean(),
  volume_info: z.string(),
});
export type TemplateForm = z.infer<typeof TemplateForm>;

/** A draft with every field: a form shows it, and comparisons use it. */
export type WholeDraft = Required<{ [K in keyof TemplateDraft]: Exclude<TemplateDraft[K], undefined> }>;

/**
 * What a service and a template file mean by a missing field: the defaults of interface 2.3, but private until the owner
 * decides otherwise.
 */
export const NEW_TEMPLATE: WholeDraft = {
  name: "",
  image: "",
  tag: "latest",
  desc: "",
  readme: "",
  env: "",
  onstart: "",
  runtype: "args",
  args_str: "",
  ssh_direct: false,
  use_ssh: false,
  jup_direct: false,
  jupyter_dir: null,
  use_jupyter_lab: false,
  docker_login_repo: "",
  docker_login_user: "",
  docker_login_pass: "",
  href: "",
  repo: "",
  extra_filters: {},
  recommended_disk_space: 8,
  private: true,
  volume_info: null,
};

/** What an empty form begins with: what most people come for, rather than what the interface assumes. */
export const FIRST_TEMPLATE: WholeDraft = {
  ...NEW_TEMPLATE,
  runtype: "ssh",
  use_ssh: true,
  ssh_direct: true,
  recommended_disk_space: 32,
};

/** Whether a mode includes SSH, which is the default of `use_ssh`. */
export const comesWithSsh = (runtype: WholeDraft["runtype"]): boolean => runtype !== "args";

/** Services store their own spellings, such as `jupyter_direc ssh_proxy`. */
function runtype(stored: string | undefined): WholeDraft["runtype"] {
  if (stored?.includes("jupyter")) return "jupyter";
  return stored?.includes("ssh") ? "ssh" : "args";
}

const Stored = Template.omit({ hash_id: true, extra_filters: true }).extend({ extra_filters: WholeFilters });
const VolumeRecord = z.record(z.string(), z.unknown()).nullable().catch(null);

/** The content of a stored template, whatever else its record holds. Excludes the password. */
export function toDraft(raw: Readonly<Record<string, unknown>>): WholeDraft {
  const read = Stored.safeParse(raw);
  const given = read.success ? read.data : {};
  const known = Object.fromEntries(
    Object.entries({ ...NEW_TEMPLATE, tag: "", private: false }).map(([field, fallback]) => {
      const value = (given as Record<string, unknown>)[field];
      return [field, value === undefined ? fallback : value];
    }),
  ) as WholeDraft;
  return {
    ...known,
    runtype: runtype(typeof raw.runtype === "string" ? raw.runtype : undefined),
    repo: typeof raw.repo === "string" ? raw.repo : "",
    jupyter_dir: typeof raw.jupyter_dir === "string" && raw.jupyter_dir !== "" ? raw.jupyter_dir : null,
    volume_info: VolumeRecord.parse(raw.volume_info ?? null),
    docker_login_pass: "",
  };
}

export function toForm(draft: WholeDraft): TemplateForm {
  return {
    ...draft,
    jupyter_dir: draft.jupyter_dir ?? "",
    extra_filters: toFilterRows(draft.extra_filters),
    recommended_disk_space: String(draft.recommended_disk_space),
    volume_info: draft.volume_info === null ? "" : JSON.stringify(draft.volume_info),
  };
}

/** A field that can't be read as typed. `row` counts the rows of `extra_filters`. */
interface FieldProblem {
  readonly field: TemplateField;
  readonly message: string;
  readonly row?: number;
  readonly part?: "field" | "operator" | "value";
}

export interface ReadForm {
  /** What can be read. Fields with a problem have the value of a new template. */
  readonly draft: WholeDraft;
  readonly problems: readonly FieldProblem[];
}

/** Reads the typed text with the draft schema, whose messages appear at the fields. */
export function readForm(form: TemplateForm): ReadForm {
  const { filters, problems: rowProblems } = readFilterRows(form.extra_filters);
  const problems: FieldProblem[] = rowProblems.map((problem) => ({ field: "extra_filters", ...problem }));
  const disk = Number(form.recommended_disk_space.trim());
  const diskRead = form.recommended_disk_space.trim() !== "" && Number.isFinite(disk);
  if (!diskRead) problems.push({ field: "recommended_disk_space", message: t("Enter a size in GB, such as 32.") });
  const volume = readVolume(form.volume_info);
  if (volume === undefined)
    problems.push({ field: "volume_info", message: t("Enter a JSON object, or leave this empty.") });
  const draft: WholeDraft = {
    ...form,
    jupyter_dir: form.jupyter_dir === "" ? null : form.jupyter_dir,
    extra_filters: filters,
    recommended_disk_space: diskRead ? disk : NEW_TEMPLATE.recommended_disk_space,
    volume_info: volume ?? null,
  };
  const checked = TemplateDraft.safeParse(draft);
  for (const issue of checked.error?.issues ?? []) {
    const field = TEMPLATE_DRAFT_FIELDS.find((name) => name === issue.path[0]) ?? "name";
    if (!problems.some((problem) => problem.field === field)) problems.push({ field, message: issue.message });
  }
  return { draft, problems };
}

function readVolume(text: string): Readonly<Record<string, unknown>> | null | undefined {
  if (text.trim() === "") return null;
  try {
    const read = z.record(z.string(), z.unknown()).safeParse(JSON.parse(text));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}

/** The body of a create request, without fields that are empty and optional (interface 4.6). */
export function toTemplateDraft(draft: WholeDraft): TemplateDraft {
  const required = new Set<string>(["name", "image", "docker_login_repo", "docker_login_user", "docker_login_pass"]);
  const said = Object.entries(draft).filter(
    ([field, value]) => required.has(field) || (value !== "" && value !== null),
  );
  return Object.fromEntries(said) as TemplateDraft;
}
