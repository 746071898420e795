// Checks requests that create and edit templates, field by field (interface 2.3, 4.6, 4.7), and turns them into
// content.
import { Filters } from "../../domain/offer/filter.ts";
import {
  type Check,
  checkField,
  checkFlag,
  checkNumber,
  checkOneOf,
  checkRecord,
  checkText,
  readFields,
  readJsonObject,
} from "../base/checks.ts";
import { Refusal } from "../base/refusal.ts";
import { completeContent, type TemplateContent } from "../world/template-content.ts";

const filters: Check = (value) =>
  Filters.safeParse(value).success ? undefined : 'an object of search filters such as {"gpu_ram": {"gte": 24000}}';

/** The interface sets no maximum sizes. These are far above what people write, so that refusals can still be tested. */
const MOST_NAME = 10_000;
const MOST_README = 500_000;

const CHECKS: Readonly<Record<keyof TemplateContent, Check>> = {
  name: checkText(MOST_NAME, 1),
  image: checkText(undefined, 1),
  tag: checkText(),
  desc: checkText(),
  readme: checkText(MOST_README),
  env: checkText(),
  onstart: checkText(),
  runtype: checkOneOf(["ssh", "jupyter", "args"]),
  args_str: checkText(),
  ssh_direct: checkFlag,
  use_ssh: checkFlag,
  jup_direct: checkFlag,
  jupyter_dir: checkText(),
  use_jupyter_lab: checkFlag,
  docker_login_repo: checkText(),
  docker_login_user: checkText(),
  docker_login_pass: checkText(),
  href: checkText(),
  repo: checkText(),
  extra_filters: filters,
  recommended_disk_space: checkNumber("a number of GB above 0", (value) => value > 0),
  private: checkFlag,
  volume_info: checkRecord("an object or null"),
};

const REQUIRED = ["name", "image", "docker_login_repo", "docker_login_user", "docker_login_pass"] as const;
/** What public clients send in addition to the interface's fields. */
const PASSED_OVER = new Set(["hash_id", "readme_visible", "client_id"]);
const NULLABLE = ["jupyter_dir", "volume_info"] as const;

/** Checked values have the types of the content. The checks are a table by name, which the types can't express. */
type Given = Partial<TemplateContent>;

/** @throws Refusal 400 `invalid_args` naming the field. */
export function readNewTemplate(given: unknown): TemplateContent {
  const body = readJsonObject(given);
  for (const field of REQUIRED) checkField(field, body[field], CHECKS[field]);
  const { name, image, tag, ...rest } = readFields(body, CHECKS) as Given & Pick<TemplateContent, "name" | "image">;
  return completeContent({ ...rest, name, image, tag: tag || "latest" });
}

interface TemplateChange {
  readonly hash: string;
  readonly fields: Given;
}

/** The fields to change. Null means unset, except for fields that can be null. @throws Refusal 400 naming the field. */
export function readTemplateChange(given: unknown): TemplateChange {
  const body = readJsonObject(given);
  const hash = body.hash_id;
  if (typeof hash !== "string" || hash === "") throw new Refusal(400, "invalid_args", "hash_id must be a string");
  const unknown = Object.keys(body).find((field) => !Object.hasOwn(CHECKS, field) && !PASSED_OVER.has(field));
  if (unknown !== undefined) throw new Refusal(400, "invalid_args", `Unexpected Key '${unknown}' found in Template.`);
  const cleared = Object.fromEntries(NULLABLE.filter((field) => body[field] === null).map((field) => [field, null]));
  return { hash, fields: { ...(readFields(body, CHECKS) as Given), ...cleared } };
}
