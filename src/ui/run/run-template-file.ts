// Running what a template file proposes, on an instance of its template. Nothing is rented or run without the person's confirmation.
import { readdir } from "node:fs/promises";
import { basename } from "node:path";
import type * as vscode from "vscode";
import { withVariables } from "../../domain/base/command.ts";
import { AppError } from "../../domain/base/error.ts";
import { readLaunchAccess } from "../../domain/launch/launch-plan.ts";
import { findSetup } from "../../domain/run/environment.ts";
import { pickLimits } from "../../domain/run/run-limits.ts";
import { t, toLabel } from "../../lib/text.ts";
import { formatTerminalTitle } from "../../present/run/run-text.ts";
import { formatTemplateName } from "../../present/template/templates.ts";
import { prepareRun } from "../../services/run/prepare-run.ts";
import { isTemplateFile } from "../template/files/workspace-files.ts";
import { chooseMachine, rentAndRun, runFile } from "./run-commands.ts";
import { assertTrusted, findRunFile, findRunUri } from "./run-folder.ts";
import { createPrepareRunPerson } from "./run-person.ts";
import type { RunServices } from "./run-services.ts";
import type { RunTerminals } from "./run-terminals.ts";
import { askMissingSecrets } from "./secrets/ask-secrets.ts";

/** A file of any kind that can be run, from the Explorer, from the editor's title, or the one in front. */
export async function runGivenFile(
  services: RunServices,
  terminals: RunTerminals,
  args: readonly unknown[],
): Promise<void> {
  const uri = findRunUri(args[0]);
  await (uri && isTemplateFile(uri) ? runTemplateFile(services, terminals, uri) : runFile(services, terminals, args));
}

async function runTemplateFile(services: RunServices, terminals: RunTerminals, given: vscode.Uri): Promise<void> {
  const { session } = services;
  const account = session.requireSignedIn();
  assertTrusted();
  const { folder, path } = await findRunFile(given);
  const { run, launch, findTemplate } = await services.readProposedRun(account, given);
  session.assertStill(account);
  const template = await findTemplate();
  session.assertStill(account);
  if (!template) return;
  if (!readLaunchAccess({ template, runtype: launch?.runtype }).hasSsh)
    throw new AppError(
      "rejected",
      t("“{0}” doesn't start SSH, so nothing can be run on it. Choose another template.", formatTemplateName(template)),
    );
  const name = basename(path);
  const title = t("Run {0} on a GPU", toLabel(name, 60));
  const machine = await chooseMachine<never>(
    services,
    account,
    title,
    (one) => one.template_hash_id === template.hash_id,
  );
  if (machine === undefined) return;
  const twice = run.secrets?.find((one) => Object.hasOwn(run.env ?? {}, one));
  if (twice !== undefined) throw new AppError("rejected", t("“{0}” is in “env” as well. Remove it there.", twice));
  const { command, results = [], dataFolders: data = [], resultsEveryMinutes, whenDone } = run;
  const suggested = run.setup ?? findSetup(await readdir(folder).catch(() => []));
  const setup = withVariables(suggested, run.env);
  session.assertStill(account);
  const secrets = run.secrets?.length ? { secrets: { project: folder, names: run.secrets } } : {};
  const every = resultsEveryMinutes === undefined ? {} : { resultsEveryMinutes };
  const draft = { name, command, setup, folder, results, data, ...every, ...pickLimits(run), ...secrets };
  if (machine === "new")
    return await rentAndRun(services, terminals, account, draft, { given: template, launch, whenDone });
  if (!(await askMissingSecrets(services, draft.secrets))) return;
  session.assertStill(account);
  // The command may be anyone's, so it's shown even where the same folder was uploaded before.
  const prepared = await prepareRun(services, createPrepareRunPerson(services), account, {
    instance: machine,
    draft,
    asksAlways: true,
  });
  if (prepared) terminals.start(account, formatTerminalTitle(name, machine.id), async () => prepared);
}
