// A create request as people read it: as it is sent, but without its secrets.
import { findSelfStopScript } from "../../domain/instance/self-stop.ts";
import type { CreateInstanceBody } from "../../domain/launch/create-request.ts";
import type { LaunchPlan } from "../../domain/launch/launch-plan.ts";
import { CREATE_FIELDS } from "../../domain/launch/merge-request.ts";
import type { Template } from "../../domain/template/template.ts";
import { MASK, maskCode, maskPublic, redactText } from "../../lib/redact.ts";
import { isScript } from "../../lib/secret-text.ts";
import { isSecretVariable } from "../../lib/secret-value.ts";
import { toPlainText } from "../../lib/text.ts";

/** Characters of one value. No one reads more before deciding. */
const MOST_SHOWN = 5000;

/** A script or value with apparent secrets masked and line breaks made visible. What everyone can read is shown as it is. */
export function maskText(text: string, isPublic: boolean): string {
  const read = text.length > 2 * MOST_SHOWN ? `${text.slice(0, 2 * MOST_SHOWN)}…` : text;
  return toPlainText(maskScript(read, isPublic).replace(/\r?\n/g, " ⏎ "), MOST_SHOWN);
}

/** What we put before a script ourselves holds no secret, and is shown as it is sent. */
export function maskScript(text: string, isPublic: boolean): string {
  const mask = isPublic ? maskPublic : maskCode;
  const own = findSelfStopScript(text);
  if (own === undefined) return mask(text);
  const [before = "", ...after] = text.split(own);
  return `${mask(before)}${own}${mask(after.join(own))}`;
}

/** Whether a template is one that everyone can read. */
export function isPublicTemplate(template: Partial<Pick<Template, "private">> | undefined): boolean {
  return template?.private === false;
}

/** Whether everyone can read a field of what a plan is rented with: what it has from such a template, and what we put before its script. */
export function isPublicField(
  name: string,
  { template, configuration }: Pick<LaunchPlan, "template" | "configuration">,
  request: CreateInstanceBody,
): boolean {
  const isOwn = name === "onstart" ? configuration?.onstart !== undefined : Object.hasOwn(request, name);
  return isPublicTemplate(template) && !isOwn;
}

/** Options without a value have a 1 in its place. */
export function maskVariable(name: string, value: string, isPublic: boolean): string {
  if (name.startsWith("-") && value === "1") return "";
  return mayHideValue(name, value, isPublic) ? MASK : maskText(value, isPublic);
}

/** By its name or its value, a variable is secret, unless its value is something to run. */
export function mayHideValue(name: string, value: string, isPublic: boolean): boolean {
  return !isPublic && isSecretVariable(name, value) && !isScript(value);
}

/** One field of a request, without its secrets. */
export function formatSent(name: string, value: unknown, isPublic: boolean): string {
  if (name === "image_login") return maskLogin(String(value));
  return maskText(typeof value === "object" ? JSON.stringify(value) : String(value), isPublic);
}

const maskLogin = (login: string): string => toPlainText(login.replace(/ -p \S+/, ` -p ${MASK}`), 300);

/** A create request as JSON, field by field as it is sent, but without its secrets. */
export function formatRequest(body: CreateInstanceBody): string {
  const inOrder = CREATE_FIELDS.filter((field) => body[field] !== undefined);
  return JSON.stringify(Object.fromEntries(inOrder.map((field) => [field, maskSent(field, body[field])])), null, 2);
}

function maskSent(field: keyof CreateInstanceBody, value: CreateInstanceBody[typeof field]): unknown {
  if (field === "env") return maskVariables(value as NonNullable<CreateInstanceBody["env"]>);
  if (typeof value !== "string") return maskParts(value);
  return field === "image_login" ? maskLogin(value) : maskScript(value, false);
}

/** What isn't text, with no secret of one's own in its texts. */
export function maskParts(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, typeof part === "string" ? redactText(part) : part]),
  );
}

function maskVariables(env: NonNullable<CreateInstanceBody["env"]>): Record<string, string> {
  const entries = Object.entries(env).map(([name, value]) => [
    redactText(name),
    name.startsWith("-") || !mayHideValue(name, value, false) ? maskCode(value) : MASK,
  ]);
  return Object.fromEntries(entries);
}
