// Checks the body of create instance field by field (interface 4.3, 8). Every message names the field and what it
// accepts.
import { RUNTYPES } from "../../domain/template/template.ts";
import { MOST_ONSTART } from "../../domain/template/template-draft.ts";
import {
  type Check,
  checkEnvironment,
  checkFlag,
  checkNumber,
  checkOneOf,
  checkRecord,
  checkText,
  checkWords,
  readFields,
  readJsonObject,
} from "../base/checks.ts";
import { isRecord, Refusal } from "../base/refusal.ts";
import { parseLogin } from "../world/configuration.ts";

/** Public clients write several kinds in one text, and `direct` without its last letter. */
const COMPOUND = /^(ssh|jupyter)_(direct?|proxy)( (ssh|jupyter)_(direct?|proxy))+$/;

const runtype: Check = (value) =>
  typeof value === "string" && COMPOUND.test(value) ? undefined : checkOneOf(RUNTYPES)(value);

const PORT_KEY = /^-p (\d{1,5})(?:-(\d{1,5}))?:(\d{1,5})(?:-(\d{1,5}))?(?:\/(?:tcp|udp))?$/;
const MOST_PORT = 65_535;
/** From here on, a port that maps to itself gets one of the host's choice. */
const LEAST_IDENTITY = 70_000;

/** `-p host:container`; either side may be a range, as long as the other one. */
function isPortKey(name: string): boolean {
  const [, ...numbers] = PORT_KEY.exec(name) ?? [];
  if (numbers.length === 0) return false;
  const [host = 0, lastHost = host, container = 0, lastContainer = container] = numbers.map((text) =>
    text === undefined ? undefined : Number(text),
  );
  if (host >= LEAST_IDENTITY) return host === container && lastHost === host && lastContainer === container;
  const isRange = (from: number, to: number) => from >= 1 && from <= to && to <= MOST_PORT;
  return isRange(host, lastHost) && isRange(container, lastContainer) && lastHost - host === lastContainer - container;
}

const variables: Check = (value) => {
  const wrong = checkEnvironment(value);
  if (wrong !== undefined) return wrong;
  for (const [name, item] of Object.entries(value as object)) {
    if (name.startsWith("-p") && !isPortKey(name)) return `an object whose port keys look like "-p 8080:8080"`;
    if (name.startsWith("-p") && String(item) !== "1") return `an object in which a port key's value is 1: "${name}"`;
    if (name === "") return "an object whose names are not empty";
  }
  return undefined;
};

/** The interface sets no minimum size or price; the limits of public services aren't part of it. */
const positive = (what: string): Check => checkNumber(what, (value) => Number.isFinite(value) && value > 0);

const templateHash: Check = (value) =>
  typeof value === "string" && value !== "" && !/^\d+$/.test(value)
    ? undefined
    : "the hash_id of a template; the numeric template id is not accepted";

const login: Check = (value) =>
  typeof value === "string" && parseLogin(value) !== undefined
    ? undefined
    : "of the form -u <user> -p <access_token> <registry>";

const volume: Check = (value) => {
  if (!isRecord(value)) return "an object with volume_id and mount_path";
  if (value.create_new !== undefined && typeof value.create_new !== "boolean")
    return "an object whose create_new is true or false";
  if (!Number.isSafeInteger(value.volume_id) || Number(value.volume_id) < 1)
    return "an object whose volume_id is a positive integer";
  if (value.size !== undefined && !(typeof value.size === "number" && value.size > 0))
    return "an object whose size is a number of GB above 0";
  if (typeof value.mount_path !== "string" || !/^\/./.test(value.mount_path))
    return "an object whose mount_path is an absolute path";
  return undefined;
};

const CHECKS: Readonly<Record<string, Check>> = {
  image: checkText(undefined, 1),
  template_hash_id: templateHash,
  label: checkText(),
  disk: positive("a number of GB above 0"),
  runtype,
  target_state: checkOneOf(["running", "stopped"]),
  type: checkText(),
  price: positive("a number of dollars an hour above 0"),
  env: variables,
  onstart: checkText(MOST_ONSTART),
  args: checkWords,
  args_str: checkText(),
  use_jupyter_lab: checkFlag,
  jupyter_dir: checkText(),
  python_utf8: checkFlag,
  lang_utf8: checkFlag,
  image_login: login,
  cancel_unavail: checkFlag,
  vm: checkFlag,
  volume_info: volume,
  extra_filters: checkRecord("an object of search filters"),
};

/**
 * The known fields that a create request sets. Null means unset; unknown fields are ignored.
 * @throws Refusal 400 `invalid_args`, or `invalid_price` for the price.
 */
export function readCreateRequest(given: unknown): Readonly<Record<string, unknown>> {
  const body = readJsonObject(given);
  const request = readFields(body, CHECKS, { price: "invalid_price" });
  if (request.template_hash_id === undefined && (body.template_id ?? null) !== null)
    throw new Refusal(400, "invalid_args", "template_id is not accepted here; use the template's template_hash_id");
  if (request.image === undefined && request.template_hash_id === undefined)
    throw new Refusal(400, "invalid_args", "image or template_hash_id is required");
  if (request.args !== undefined && request.args_str !== undefined)
    throw new Refusal(400, "invalid_args", "Please only use args or args_str");
  return request;
}
