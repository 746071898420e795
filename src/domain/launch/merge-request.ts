// What an instance is created with: every field of the request merged over the template, and where its value comes from
// (interface 4.3, rules 4 to 8).
import type { Filters } from "../offer/filter.ts";
import { parseDockerFlags } from "../template/environment/docker-flags.ts";
import { mergeConfiguration, type Template } from "../template/template.ts";
import { CreateInstanceBody } from "./create-request.ts";

export type CreateField = keyof CreateInstanceBody;
/** Where a value comes from. What is `default`, neither the template nor the request says. */
type Origin = "template" | "request" | "default";

interface Effective<T> {
  /** Undefined if there is none, or, for a registry's login that the template carries over, if it isn't known here. */
  readonly value: T;
  readonly from: Origin;
}

/** All fields of the request (interface 4.3). */
export const CREATE_FIELDS = Object.keys(CreateInstanceBody.shape) as readonly CreateField[];

type EffectiveFields = { readonly [Field in CreateField]: Effective<CreateInstanceBody[Field]> };

/** A variable or option of the merged environment. */
interface EffectiveVariable {
  readonly name: string;
  readonly value: string;
  readonly from: Exclude<Origin, "default">;
  /** The template's value, if the request has another one in its place. */
  readonly replaces?: string;
}

interface EffectiveRequest {
  readonly fields: EffectiveFields;
  /** The template's first, in its order. Those of the template can be changed, but not left out (rule 6). */
  readonly variables: readonly EffectiveVariable[];
  readonly extraFilters: Filters;
}

/** What isn't given is null or missing. */
type Given = { readonly [Field in CreateField]?: CreateInstanceBody[Field] | null } & {
  readonly extra_filters?: Filters | undefined;
};

/** What the service does if neither says otherwise; the merge itself has the disk. */
const DEFAULTS: Partial<CreateInstanceBody> = {
  target_state: "running",
  use_jupyter_lab: false,
  python_utf8: false,
  lang_utf8: false,
  cancel_unavail: false,
  vm: false,
};

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Merges a request with the template it names, if any. */
export function mergeRequest(template: Partial<Template> | undefined, request: Given): EffectiveRequest {
  const env = request.env ?? undefined;
  const merged = mergeConfiguration(template, { ...request, env });
  const findOrigin = (field: CreateField): Origin => {
    if (isGiven(request[field])) return "request";
    return isOfTemplate(template, field, merged[field]) ? "template" : "default";
  };
  const read = (field: CreateField): Effective<unknown> => ({
    value: merged[field] ?? DEFAULTS[field],
    from: findOrigin(field),
  });
  return {
    fields: Object.fromEntries(CREATE_FIELDS.map((field) => [field, read(field)])) as unknown as EffectiveFields,
    variables: listVariables(template?.env, env ?? {}),
    extraFilters: merged.extra_filters as Filters,
  };
}

/** Whether a field that the request leaves out has its value from the template. */
function isOfTemplate(template: Partial<Template> | undefined, field: CreateField, merged: unknown): boolean {
  if (template === undefined) return false;
  if (field === "disk") return isGiven(template.recommended_disk_space);
  if (field === "env") return Object.keys(merged as object).length > 0;
  if (field === "image_login") return Boolean(template.docker_login_user);
  return isGiven(merged);
}

function listVariables(flags: string | undefined, env: Readonly<Record<string, string>>): readonly EffectiveVariable[] {
  const own = parseDockerFlags(flags ?? "").env;
  const ofTemplate = Object.entries(own).map(([name, value]): EffectiveVariable => {
    const instead = Object.hasOwn(env, name) ? env[name] : undefined;
    if (instead === undefined) return { name, value, from: "template" };
    return { name, value: instead, from: "request", ...(instead === value ? {} : { replaces: value }) };
  });
  const added = Object.entries(env).filter(([name]) => !Object.hasOwn(own, name));
  return [...ofTemplate, ...added.map(([name, value]): EffectiveVariable => ({ name, value, from: "request" }))];
}
