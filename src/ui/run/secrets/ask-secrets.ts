// The secrets of a run: asked for where one is missing, before anything is rented or uploaded, and chosen on the summary.
import { readFile, stat } from "node:fs/promises";
import * as vscode from "vscode";
import { MOST_SECRETS, SecretName, SecretNames } from "../../../domain/base/command.ts";
import { AppError, asAppError } from "../../../domain/base/error.ts";
import type { RunDraft } from "../../../domain/run/run-plan.ts";
import { MOST_SECRET_BYTES, parseSecretValue, type RunSecretNames } from "../../../domain/run/run-secrets.ts";
import { LEAST_MASKED } from "../../../lib/secret-masker.ts";
import { t, toPlainText } from "../../../lib/text.ts";
import { formatSecretProject } from "../../../present/run/run-secret-text.ts";
import type { KeptSecret, RunSecrets } from "../../../services/run/run-secrets.ts";
import { pickMany } from "../../kit/ask/pick.ts";
import { type Answer, askText, BACK } from "../../kit/ask/steps.ts";
import { tellInfo, tellWarning } from "../../kit/messages.ts";
import type { RunServices } from "../run-services.ts";

type Services = Pick<RunServices, "runSecrets" | "log">;

/** All that are kept for a folder: what the person runs by hand gets them, and is asked about with their names. */
export async function findProjectSecrets(
  { runSecrets, log }: Services,
  project: string,
): Promise<Pick<RunDraft, "secrets">> {
  const names = await runSecrets.listNames(project).catch((error) => {
    log.warn("The secrets of runs cannot be read.", error);
    return [];
  });
  const known = SecretNames.safeParse(names.slice(0, MOST_SECRETS));
  return known.success && names.length > 0 ? { secrets: { project, names: known.data } } : {};
}

/** Asks for each that isn't kept. @returns whether all of them are now; false if the person doesn't want to run anything. */
export async function askMissingSecrets(
  { runSecrets }: Services,
  secrets: RunSecretNames | undefined,
): Promise<boolean> {
  if (!secrets) return true;
  const found = await runSecrets.find(secrets);
  for (const name of secrets.names.filter((one) => !found.has(one)))
    if (!(await askSecretValue(runSecrets, { project: secrets.project, name }))) return false;
  return true;
}

/** Asks for a value, and keeps it. @returns false if the person leaves it. */
export async function askSecretValue(runSecrets: RunSecrets, secret: KeptSecret): Promise<boolean> {
  for (;;) {
    const value = await askText<string>({
      title: t("Secret {0} of “{1}”", secret.name, formatSecretProject(secret.project)),
      password: true,
      prompt: t("Enter the value that runs of this project get. It's kept in this computer's secret storage."),
      placeholder: t("To use several lines, read them from a file with the button above."),
      instead: { icon: "go-to-file", tooltip: t("Read from File…"), run: () => readValueFile().catch(tellUnreadable) },
      read: parseSecretValue,
    });
    if (value === undefined) return false;
    // No file was chosen after all.
    if (value === BACK) continue;
    await runSecrets.keep(secret, value);
    if (value.length < LEAST_MASKED)
      void tellInfo(
        t("{0} is shorter than {1} characters, so it isn't masked in the output of runs.", secret.name, LEAST_MASKED),
      );
    return true;
  }
}

function tellUnreadable(error: unknown): typeof BACK {
  void tellWarning(asAppError(error).message);
  return BACK;
}

async function readValueFile(): Promise<Answer<string>> {
  const [file] =
    (await vscode.window.showOpenDialog({ openLabel: t("Read"), canSelectMany: false, title: t("Read from File…") })) ??
    [];
  if (!file) return BACK;
  const shown = toPlainText(file.fsPath, 200);
  const { size } = await stat(file.fsPath);
  if (size > MOST_SECRET_BYTES)
    throw new AppError("rejected", t("{0} is larger than {1} KB.", shown, MOST_SECRET_BYTES / 1024));
  try {
    return parseSecretValue(new TextDecoder("utf-8", { fatal: true }).decode(await readFile(file.fsPath)));
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("rejected", t("{0} isn't a text file.", shown), { cause: error });
  }
}

/** Asks for a name that the project has no value for yet, then for its value. @returns the name; undefined if the person leaves it. */
export async function addSecret(runSecrets: RunSecrets, title: string, project: string): Promise<string | undefined> {
  const kept = await runSecrets.listNames(project);
  const name = await askText<string>({
    title,
    prompt: t("Name of the environment variable that a run gets it as"),
    placeholder: "HF_TOKEN",
    read: (text) => readNewName(text.trim(), kept),
  });
  if (name === undefined || name === BACK) return undefined;
  return (await askSecretValue(runSecrets, { project, name })) ? name : undefined;
}

function readNewName(text: string, kept: readonly string[]): string {
  const read = SecretName.safeParse(text);
  if (!read.success) throw new AppError("rejected", read.error.issues[0]?.message ?? "");
  if (kept.includes(text)) throw new AppError("rejected", t("{0} is kept already. Replace its value instead.", text));
  return read.data;
}

const ADD = Symbol("add");

/** Which of a project's secrets a run gets. @returns undefined if the person leaves them as they are. */
export async function askSecrets(
  { runSecrets }: Services,
  title: string,
  { project, names }: { readonly project: string; readonly names: readonly string[] },
): Promise<readonly string[] | undefined> {
  const all = [...new Set([...names, ...(await runSecrets.listNames(project))])];
  const chosen =
    all.length === 0
      ? [ADD]
      : await pickMany<string | typeof ADD>({
          title,
          placeholder: t("Which secrets does the command get?"),
          choices: [
            ...all.map((name) => ({ label: name, value: name, picked: names.includes(name) })),
            { label: t("Add a secret…"), value: ADD },
          ],
        });
  if (chosen === undefined || chosen === BACK) return undefined;
  const taken = chosen.filter((one) => typeof one === "string");
  const added = chosen.includes(ADD) ? await addSecret(runSecrets, title, project) : undefined;
  if (added === undefined && taken.length === 0 && chosen.length > 0) return undefined;
  const read = SecretNames.safeParse(added === undefined ? taken : [...taken, added]);
  if (!read.success) throw new AppError("rejected", read.error.issues[0]?.message ?? "");
  return read.data;
}
