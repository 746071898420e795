// A launch's configuration as a new template: whoever configured once wants it again.
import { splitImage } from "../template/image.ts";
import { toDisplayName } from "../template/template.ts";
import { comesWithSsh, NEW_TEMPLATE, type WholeDraft } from "../template/template-form.ts";
import type { LaunchDraft } from "./launch-draft.ts";
import type { LaunchForm } from "./launch-form.ts";
import { buildLaunchScript } from "./read-launch-form.ts";

/** Without the registry's token, which is to be typed again. What only a request has, such as a volume, is a hint or left out. */
export function toNewTemplate(form: LaunchForm, { template }: Pick<LaunchDraft, "template">): WholeDraft {
  const { name, tag = "", digest } = splitImage(form.image.trim());
  const [mode = "args", way] = form.runtype.split("_");
  const runtype = mode === "ssh" || mode === "jupyter" ? mode : "args";
  const disk = Number(form.disk);
  return {
    ...NEW_TEMPLATE,
    name: template?.name ? toDisplayName(template.name) : "",
    desc: template?.desc ?? "",
    readme: template?.readme ?? "",
    image: digest === undefined ? name : form.image.trim(),
    tag: digest === undefined ? tag : "",
    env: form.env,
    onstart: buildLaunchScript(form, { base: { onstart: template?.onstart ?? "" } }),
    runtype,
    ssh_direct: runtype !== "args" && way === "direct",
    jup_direct: runtype === "jupyter" && way === "direct",
    use_ssh: comesWithSsh(runtype),
    args_str: form.args_str,
    jupyter_dir: form.jupyter_dir === "" ? null : form.jupyter_dir,
    use_jupyter_lab: form.use_jupyter_lab,
    docker_login_repo: form.login_registry || (template?.docker_login_repo ?? ""),
    docker_login_user: form.login_user || (template?.docker_login_user ?? ""),
    extra_filters: { ...template?.extra_filters, ...(form.vm ? { vms_enabled: { eq: true } } : {}) },
    recommended_disk_space: disk > 0 ? disk : NEW_TEMPLATE.recommended_disk_space,
    volume_info: form.volume === "none" ? null : toHint(form),
  };
}

function toHint({ mount_path, volume_size }: LaunchForm): Record<string, unknown> {
  const size = Number(volume_size);
  return { ...(mount_path === "" ? {} : { mount_path }), ...(size > 0 ? { size } : {}) };
}
