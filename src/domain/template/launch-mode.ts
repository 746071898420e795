// What the launch modes are called (interface 4.3).
import { t } from "../../lib/text.ts";

/** In words; a mode that isn't known stays as it is. */
export function formatMode(runtype: string): string {
  switch (runtype) {
    case "ssh_direct":
      return t("SSH, direct");
    case "ssh":
    case "ssh_proxy":
      return t("SSH through a proxy");
    case "jupyter_direct":
      return t("Jupyter and SSH, direct");
    case "jupyter":
    case "jupyter_proxy":
      return t("Jupyter and SSH through a proxy");
    case "args":
      return t("Image's Own Entrypoint");
    default:
      return runtype;
  }
}
