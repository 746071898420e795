// What a template may contain: the one strict schema for form, file, host and request (interface 2.3, 4.6, 4.7). The
// sandbox has its own table, because it plays a service, which accepts more and words refusals differently.

import * as z from "zod";
import { splitWords } from "../../lib/shell-words.ts";
import { t } from "../../lib/text.ts";
import { TemplateHash } from "../base/id.ts";
import { StoredFilters } from "../offer/filter.ts";

/** Text that the service can split into shell-quoted words. */
export const ShellWords = z.string().refine(
  (text) => {
    try {
      splitWords(text);
      return true;
    } catch {
      return false;
    }
  },
  { error: () => t("A quote isn't closed, or the text ends with a backslash.") },
);

/** The longest start script in UTF-16 units (interface 8; the unit isn't defined, so the strictest is used). */
export const MOST_ONSTART = 4048;

/** A script too long for an instance isn't stored either. In UTF-16 units: zod counts characters. */
const Onstart = z
  .string()
  .refine((script) => script.length <= MOST_ONSTART, {
    error: () => t("The start script can't be longer than {0} characters.", MOST_ONSTART),
  })
  .refine((script) => !/[\0\p{Cs}]/u.test(script), {
    error: () => t("Remove the invalid character (NUL or a broken emoji)."),
  });

/** Units: `recommended_disk_space` GB. `env` is a docker flag string, unlike an instance's (interface 4.3, rule 4). */
export const TemplateDraft = z.strictObject({
  name: z.string().refine((name) => name.trim() !== "", { error: () => t("Enter a name.") }),
  image: z
    .string()
    .refine((image) => image.trim() !== "", { error: () => t("Enter an image, such as pytorch/pytorch.") })
    .max(1024, { error: () => t("Image names can have at most 1,024 characters.") }),
  tag: z.string().optional(),
  desc: z.string().optional(),
  readme: z.string().optional(),
  env: z.string().optional(),
  onstart: Onstart.optional(),
  runtype: z.enum(["ssh", "jupyter", "args"]).optional(),
  args_str: ShellWords.optional(),
  ssh_direct: z.boolean().optional(),
  use_ssh: z.boolean().optional(),
  jup_direct: z.boolean().optional(),
  jupyter_dir: z.string().nullable().optional(),
  use_jupyter_lab: z.boolean().optional(),
  docker_login_repo: z.string(),
  docker_login_user: z.string(),
  docker_login_pass: z.string(),
  href: z.string().optional(),
  repo: z.string().optional(),
  extra_filters: StoredFilters.optional(),
  recommended_disk_space: z
    .number()
    .positive({ error: () => t("The disk must be larger than 0 GB.") })
    .optional(),
  private: z.boolean().optional(),
  volume_info: z.record(z.string(), z.unknown()).nullable().optional(),
});
export type TemplateDraft = z.infer<typeof TemplateDraft>;

/** An edit: the template's present hash and the fields to change (interface 4.7). */
export const TemplateEditBody = TemplateDraft.partial().extend({ hash_id: TemplateHash });
export type TemplateEditBody = z.infer<typeof TemplateEditBody>;
