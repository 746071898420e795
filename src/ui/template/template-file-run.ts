// What a template file says to run. The file may be anyone's: it only proposes.

import { AppError } from "../../domain/base/error.ts";
import type { Template } from "../../domain/template/template.ts";
import { readSendable } from "../../domain/template/template-file.ts";
import type { TemplateLaunch, TemplateRun } from "../../domain/template/template-proposals.ts";
import { t } from "../../lib/text.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { findGivenTemplate } from "./template-commands.ts";
import { openTemplateFile } from "./template-file-commands.ts";
import type { TemplateServices } from "./template-services.ts";

export interface ProposedRun {
  readonly run: TemplateRun;
  /** What the file changes of its template for an instance that is rented. */
  readonly launch: TemplateLaunch | undefined;
  /** The template as the service has it; undefined if it isn't what the file says and the person doesn't want to push it. */
  readonly findTemplate: () => Promise<Template | undefined>;
}

/** @throws AppError if the file has a mistake, or nothing to run. */
export async function readProposedRun(
  around: TemplateServices,
  account: SignedIn,
  given: unknown,
): Promise<ProposedRun> {
  const file = await openTemplateFile(around, given);
  const { run, launch } = readSendable(file.readText());
  if (!run)
    throw new AppError(
      "rejected",
      t("This template file doesn't say what to run. Add {0} to it.", '"run": { "command": "python3 train.py" }'),
    );
  return {
    run,
    launch,
    findTemplate: async () => {
      const hash = await around.fileActions.findLaunchable(around.person, file);
      return hash === undefined ? undefined : (await findGivenTemplate(around, account, hash))?.value;
    },
  };
}
