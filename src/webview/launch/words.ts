// The texts of the form for a launch's configuration: each field's name and purpose.
import type { LaunchField } from "../../domain/launch/launch-form.ts";
import { t } from "../../lib/text.ts";
import type { Words } from "../kit/controls.ts";

/** A function because the texts need the dictionary to be loaded. */
export function getLaunchWords(): Readonly<Record<LaunchField, Words>> {
  return { ...imageWords(), ...accessWords(), ...startWords(), ...diskWords() };
}

function imageWords() {
  return {
    image: {
      label: t("Image"),
      help: t("Docker image with its tag, such as pytorch/pytorch:latest. Required."),
      isRequired: true,
    },
    login_registry: { label: t("Registry"), help: t("Address of a private registry, such as ghcr.io.") },
    login_user: { label: t("Registry User"), help: t("The user name at that registry.") },
    login_token: {
      label: t("Registry Token"),
      help: t("Sent with the request. Until you rent, it's kept in the editor's secret storage."),
    },
  };
}

function accessWords() {
  return {
    runtype: { label: t("Launch Mode"), help: t("What runs in the container, and how you connect.") },
    use_jupyter_lab: { label: t("JupyterLab"), help: t("Use JupyterLab instead of the classic notebook.") },
    jupyter_dir: {
      label: t("Jupyter Directory"),
      help: t("Where Jupyter starts, such as /workspace. Leave empty for the default."),
    },
    vm: {
      label: t("Virtual Machine"),
      help: t(
        "A machine of its own instead of a container. It takes only SSH keys that your account has when you rent.",
      ),
    },
    python_utf8: { label: t("UTF-8 for Python"), help: t("Sets Python's locale to C.UTF-8.") },
    lang_utf8: { label: t("UTF-8 for All Programs"), help: t("Sets the locale to C.UTF-8.") },
    env: {
      label: t("Variables and Ports"),
      help: t("Set in the instance. Ports are mapped from the host to the container."),
    },
  };
}

function startWords() {
  return {
    onstart_order: { label: t("Your Script Runs"), help: t("What happens to the template's start script.") },
    onstart: { label: t("Start Script"), help: t("Shell commands that run each time the instance starts.") },
    args_str: {
      label: t("Arguments"),
      help: t("Replace the image's CMD, or are passed to its ENTRYPOINT. Shell quoting applies."),
    },
    target_state: { label: t("When to Start"), help: t("A stopped instance costs its disk only.") },
    cancel_unavail: {
      label: t("Only If It Can Start Immediately"),
      help: t("Otherwise, the instance may wait for its machine while its disk is billed."),
    },
    price: {
      label: t("Bid"),
      help: t("Dollars per hour for the whole machine, excluding the disk. Required."),
      isRequired: true,
    },
    label: { label: t("Label"), help: t("What the instance is called. Optional.") },
  };
}

function diskWords() {
  return {
    disk: {
      label: t("Disk (GB)"),
      help: t("Can't be changed later, and is billed even while the instance is stopped."),
    },
    volume: { label: t("Volume"), help: t("A volume keeps its data when the instance is destroyed.") },
    volume_id: { label: t("Volume ID"), help: t("The number of the volume, or of the offer to create one from.") },
    volume_size: { label: t("Volume Size (GB)"), help: t("Billed until you delete the volume.") },
    mount_path: { label: t("Mount Path"), help: t("Where the volume appears in the instance, such as /data.") },
  };
}
