// What an instance was configured with, as far as its own record says it.
import type { ExtraEnv } from "../instance/extra-env.ts";
import { findSelfStopScript } from "../instance/self-stop.ts";
import { parseDockerFlags } from "../template/environment/docker-flags.ts";
import { getRuntype, type Template } from "../template/template.ts";
import { CreateInstanceBody } from "./create-request.ts";
import type { LaunchConfiguration } from "./launch-configuration.ts";

/** The parts of a record. They are the service's words: what no request may say is left out. */
export interface ConfiguredRecord {
  readonly env: ExtraEnv | undefined;
  readonly onstart: unknown;
  readonly args: unknown;
  readonly isVm: unknown;
  /** How it is started. Arguments are for an image that starts its own entrypoint. */
  readonly runtype?: string | undefined;
}

/** What differs from the template. A network that it joined, and the lines that were to end it, aren't part of it. */
export function rebuildConfiguration(
  { env, onstart, args, isVm, runtype }: ConfiguredRecord,
  template: Template | undefined,
): LaunchConfiguration | undefined {
  const inherited = parseDockerFlags(template?.env ?? "").env;
  const own = [...(env ?? [])].filter(([name, value]) => !name.startsWith("-n ") && inherited[name] !== value);
  const script = typeof onstart === "string" ? withoutSelfStop(onstart) : "";
  const hasWords = (runtype ?? (template && getRuntype(template)) ?? "args") === "args";
  const words = hasWords && typeof args === "string" ? args : "";
  const found = {
    ...(own.length === 0 ? {} : { env: Object.fromEntries(own) }),
    ...(script === "" || script === (template?.onstart ?? "") ? {} : { onstart: script }),
    ...(words === "" || words === (template?.args_str ?? "") ? {} : { args_str: words }),
    ...(isVm === true && template?.extra_filters?.vms_enabled?.eq !== true ? { vm: true } : {}),
  };
  const allowed = Object.entries(found).filter(([field, value]) => isAllowed(field, value));
  return allowed.length === 0 ? undefined : Object.fromEntries(allowed);
}

function withoutSelfStop(script: string): string {
  const own = findSelfStopScript(script);
  return own === undefined ? script : script.replace(own, () => "");
}

const isAllowed = (field: string, value: unknown): boolean =>
  CreateInstanceBody.safeParse({ image: "a", [field]: value }).success;
