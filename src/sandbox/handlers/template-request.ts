// Checks requests that create and edit templates, field by field (interface 2.3, 4.6, 4.7), and turns them into
// content.
import { Filters } from "../../domain/offer/filter.ts";
import { type Check, checkField, flag, number, oneOf, readFields, readObject, record, text } from "../base/checks.ts";
import { Refusal } from "../base/refusal.ts";
import { type TemplateContent, templateContent } from "../world/template-content.ts";

const filters: Check = (value) =>
  Filters.safeParse(value).success ? undefined : 'an object of search filters such as {"gpu_ram": {"gte": 24000}}';

/** The interface sets no maximum sizes. These are far above what people write, so that refusals can still be tested. */
const MOST_NAME = 10_000;
const MOST_README = 500_000;

const CHECKS: Readonly<Record<keyof TemplateContent, Check>> = {
  name: text(MOST_NAME, 1),
  image: text(undefined, 1),
  tag: text(),
  desc: text(),
  readme: text(MOST_README),
  env: text(),
  onstart: text(),
  runtype: oneOf(["ssh", "jupyter", "args"]),
  args_str: text(),
  ssh_direct: flag,
  use_ssh: flag,
  jup_direct: flag,
  jupyter_dir: text(),
  use_jupyter_lab: flag,
  docker_login_repo: text(),
  docker_login_user: text(),
  docker_login_pass: text(),
  href: text(),
  repo: text(),
  extra_filters: filters,
  recommended_disk_space: number("a number of GB above 0", (value) => value > 0),
  private: flag,
  volume_info: record("an object or null"),
};

const REQUIRED = ["name", "image", "docker_login_repo", "docker_login_user", "docker_login_pass"] as const;
/** What public clients send in addition to the interface's fields. */
const PASSED_OVER = new Set(["hash_id", "readme_visible", "client_id"]);
const NULLABLE = ["jupyter_dir", "volume_info"] as const;

/** Checked values have the types of the content. The checks are a table by name, which the types can't express. */
type Given = Partial<TemplateContent>;

/** @throws Refusal 400 `invalid_args` naming the field. */
export function readNewTemplate(given: unknown): TemplateContent {
  const body = readObject(given);
  for (const field of REQUIRED) checkField(field, body[field], CHECKS[field]);
  const { name, image, tag, ...rest } = readFields(body, CHECKS) as Given & Pick<TemplateContent, "name" | "image">;
  return templateContent({ ...rest, name, image, tag: tag || "latest" });
}

export interface TemplateChange {
  readonly hash: string;
  readonly fields: Given;
}

/** The fields to change. Null means unset, except for fields that can be null. @throws Refusal 400 naming the field. */
export function readTemplateChange(given: unknown): TemplateChange {
  const body = readObject(given);
  const hash = body.hash_id;
  if (typeof hash !== "string" || hash === "") throw new Refusal(400, "invalid_args", "hash_id must be a string");
  const unknown = Object.keys(body).find((field) => !Object.hasOwn(CHECKS, field) && !PASSED_OVER.has(field));
  if (unknown !== undefined) throw new Refusal(400, "invalid_args", `Unexpected Key '${unknown}' found in Template.`);
  const cleared = Object.fromEntries(NULLABLE.filter((field) => body[field] === null).map((field) => [field, null]));
  return { hash, fields: { ...(readFields(body, CHECKS) as Given), ...cleared } };
}
