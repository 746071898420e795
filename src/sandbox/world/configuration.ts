// An instance's configuration, merged from request and template (interface 4.3, rules 4 to 8).

import { mergeRequest } from "../../domain/launch/merge-request.ts";
import type { Template } from "../../domain/template/template.ts";
import { splitWords } from "../../lib/shell-words.ts";
import { isRecord } from "../base/refusal.ts";
import type { StoredTemplate } from "./templates.ts";

export interface RegistryLogin {
  readonly repo: string;
  readonly user: string;
  readonly pass: string;
}

export interface Configuration {
  readonly image: string;
  readonly runtype: string;
  /** GB. */
  readonly disk: number;
  readonly env: Readonly<Record<string, string>>;
  readonly onstart: string | null;
  /** Arguments for the image's entrypoint; only with the runtype `args`. */
  readonly args: readonly string[];
  readonly extraFilters: Readonly<Record<string, unknown>>;
  readonly jupyterDir: string | null;
  readonly useJupyterLab: boolean;
  /** Python's locale is C.UTF-8. */
  readonly pythonUtf8: boolean;
  /** The locale is C.UTF-8. */
  readonly langUtf8: boolean;
  /** Passed to the machine, never shown. */
  readonly login: RegistryLogin | undefined;
  readonly volume: Readonly<Record<string, unknown>> | undefined;
}

type Request = Readonly<Record<string, unknown>>;

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** Public clients send `args` instead of the interface's `args_str`. */
function argumentsOf(args: unknown, text: string | null): string[] {
  if (Array.isArray(args)) return args.map(String);
  if (text === null) return [];
  try {
    return splitWords(text);
  } catch {
    return text.split(/\s+/);
  }
}

/** `-u <user> -p <access_token> <registry>`, or undefined for any other text. */
export function parseLogin(text: string): RegistryLogin | undefined {
  const [, user, pass, repo] = /^\s*-u\s+(\S+)\s+-p\s+(\S+)\s+(\S+)\s*$/.exec(text) ?? [];
  return user && pass && repo ? { user, pass, repo } : undefined;
}

function loginOf(template: StoredTemplate | undefined, request: Request): RegistryLogin | undefined {
  if (typeof request.image_login === "string") return parseLogin(request.image_login);
  if (!template?.docker_login_user || !template.docker_login_pass) return undefined;
  return { repo: template.docker_login_repo, user: template.docker_login_user, pass: template.docker_login_pass };
}

/** Variables as a container gets them, always as text. */
function variablesOf(env: unknown): Record<string, string> | undefined {
  if (!isRecord(env)) return undefined;
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)]));
}

/** Merges a checked request with the template it names. */
export function toConfiguration(template: StoredTemplate | undefined, request: Request): Configuration {
  // The request was checked field by field; public clients send some runtypes and types of values beside the documented ones.
  const given = { ...request, env: variablesOf(request.env) } as Parameters<typeof mergeRequest>[1];
  const { fields, extraFilters } = mergeRequest(template as Partial<Template> | undefined, given);
  const args = textOf(fields.args_str.value);
  const hasArguments = request.args !== undefined || args !== null;
  const runtype = textOf(fields.runtype.value) ?? (hasArguments ? "args" : "ssh");
  return {
    image: textOf(fields.image.value) ?? "",
    runtype,
    disk: Number(fields.disk.value),
    env: fields.env.value ?? {},
    onstart: textOf(fields.onstart.value),
    args: runtype === "args" ? argumentsOf(request.args, args) : [],
    extraFilters,
    jupyterDir: textOf(fields.jupyter_dir.value),
    useJupyterLab: fields.use_jupyter_lab.value === true,
    pythonUtf8: fields.python_utf8.value === true,
    langUtf8: fields.lang_utf8.value === true,
    login: loginOf(template, request),
    volume: fields.volume_info.value,
  };
}
