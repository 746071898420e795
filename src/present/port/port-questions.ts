// The questions before a notebook server is installed, and before its address is opened.
import type { InstanceId } from "../../domain/base/id.ts";
import { t } from "../../lib/text.ts";
import type { Question } from "../base/question.ts";

/** Once on a computer, before a browser gets an address with a token in it. */
export function buildTokenInAddressQuestion(): Question {
  return {
    message: t("Open Jupyter in the browser?"),
    detail: t(
      "The address contains the server's token. Anyone who has the token and can use this computer's ports can run code on the machine, so don't share the address. This message is shown only once.",
    ),
    go: t("Open"),
  };
}

export function buildInstallJupyterQuestion(id: InstanceId): Question {
  return {
    message: t("Install Jupyter on instance {0}?", id),
    detail: t(
      "Jupyter isn't installed on this machine. Cloud GPU will install JupyterLab and a Python kernel with the machine's pip.",
    ),
    go: t("Install"),
  };
}
