// What a person configures of an instance beside its template or image, machine, disk and name (interface 4.3).
import { redactText } from "../../lib/redact.ts";
import { t } from "../../lib/text.ts";
import type { RUNTYPES, Template } from "../template/template.ts";
import type { CreateInstanceBody } from "./create-request.ts";

/** Fields of the create request as they are sent. What is missing is the template's, or the service's default. */
export type LaunchConfiguration = Pick<
  CreateInstanceBody,
  | "env"
  | "onstart"
  | "args_str"
  | "use_jupyter_lab"
  | "jupyter_dir"
  | "python_utf8"
  | "lang_utf8"
  | "image_login"
  | "vm"
  | "volume_info"
  | "target_state"
  | "cancel_unavail"
>;

/** What a draft gets from the form. */
export interface LaunchChoice {
  readonly image: string | undefined;
  readonly runtype: (typeof RUNTYPES)[number] | undefined;
  readonly diskGb: number;
  readonly label: string;
  /** Dollars per hour; interruptible only. */
  readonly bid: number | undefined;
  readonly configuration: LaunchConfiguration;
}

/** The template's hint of where a volume goes and how large it is, which the service doesn't apply on its own (interface 4.3, rule 8). */
export function readVolumeHint(template: Template | undefined): { readonly path: string; readonly size: string } {
  const { mount_path: path, size } = template?.volume_info ?? {};
  return {
    path: typeof path === "string" ? path : "",
    size: typeof size === "number" && size > 0 ? String(size) : "",
  };
}

/** What a launch changes of its template or the defaults, each by a short name: `MODE`, `port 8000`, `start script`. */
export function listConfigured(plan: {
  readonly template: Template | undefined;
  readonly image: string | undefined;
  readonly runtype: string | undefined;
  readonly configuration?: LaunchConfiguration | undefined;
}): readonly string[] {
  const { env = {}, volume_info: _, ...configuration } = plan.configuration ?? {};
  const names: Readonly<Record<Exclude<keyof LaunchConfiguration, "env" | "volume_info">, string>> = {
    onstart: t("start script"),
    args_str: t("arguments"),
    use_jupyter_lab: t("JupyterLab"),
    jupyter_dir: t("Jupyter directory"),
    python_utf8: t("Python locale"),
    lang_utf8: t("locale"),
    image_login: t("registry login"),
    vm: t("virtual machine"),
    target_state: t("start"),
    cancel_unavail: t("waiting"),
  };
  const others = (Object.keys(configuration) as (keyof typeof names)[]).filter(
    (one) => configuration[one] !== undefined,
  );
  const inPlace = plan.template
    ? [plan.image === undefined ? [] : t("image"), plan.runtype === undefined ? [] : t("launch mode")].flat()
    : [];
  return [...inPlace, ...Object.keys(env).map(nameEntry), ...others.map((one) => names[one])];
}

function nameEntry(key: string): string {
  const [, host] = /^-p (\d+):/.exec(key) ?? [];
  return host === undefined ? redactText(key) : t("port {0}", host);
}

const MOST_NAMED = 3;

/** In a few words: `3 changes: MODE, port 8000, start script`. `none` without a change. */
export function describeConfigured(names: readonly string[], none: string): string {
  if (names.length === 0) return none;
  const some = names.slice(0, MOST_NAMED).join(", ");
  const more = names.length - MOST_NAMED;
  const listed = more > 0 ? t("{0} and {1} more", some, more) : some;
  return names.length === 1 ? t("1 change: {0}", listed) : t("{0} changes: {1}", names.length, listed);
}
