// Commands on templates: find the right template and open its form.
import * as vscode from "vscode";
import { AppError } from "../../domain/base/error.ts";
import { TemplateHash } from "../../domain/base/id.ts";
import type { Row } from "../../domain/base/wire.ts";
import { readScript } from "../../domain/template/packed-script.ts";
import type { Template } from "../../domain/template/template.ts";
import { commands, views } from "../../ids.ts";
import { plain, t } from "../../lib/text.ts";
import { templateName } from "../../present/template/templates.ts";
import { storedOf } from "../../services/template/template-saves.ts";
import { confirm } from "../kit/confirm.ts";
import { tellInfo, withViewProgress } from "../kit/messages.ts";
import { openDocument } from "../kit/open-documents.ts";
import { runCommand, showView } from "../kit/run-command.ts";
import { BACK, pick } from "../kit/steps.ts";
import { askTemplateSearch } from "./choose-search.ts";
import { templateChoices } from "./choose-template.ts";
import { readAddress } from "./files/template-address.ts";
import { saveToFile as saveTemplateToFile } from "./template-file-commands.ts";
import type { TemplateServices } from "./template-services.ts";

/**
 * The template that a command was given: from a row, or named by its hash. If no list contains it, the service is
 * asked.
 * @throws AppError `gone` if it doesn't exist: another template isn't what was asked for.
 */
export async function templateOf(
  { templates, saves }: Pick<TemplateServices, "templates" | "saves">,
  given: unknown,
): Promise<Row<Template> | undefined> {
  const row =
    typeof given === "object" && given !== null && "of" in given ? (given.of as Row<Template> | undefined) : undefined;
  const hash = TemplateHash.safeParse(row?.value?.hash_id ?? given);
  if (!hash.success) return undefined;
  const found = templates.find(hash.data) ?? (await saves.find({ id: undefined, hash: hash.data }));
  if (!found) throw new AppError("gone", t("This template is not there any more."));
  return found;
}

/** The template for a command: the given one, otherwise one that the person picks. */
async function target(services: TemplateServices, given: unknown, title: string): Promise<Row<Template> | undefined> {
  services.session.signedIn();
  const named = await templateOf(services, given);
  if (named) return named;
  const picked = await pick<Template>({
    title,
    placeholder: t("Which template?"),
    choices: () => templateChoices(services.templates, (one) => one),
  });
  return picked === undefined || picked === BACK ? undefined : services.templates.find(picked.hash_id);
}

export async function copyHash(services: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  const row = await target(services, given, t("Copy Template Hash"));
  if (row) await vscode.env.clipboard.writeText(row.value.hash_id);
}

export async function create({ panels, session }: TemplateServices): Promise<void> {
  session.signedIn();
  await panels.openNew();
}

/** Templates of others can't be edited, but they can be copied. */
export async function edit(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  const row = await target(around, given, t("Edit Template"));
  if (!row) return;
  if (around.templates.isOwn(row.value.hash_id)) return await around.panels.openEdit(row);
  const name = templateName(row.value);
  const copy = t("Duplicate It");
  const said = t("Only its creator can edit “{0}”. A private copy is yours to change.", name);
  if ((await tellInfo(said, copy)) === copy) await runCommand(commands.templateDuplicate, row.value.hash_id);
}

export async function duplicate(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  const row = await target(around, given, t("Duplicate Template"));
  if (row) around.panels.openCopy(row);
}

/** Opens a separate tab. Templates of others can only be read there, not saved. */
export async function editOnstart(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  const row = await target(around, given, t("Edit Start Script"));
  if (row) await around.files.show(storedOf(row), "onstart");
}

export async function editReadme(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  const row = await target(around, given, t("Edit Readme"));
  if (row) await around.files.show(storedOf(row), "readme");
}

export async function saveToFile(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  await saveTemplateToFile(around, await target(around, given, t("Save Template to File")));
}

/** From now on, stores the script in a tab packed, and saves it. */
export async function compressOnstart({ files }: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  const uri = given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri;
  const document = openDocument(uri);
  if (!document || readAddress(document.uri)?.field !== "onstart")
    throw new AppError("rejected", t("Open a template's start script first."));
  const { stored, problem } = await readScript(document.getText(), true);
  if (stored === undefined) throw new AppError("rejected", problem?.message ?? "");
  await files.allowPacking(document.uri);
  await document.save();
}

/** Names the template as the service has it now, and deletes exactly that one. */
export async function remove(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  const { saves, templates, session } = around;
  const account = session.signedIn();
  const row = await target(around, given, t("Delete Template"));
  if (!row) return;
  if (!templates.isOwn(row.value.hash_id))
    throw new AppError("not-allowed", t("Only its creator can delete “{0}”.", templateName(row.value)));
  const stored = await saves.read(storedOf(row));
  if (!stored) return void tellInfo(t("It is not there any more."));
  const name = plain(stored.draft.name, 60) || t("Unnamed template");
  const yes = await confirm({
    message: t("Delete the template “{0}”, number {1}?", name, stored.id ?? "?"),
    detail: t("This can't be undone. Instances that run from it keep running and being billed."),
    go: t("Delete"),
    keep: t("Keep It"),
  });
  if (!yes) return;
  await saves.remove(account, stored);
}

export async function search({ templates, session }: TemplateServices): Promise<void> {
  session.signedIn();
  const filters = await askTemplateSearch(templates.filters ?? {});
  if (!filters) return;
  const found = await withViewProgress(views.templates, () => templates.search(filters));
  if (found === undefined) return;
  if (found === 0) void tellInfo(t("No template meets these filters."));
  await showView(views.templates, false);
}
