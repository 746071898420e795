// The strict body of create instance (interface 4.3).
import * as z from "zod";
import { t } from "../../lib/text.ts";
import { TemplateHash } from "../base/id.ts";
import { LEAST_DISK } from "../offer/disk.ts";
import { Environment } from "../template/environment/environment.ts";
import { RUNTYPES } from "../template/template.ts";
import { MOST_ONSTART, ShellWords } from "../template/template-draft.ts";

/**
 * `volume_id` is a volume when linking and a volume offer when creating; `size` GB, only when creating (interface 4.3).
 */
const VolumeInfo = z
  .strictObject({
    create_new: z.boolean().optional(),
    volume_id: z.int().positive(),
    size: z.number().positive().optional(),
    mount_path: z
      .string()
      .regex(/^(?!.*\/\.\.(?:\/|$))\/./s, { error: () => t("must be an absolute path below /, without ..") }),
  })
  .refine((volume) => volume.create_new !== true || volume.size !== undefined, {
    path: ["size"],
    error: () => t("a new volume needs a size in GB"),
  })
  .refine((volume) => volume.create_new === true || volume.size === undefined, {
    path: ["size"],
    error: () => t("only a new volume can have a size"),
  });

/**
 * `-u <user> -p <access_token> <registry>` (interface 4.3). Values with spaces or quotes can't be written in this form.
 */
export const ImageLogin = z.string().regex(/^-u [^\s"'-][^\s"']* -p [^\s"'-][^\s"']* [^\s"'-][^\s"']*$/, {
  error: () => t("must have the form -u user -p token registry"),
});

/** Body of create instance (interface 4.3). Units: `disk` GB, `price` dollars per hour for the whole machine. */
export const CreateInstanceBody = z
  .strictObject({
    image: z.string().min(1).max(1024).optional(),
    template_hash_id: TemplateHash.optional(),
    label: z.string().max(256).optional(),
    disk: z.number().min(LEAST_DISK).optional(),
    runtype: z.enum(RUNTYPES).optional(),
    target_state: z.enum(["running", "stopped"]).optional(),
    price: z.number().min(0.001).max(128).optional(),
    env: Environment.optional(),
    onstart: z
      .string()
      // In UTF-16 units: zod counts characters, and the interface doesn't say which the service counts.
      .refine((script) => script.length <= MOST_ONSTART, {
        error: () => t("the script can't be longer than {0} characters", MOST_ONSTART),
      })
      .refine((script) => !script.includes("\0"), { error: () => t("the script can't contain NUL characters") })
      .optional(),
    args_str: ShellWords.optional(),
    use_jupyter_lab: z.boolean().optional(),
    jupyter_dir: z.string().optional(),
    python_utf8: z.boolean().optional(),
    lang_utf8: z.boolean().optional(),
    image_login: ImageLogin.optional(),
    cancel_unavail: z.boolean().optional(),
    vm: z.boolean().optional(),
    volume_info: VolumeInfo.optional(),
  })
  .refine((body) => body.image !== undefined || body.template_hash_id !== undefined, {
    path: ["image"],
    error: () => t("an image or a template is required"),
  })
  .refine((body) => body.args_str === undefined || body.runtype === undefined || body.runtype === "args", {
    path: ["args_str"],
    error: () => t("only the runtype args uses arguments"),
  });
export type CreateInstanceBody = z.infer<typeof CreateInstanceBody>;
