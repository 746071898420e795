// What an instance is rented with for a run: a template that starts SSH, or an image.

import { AppError } from "../../domain/base/error.ts";
import type { TemplateHash } from "../../domain/base/id.ts";
import { type LaunchDraft, withSshImage, withTemplate } from "../../domain/launch/launch-draft.ts";
import { startsSsh, suggestTemplate } from "../../domain/run/run-terms.ts";
import type { Template } from "../../domain/template/template.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { formatTemplateName } from "../../present/template/templates.ts";
import { getLast } from "../../services/core/loaded.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { type Answer, BACK, type StepPlace } from "../kit/ask/steps.ts";
import { tellWarning } from "../kit/messages.ts";
import { askImage, askWhat } from "../launch/plan-steps.ts";
import type { RunServices } from "./run-services.ts";

/** Nothing can be run on a machine that can't be logged in to. */
export async function askWhatToRent(
  { templates }: RunServices,
  place: StepPlace,
  draft: LaunchDraft,
): Promise<Answer<LaunchDraft>> {
  for (;;) {
    const answer = await askWhat(templates, place, draft);
    if (answer === undefined || answer === BACK) return answer;
    const { template } = answer;
    if (template && startsSsh(template)) return withTemplate(draft, template);
    if (template) {
      const name = formatTemplateName(template);
      void tellWarning(t("“{0}” doesn't start SSH, so nothing can be run on it. Choose another template.", name));
      continue;
    }
    const named = await askImage({ ...place, back: true }, answer);
    if (named === undefined) return undefined;
    if (named !== BACK) return withSshImage(draft, named.image ?? "");
  }
}

/** Those of the person and the recommended ones, never just anyone's. */
function listTrusted({ templates }: RunServices): readonly Template[] {
  const groups = getLast(templates.collection.store.current)?.value;
  return [...(groups?.own ?? []), ...(groups?.recommended ?? [])].map(({ value }) => value);
}

/** The one of the last run, or else one for PyTorch. */
export function findUsualTemplate(services: RunServices, last: Template["hash_id"] | undefined): Template | undefined {
  const before = last === undefined ? undefined : services.templates.find(last)?.value;
  return suggestTemplate(before, listTrusted(services));
}

/** The template that a workspace names. @throws AppError `rejected` for one of anyone else, or without SSH. */
export async function findNamedTemplate(
  services: RunServices,
  account: SignedIn,
  hash: TemplateHash,
): Promise<Template> {
  await services.templates.collection.getKnown();
  services.session.assertStill(account);
  const found = listTrusted(services).find(({ hash_id }) => hash_id === hash);
  if (found && startsSsh(found)) return found;
  throw new AppError(
    "rejected",
    found
      ? t("“{0}” doesn't start SSH, so nothing can be run on it. Choose another template.", formatTemplateName(found))
      : t(
          "No template of yours and no recommended one has the hash {0}. Change the task's “template”.",
          toPlainText(hash, 60),
        ),
  );
}
