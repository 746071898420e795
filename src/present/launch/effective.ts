// A template and a launch from it (interface 4.3, rules 1 to 8), as texts that can be compared line by line.

import type { CreateInstanceBody } from "../../domain/launch/create-request.ts";
import { type LaunchPlan, toLaunchRequest } from "../../domain/launch/launch-plan.ts";
import { parseDockerFlags } from "../../domain/template/environment/docker-flags.ts";
import { mergeConfiguration, type Template } from "../../domain/template/template.ts";
import { MASK, redactText } from "../../lib/redact.ts";
import { toPlainText } from "../../lib/text.ts";
import {
  formatSent,
  isPublicField,
  isPublicTemplate,
  maskParts,
  maskScript,
  maskText,
  mayHideValue,
} from "./masked-request.ts";

/** For a script that unpacks to something huge, only the beginning is shown. */
const MOST_SCRIPT = 100_000;

export interface Compared {
  readonly template: string;
  readonly effective: string;
}

/**
 * `label` is the one that will be sent; `onstart` is the template's script as it runs, unpacked; `now` is in epoch milliseconds.
 * Secrets are masked as in the summary.
 */
export function compareWithTemplate(
  plan: LaunchPlan,
  label: string,
  onstart: string | undefined,
  now: number,
): Compared | undefined {
  if (plan.template === undefined) return undefined;
  const template: Template = { ...plan.template, onstart };
  const asItIs = mergeConfiguration(template, {});
  // If the template names no disk, the service's default would look as if the template had set it.
  const { disk: _, ...without } = asItIs;
  const said = template.recommended_disk_space === undefined ? without : asItIs;
  const request = toLaunchRequest({ ...plan, template }, label, now);
  return {
    template: shown(template, said, { template }, {}),
    effective: shown(template, mergeConfiguration(template, request), plan, request),
  };
}

function shown(
  template: Template,
  configuration: Readonly<Record<string, unknown>>,
  plan: Pick<LaunchPlan, "template" | "configuration">,
  request: CreateInstanceBody,
): string {
  // The script comes last, so that other differences stay together above it.
  const { env, extra_filters, onstart, ...fields } = configuration;
  const isPublic = isPublicTemplate(template);
  const lines = Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]): [string, unknown] => [name, field(name, value, isPublicField(name, plan, request))]);
  const unread = parseDockerFlags(template.env ?? "").unread;
  const whole = {
    ...Object.fromEntries(lines.sort(([a], [b]) => (a < b ? -1 : 1))),
    env: variables(
      env as Readonly<Record<string, string>>,
      (name) => isPublic && !Object.hasOwn(request.env ?? {}, name),
    ),
    extra_filters,
    ...(unread.length > 0 ? { flags_not_understood: unread.map((flag) => maskText(flag, isPublic)) } : {}),
    ...(template.docker_login_repo
      ? {
          registry_login: `${toPlainText(template.docker_login_user ?? "")} ${MASK} ${toPlainText(template.docker_login_repo)}`,
        }
      : {}),
    ...(onstart === undefined || onstart === ""
      ? {}
      : { onstart: field("onstart", onstart, isPublicField("onstart", plan, request)) }),
  };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

/** Splits scripts into lines, so that they can be read and compared. */
function field(name: string, value: unknown, isPublic: boolean): unknown {
  if (typeof value !== "string") return maskParts(value);
  if (name !== "onstart") return formatSent(name, value, isPublic);
  // Masked as a whole, because a quoted secret may span several lines.
  const lines = maskScript(value.slice(0, MOST_SCRIPT), isPublic).split(/\r\n|[\r\n]/);
  return lines.map((line) =>
    line === "" ? "" : `${/^[ \t]{0,200}/.exec(line)?.[0] ?? ""}${toPlainText(line.trimStart(), 5000)}`,
  );
}

function variables(env: Readonly<Record<string, string>>, isPublic: (name: string) => boolean): Record<string, string> {
  const entries = Object.entries(env).map(([name, value]): [string, string] => [
    redactText(name),
    !name.startsWith("-") && mayHideValue(name, value, isPublic(name)) ? MASK : maskText(value, isPublic(name)),
  ]);
  return Object.fromEntries(entries);
}
