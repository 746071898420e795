// Commands on workergroups: read them, open their template, and copy the key of their endpoint for a minute.
import { AppError } from "../../domain/base/error.ts";
import { views } from "../../ids.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { formatRecord } from "../../present/base/record.ts";
import { buildWorkergroupPage } from "../../present/serverless/workergroup-page.ts";
import { formatEndpointName, formatWorkergroupName, runsOlderTemplate } from "../../present/serverless/workergroups.ts";
import { formatTemplateName } from "../../present/template/templates.ts";
import { LastSeen } from "../../services/core/last-seen.ts";
import { getLast } from "../../services/core/loaded.ts";
import type { SessionService } from "../../services/core/session.ts";
import type { WorkergroupRow, WorkergroupsService } from "../../services/serverless/workergroups.ts";
import type { TemplateEdits } from "../../services/template/template-edits.ts";
import type { TemplatesService } from "../../services/template/templates.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { flashStatus, tellInfo } from "../kit/messages.ts";
import type { Kit } from "../kit/module.ts";
import { runOnRow } from "../kit/run-command.ts";
import { filterOwnRows, findTarget } from "../list/targets.ts";
import type { TemplatePanels } from "../template/form/template-panels.ts";

export interface WorkergroupServices extends Kit {
  readonly session: SessionService;
  readonly workergroups: WorkergroupsService;
  readonly templates: TemplatesService;
  readonly edits: TemplateEdits;
  readonly panels: TemplatePanels;
}

async function chosen(
  { workergroups, session, selections }: WorkergroupServices,
  title: string,
  given: unknown,
): Promise<WorkergroupRow | undefined> {
  const account = session.requireSignedIn();
  return findTarget<WorkergroupRow>(
    {
      title,
      placeholder: t("Which workergroup?"),
      collection: workergroups.collection,
      rows: () => workergroups.rows,
      selected: filterOwnRows(account, selections.listFor(views.workergroups)),
      choice: (row) => ({
        label: formatWorkergroupName(row.value),
        description: [
          formatEndpointName(row.value),
          typeof row.template === "object" && formatTemplateName(row.template),
        ]
          .filter(Boolean)
          .join(" · "),
        value: row,
      }),
      none: t("This account has no workergroups."),
    },
    given,
  );
}

export async function showWorkergroup(services: WorkergroupServices, [given]: readonly unknown[]): Promise<void> {
  const { session, workergroups, records } = services;
  const account = session.requireSignedIn();
  const row = await chosen(services, t("Show Workergroup"), given);
  if (!row) return;
  session.assertStill(account);
  const { id } = row.value;
  const { store } = workergroups.collection;
  records.show(`workergroup ${id}`, () => {
    const seen = new LastSeen(row);
    return {
      draw: () => {
        const { row: last, ...when } = seen.look(getLast(store.current), ({ value }) => value.id === id);
        return buildWorkergroupPage({ ...last, ...when });
      },
      run: (command) => runOnRow(command, { of: { value: { id } }, account }),
      onDidChange: store.onDidChange,
    };
  });
}

/**
 * Opens the current template: the account's own in its form, another's as a page. Says if the group runs an older
 * version.
 */
export async function openTemplate(services: WorkergroupServices, [given]: readonly unknown[]): Promise<void> {
  const row = await chosen(services, t("Open Template"), given);
  if (!row) return;
  const { template, value } = row;
  const name = formatWorkergroupName(value);
  if (template === "gone")
    throw new AppError("not-found", t("The template of {0} no longer exists on the service.", name));
  if (template === "unknown") throw new AppError("not-found", t("Couldn't read the template of {0}.", name));
  const version = runsOlderTemplate(row)
    ? t("{0} runs an outdated version of this template (hash {1}).", name, toPlainText(value.template_hash ?? "", 64))
    : t("{0} runs this version.", name);
  const own = services.templates.isOwn(template.hash_id) ? services.templates.find(template.hash_id) : undefined;
  if (own) {
    await services.edits.openEdit(services.panels.person, own);
    if (runsOlderTemplate(row)) void tellInfo(version);
    return;
  }
  const remarks = [formatTemplateName(template), version, t("Secrets are masked.")];
  await services.documents.show(`${t("Template {0}", template.hash_id)}.jsonc`, formatRecord(remarks, template));
}

/** The one way to get the key: a question, then the clipboard for one minute. */
export async function copyWorkergroupKey(services: WorkergroupServices, [given]: readonly unknown[]): Promise<void> {
  const account = services.session.requireSignedIn();
  const row = await chosen(services, t("Copy API Key"), given);
  if (!row) return;
  const sure = await confirm({
    message: t("Copy the API key of {0}?", formatEndpointName(row.value)),
    detail: t(
      "Anyone who has this key can use the endpoint at your expense. The key is cleared from the clipboard after one minute.",
    ),
    go: t("Copy"),
  });
  if (!sure) return;
  await services.secretClipboard.copy(await services.workergroups.getKey(account, row.value.id));
  flashStatus(
    t("Copied the API key of {0}. It will be cleared from the clipboard in one minute.", formatEndpointName(row.value)),
    4000,
  );
}
