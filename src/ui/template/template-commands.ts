// Commands on templates: find the right template and open its form.

import * as vscode from "vscode";
import { AppError } from "../../domain/base/error.ts";
import { TemplateHash } from "../../domain/base/id.ts";
import type { Row } from "../../domain/base/wire.ts";
import type { Template } from "../../domain/template/template.ts";
import { commands, views } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { deleteTemplate } from "../../services/template/delete-template.ts";
import { toStored } from "../../services/template/template-saves.ts";
import { pickOne } from "../kit/ask/pick.ts";
import { BACK } from "../kit/ask/steps.ts";
import { tellInfo, withViewProgress } from "../kit/messages.ts";
import { openDocument } from "../kit/open-documents.ts";
import { runCommand, showView } from "../kit/run-command.ts";
import { BY_KEY, filterOwnRows, isRowOf, readNodeValue } from "../list/targets.ts";
import { askTemplateSearch } from "./choose-search.ts";
import { listTemplateChoices } from "./choose-template.ts";
import { readAddress } from "./files/template-address.ts";
import { findTemplate } from "./find-template.ts";
import { saveTemplateToFile } from "./template-file-commands.ts";
import type { TemplateServices } from "./template-services.ts";

/**
 * The template that a command was given: from a row, or named by its hash. If no list contains it, the service is
 * asked.
 * @throws AppError `gone` if it doesn't exist: another template isn't what was asked for.
 */
export async function findGivenTemplate(
  { templates, saves }: Pick<TemplateServices, "templates" | "saves">,
  account: SignedIn,
  given: unknown,
): Promise<Row<Template> | undefined> {
  const hash = TemplateHash.safeParse(readNodeValue<Row<Template>>(given)?.value?.hash_id ?? given);
  if (!hash.success) return undefined;
  const found = templates.find(hash.data) ?? (await saves.find(account, { id: undefined, hash: hash.data }));
  if (!found) throw new AppError("gone", t("This template no longer exists."));
  return found;
}

/** The template for a command: the given or selected one, otherwise one that the person picks. */
export async function findTemplateTarget(
  services: Pick<TemplateServices, "session" | "selections" | "templates" | "saves">,
  given: unknown,
  title: string,
): Promise<Row<Template> | undefined> {
  const account = services.session.requireSignedIn();
  const isByKey = given === BY_KEY;
  const [selected, ...others] = filterOwnRows(account, services.selections.listFor(views.templates));
  const isClear = others.length === 0 && (given === undefined || isByKey);
  const named = await findGivenTemplate(services, account, isClear ? selected : given);
  if (named) return named;
  if (isByKey)
    throw new AppError("rejected", t("This keyboard shortcut works only on one loaded template. Nothing was changed."));
  const picked = await pickOne<Template>({
    title,
    placeholder: t("Which template?"),
    choices: (_, partly) => listTemplateChoices(services.templates, (one) => one, partly),
  });
  return picked === undefined || picked === BACK ? undefined : services.templates.find(picked.hash_id);
}

export async function copyHash(services: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  const row = await findTemplateTarget(services, given, t("Copy Template Hash"));
  if (row) await vscode.env.clipboard.writeText(row.value.hash_id);
}

export async function createTemplate({ edits, person }: TemplateServices): Promise<void> {
  await edits.openNew(person);
}

/** Templates of others can't be edited, but they can be copied. */
export async function editTemplate(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  const row = await findTemplateTarget(around, given, t("Edit Template"));
  if (row) await around.edits.openEditOrCopy(around.person, row);
}

export async function duplicateTemplate(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  const row = await findTemplateTarget(around, given, t("Duplicate Template"));
  if (row) around.edits.openCopy(around.person, row);
}

/** Opens a separate tab. Templates of others can only be read there, not saved. */
export async function editOnstart(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  const row = await findTemplateTarget(around, given, t("Edit Start Script"));
  if (row) await around.files.show(toStored(row), "onstart");
}

export async function editReadme(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  const row = await findTemplateTarget(around, given, t("Edit Readme"));
  if (row) await around.files.show(toStored(row), "readme");
}

export async function saveToFile(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  const account = around.session.requireSignedIn();
  await saveTemplateToFile(around, account, await findTemplateTarget(around, given, t("Save Template to File")));
}

/** From now on, stores the script in a tab packed, and saves it. */
export async function compressOnstart({ files }: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  const uri = given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri;
  const document = openDocument(uri);
  if (!document || readAddress(document.uri)?.field !== "onstart")
    throw new AppError("rejected", t("Open a template's start script first."));
  await files.allowPacking(document, document.getText());
  await document.save();
}

export async function removeTemplate(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  const account = around.session.requireSignedIn();
  const row = await findTemplateTarget(around, given, t("Delete Template"));
  if (row) await deleteTemplate(around, around.person, account, row);
}

/** By words; from the row of a search, its filters. */
export async function searchTemplates(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  const account = around.session.requireSignedIn();
  const found = isRowOf("search", given) ? "filters" : await findTemplate(around.templates);
  if (found === undefined) return;
  if (found === "filters") return await searchWithFilters(around);
  around.session.assertStill(account);
  if (found.act === "launch") await runCommand(commands.launchFromTemplate, found.row.value.hash_id);
  else await around.edits.openEditOrCopy(around.person, found.row);
}

async function searchWithFilters({ templates }: TemplateServices): Promise<void> {
  const filters = await askTemplateSearch(templates.filters ?? {});
  if (!filters) return;
  const found = await withViewProgress(views.templates, () => templates.search(filters));
  if (found === undefined) return;
  if (found === 0) void tellInfo(t("No templates match these filters."));
  await showView(views.templates, false);
}
