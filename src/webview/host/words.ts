// The texts of the form for background jobs: each field's name and purpose.
import type { JobsField } from "../../domain/host/jobs-form.ts";
import { t } from "../../lib/text.ts";
import type { Words } from "../kit/controls.ts";

/** A function because the texts need the dictionary to be loaded. */
export function getJobsWords(): Readonly<Record<JobsField, Words>> {
  return { ...required(), ...optional() };
}

function required() {
  return {
    machine: {
      label: t("Machine ID"),
      help: t("ID of a machine you own. You can find it on the service's website. Required."),
      isRequired: true,
    },
    image: {
      label: t("Image"),
      help: t("Docker image for the jobs, such as pytorch/pytorch:latest. Required."),
      isRequired: true,
    },
    price_gpu: {
      label: t("GPU Price"),
      help: t("Dollars per GPU per day, not per hour. Required."),
      isRequired: true,
    },
    price_inetu: { label: t("Upload Price"), help: t("Dollars per GB uploaded. Required."), isRequired: true },
    price_inetd: { label: t("Download Price"), help: t("Dollars per GB downloaded. Required."), isRequired: true },
  };
}

function optional() {
  return {
    args: {
      label: t("Arguments"),
      help: t("Arguments for the image. Quote those that contain spaces. Leave empty to start the image unchanged."),
    },
    args_kind: { label: t("Send Arguments As"), help: t("The service accepts either a list or one string.") },
    env: { label: t("Variables"), help: t("Set in each container. Values are sent exactly as entered.") },
    use_ssh: { label: t("SSH"), help: t("Whether the containers accept SSH connections.") },
    onstart: { label: t("Start Command"), help: t("Shell command to run when a container starts.") },
  };
}
