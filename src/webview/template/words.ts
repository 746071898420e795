// The texts of the form: each field's name and purpose.
import type { TemplateField } from "../../domain/template/template-form.ts";
import { t } from "../../lib/text.ts";
import type { Words } from "../kit/controls.ts";

type Texts = Readonly<Record<TemplateField, Words>>;

/** A function because the texts need the dictionary to be loaded. */
export function getFieldWords(): Texts {
  return { ...general(), ...image(), ...launch(), ...rest() };
}

function general() {
  return {
    name: { label: t("Name"), help: t("Name shown in lists. Required."), isRequired: true },
    desc: { label: t("Description"), help: t("One or two sentences, shown in lists.") },
    private: { label: t("Private"), help: t("Only you can see and launch this template. Otherwise, it's public.") },
  };
}

function image() {
  return {
    image: {
      label: t("Image"),
      help: t("Path of the Docker image, such as pytorch/pytorch. Required."),
      isRequired: true,
    },
    tag: { label: t("Tag"), help: t("Image version. Default: latest.") },
    docker_login_repo: {
      label: t("Registry"),
      help: t("Address of a private registry, such as ghcr.io. Leave empty for public images."),
    },
    docker_login_user: { label: t("Registry User"), help: t("Leave empty for public images.") },
    docker_login_pass: {
      label: t("Registry Token"),
      help: t(
        "Sent when you save, and when you list tags with “Choose…”. Never shown again or stored on this computer.",
      ),
    },
    href: { label: t("Documentation Link"), help: t("Web page about the image. Must start with https://.") },
    repo: { label: t("Repository"), help: t("Identifier of the image's repository. Defaults to the image's path.") },
  };
}

function launch() {
  return {
    runtype: {
      label: t("Launch Mode"),
      help: t("What runs in the container, and how you connect."),
    },
    ssh_direct: {
      label: t("Direct SSH"),
      help: t("Connect directly to the machine instead of through the service's proxy. Recommended."),
    },
    use_ssh: { label: t("SSH Access"), help: t("Allow SSH, either direct or through the proxy.") },
    jup_direct: {
      label: t("Direct Jupyter"),
      help: t("Open Jupyter directly on the machine instead of through the proxy."),
    },
    use_jupyter_lab: { label: t("JupyterLab"), help: t("Use JupyterLab instead of the classic notebook.") },
    jupyter_dir: {
      label: t("Jupyter Directory"),
      help: t("Where Jupyter starts, such as /workspace. Leave empty for the default."),
    },
    args_str: {
      label: t("Arguments"),
      help: t("Replace the image's CMD, or are passed to its ENTRYPOINT. Shell quoting applies."),
    },
  };
}

function rest() {
  return {
    env: {
      label: t("Variables and Ports"),
      help: t("Set in every instance. Ports are mapped from the host to the container."),
    },
    onstart: { label: t("Start Script"), help: t("Shell commands that run each time the instance starts.") },
    extra_filters: {
      label: t("Machine Filters"),
      help: t("What a machine must have. Each launch starts with these filters."),
    },
    recommended_disk_space: {
      label: t("Disk (GB)"),
      help: t("Rented with the machine and billed while the machine exists. Can't be changed later."),
    },
    readme: { label: t("Readme"), help: t("Longer documentation in Markdown.") },
    volume_info: {
      label: t("Volume Hint"),
      help: t("A hint for the service's own pages, as JSON. Has no effect on launches."),
    },
  };
}
