// The texts of the form: each field's name and purpose.
import type { TemplateField } from "../../domain/template/template-form.ts";
import { t } from "../../lib/text.ts";

export interface Words {
  readonly label: string;
  readonly help: string;
}

type Texts = Readonly<Record<TemplateField, Words>>;

/** A function because the texts need the dictionary to be loaded. */
export function wordsOfFields(): Texts {
  return { ...general(), ...image(), ...launch(), ...rest() };
}

function general() {
  return {
    name: { label: t("Name"), help: t("What you find it by. Required.") },
    desc: { label: t("Description"), help: t("One or two sentences, shown in lists.") },
    private: { label: t("Private"), help: t("Only you can see and launch it. Otherwise it is public.") },
  };
}

function image() {
  return {
    image: { label: t("Image"), help: t("Path of the docker image, such as pytorch/pytorch. Required.") },
    tag: { label: t("Tag"), help: t("Version of the image. Default: latest.") },
    docker_login_repo: {
      label: t("Registry"),
      help: t("Address of a private registry, such as ghcr.io. Empty for public images."),
    },
    docker_login_user: { label: t("Registry User"), help: t("Empty for public images.") },
    docker_login_pass: {
      label: t("Registry Token"),
      help: t("Sent when you save, never shown again and never kept on this machine."),
    },
    href: { label: t("Documentation Link"), help: t("Web page about the image, starting with https://.") },
    repo: { label: t("Repository"), help: t("Identifier of the image's repository. The image's path where empty.") },
  };
}

function launch() {
  return {
    runtype: {
      label: t("Launch Mode"),
      help: t("What runs in the container, and how you get into it. Default: the image's own entrypoint."),
    },
    ssh_direct: {
      label: t("Direct SSH"),
      help: t("Connects straight to the machine instead of through the service's proxy. Recommended."),
    },
    use_ssh: { label: t("SSH Access"), help: t("Allows SSH at all, direct or through the proxy.") },
    jup_direct: {
      label: t("Direct Jupyter"),
      help: t("Opens Jupyter straight on the machine instead of through the proxy."),
    },
    use_jupyter_lab: { label: t("JupyterLab"), help: t("JupyterLab instead of the classic notebook.") },
    jupyter_dir: {
      label: t("Jupyter Directory"),
      help: t("Where Jupyter starts, such as /workspace. Empty for its default."),
    },
    args_str: {
      label: t("Arguments"),
      help: t("Replaces the image's CMD; with an ENTRYPOINT they are passed to it. Shell quoting applies."),
    },
  };
}

function rest() {
  return {
    env: {
      label: t("Variables and Ports"),
      help: t("Set in every instance. Ports are opened from the host to the container."),
    },
    onstart: { label: t("Start Script"), help: t("Shell commands run each time the instance starts.") },
    extra_filters: {
      label: t("Machine Filters"),
      help: t("What a machine must have. They are the starting point of each launch."),
    },
    recommended_disk_space: {
      label: t("Disk (GB)"),
      help: t("Rented with the machine and billed while it exists; it cannot be changed later. Default: 8."),
    },
    readme: { label: t("Readme"), help: t("Longer documentation in Markdown.") },
    volume_info: {
      label: t("Volume Hint"),
      help: t("A hint for the service's own pages, as JSON. It has no effect on launches."),
    },
  };
}
