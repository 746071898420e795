// The questions before a notebook server is installed, and before an address is opened.
import type { InstanceId } from "../../domain/base/id.ts";
import { t, toPlainText } from "../../lib/text.ts";
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

/** In place of an address that would share the editor's own or its cookies. `host` is the editor's; `isHere` says whether the browser may be on its computer. */
export function buildSharedAddressQuestion(
  id: InstanceId,
  { host, isHere }: { readonly host: string; readonly isHere: boolean },
): Question {
  const why = t(
    "This editor shares its address, {0}, or its cookies with forwarded ports. A page of the machine could read your files, terminals, and keys with them.",
    toPlainText(host, 100),
  );
  const instead = isHere
    ? t("If your browser runs on the same computer as the editor, open the port's own address instead.")
    : t("The copied address works in a browser on the computer that the editor runs on.");
  return {
    message: t("The port of instance {0} wasn't opened.", id),
    detail: `${why}\n\n${instead}`,
    go: isHere ? t("Open on This Computer") : t("Copy Address"),
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
