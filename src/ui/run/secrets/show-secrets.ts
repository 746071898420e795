// The secrets that runs of this person get: listed, added, replaced, and forgotten.
import * as vscode from "vscode";
import { t, toPlainText } from "../../../lib/text.ts";
import { formatSecretProject } from "../../../present/run/run-secret-text.ts";
import type { KeptSecret } from "../../../services/run/run-secrets.ts";
import { type Choice, pickOne } from "../../kit/ask/pick.ts";
import { BACK } from "../../kit/ask/steps.ts";
import { tellInfo } from "../../kit/messages.ts";
import type { RunServices } from "../run-services.ts";
import { addSecret, askSecretValue } from "./ask-secrets.ts";

/** A secret, or a project for which one is added. */
type Chosen = KeptSecret | { readonly project: string };

export async function showSecrets({ runSecrets }: Pick<RunServices, "runSecrets">): Promise<void> {
  const title = t("Manage Run Secrets");
  for (;;) {
    const kept = await runSecrets.list();
    const chosen = await pickOne<Chosen>({
      title,
      placeholder: t("Runs get these as environment variables."),
      choices: listChoices(kept),
    });
    if (chosen === undefined || chosen === BACK) return;
    if (!("name" in chosen)) await addSecret(runSecrets, title, chosen.project);
    else if ((await changeSecret({ runSecrets }, chosen)) === undefined) return;
  }
}

/** Those of the open folders come first, each with a row to add one. */
function listChoices(kept: readonly KeptSecret[]): readonly Choice<Chosen>[] {
  const open = listOpenProjects();
  const projects = [...new Set([...open, ...kept.map(({ project }) => project)])];
  const rows = projects.flatMap((project) => {
    const label = formatSecretProject(project);
    const own = kept.filter((one) => one.project === project);
    return [
      ...own.map((one) => ({
        label: `$(key) ${one.name}`,
        description: label,
        ...(open.includes(project) ? {} : { detail: toPlainText(project, 200) }),
        value: one,
      })),
      ...(open.includes(project)
        ? [{ label: `$(add) ${t("Add Secret for “{0}”…", label)}`, value: { project }, alwaysShow: true }]
        : []),
    ];
  });
  return rows.length > 0 ? rows : [{ label: t("Open a folder first: secrets belong to a project.") }];
}

const listOpenProjects = (): readonly string[] =>
  (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath);

/** @returns undefined if the person leaves the list with it. */
async function changeSecret(
  { runSecrets }: Pick<RunServices, "runSecrets">,
  secret: KeptSecret,
): Promise<true | undefined> {
  const way = await pickOne<"replace" | "forget">({
    title: secret.name,
    back: true,
    placeholder: toPlainText(secret.project, 200),
    choices: [
      { label: t("Replace Value…"), value: "replace" },
      { label: t("Forget"), detail: t("Runs that name it ask for it again."), value: "forget" },
    ],
  });
  if (way === undefined) return undefined;
  if (way === "replace") await askSecretValue(runSecrets, secret);
  if (way === "forget") {
    await runSecrets.forget(secret);
    void tellInfo(t("{0} is no longer kept on this computer.", secret.name));
  }
  return true;
}
