// Draws one open form in its page: answers what the page asks, tells it what changed, and names its tab.
import * as vscode from "vscode";
import type { TemplateHash } from "../../../domain/base/id.ts";
import { commands } from "../../../ids.ts";
import { Bag, type Disposable } from "../../../lib/disposable.ts";
import type { Log } from "../../../lib/log.ts";
import { describeSupply } from "../../../present/template/supply.ts";
import { describeEditNotice, formatFormTitle } from "../../../present/template/template-messages.ts";
import { type PageAction, type PageState, templatePage } from "../../../protocol/template-page.ts";
import type { SessionService } from "../../../services/core/session.ts";
import type { OffersService } from "../../../services/offer/offers.ts";
import { countSupply } from "../../../services/template/count-supply.ts";
import { requireStored } from "../../../services/template/stored-for.ts";
import type { EditChange, TemplateEdit } from "../../../services/template/template-edit.ts";
import type { MergingPerson } from "../../../services/template/template-person.ts";
import { findRefusedField } from "../../../services/template/template-saves.ts";
import { answerPage } from "../../kit/page-line.ts";
import { runCommand, runEditorCommand } from "../../kit/run-command.ts";
import { chooseFormTag } from "../choose-tag.ts";
import { toTextAddress } from "../files/template-address.ts";

interface Services {
  readonly session: SessionService;
  readonly offers: OffersService;
  readonly log: Log;
}

/** Draws the edit in the panel until one of them ends. */
export function drawEdit(
  panel: vscode.WebviewPanel,
  edit: TemplateEdit,
  person: MergingPerson,
  services: Services,
): Disposable {
  const bag = new Bag();
  const { webview } = panel;
  const nameTab = () => {
    panel.title = formatFormTitle(edit.title, edit.isUnsaved);
  };
  const answers = answersOf(edit, person, services);
  bag.add(answerPage({ webview, contract: templatePage, answers, fieldOf: findRefusedField, log: services.log }));
  bag.add(
    edit.onDidChange((change: EditChange) => {
      nameTab();
      if (change !== "title")
        void webview.postMessage({ update: { state: stateOf(edit), replace: change === "form" } });
    }),
  );
  bag.add(edit.onDidEnd(() => panel.dispose()));
  nameTab();
  return bag;
}

function answersOf(edit: TemplateEdit, person: MergingPerson, { session, offers }: Services) {
  const stateIf = (changed: boolean) => (changed ? stateOf(edit) : undefined);
  return {
    open: async () => ({ state: stateOf(edit), dictionary: vscode.l10n.bundle ?? {} }),
    change: async ({ form, secret }: { form: TemplateEdit["form"]; secret: boolean }) => {
      await edit.change(form, secret);
      return null;
    },
    save: async (form: TemplateEdit["form"]) => {
      await edit.save(form);
      return stateOf(edit);
    },
    revert: async () => stateIf(await edit.revert(person)),
    settle: async (how: "compare" | "mine" | "theirs") => stateIf(await edit.settle(person, how)),
    act: async (action: PageAction) => {
      const stored = requireStored(edit, action);
      const { hash } = stored;
      // The commands say themselves what goes wrong, and a launch takes as long as its questions.
      if (action === "launch") void runCommand(commands.launchFromTemplate, hash);
      else if (action === "saveToFile") void runCommand(commands.templateSaveToFile, hash);
      else if (action === "editOnstart") void runCommand(commands.templateEditStartScript, hash);
      else await previewReadme(toTextAddress(edit.account.tag, stored, "readme"), hash);
      return null;
    },
    tags: (asked: Parameters<typeof chooseFormTag>[2]) => chooseFormTag(session, edit.account, asked),
    supply: async (asked: Parameters<typeof countSupply>[1]) => {
      const supply = await countSupply(offers, asked);
      return { count: supply.count, text: describeSupply(supply) };
    },
  };
}

/** Without the editor's own Markdown extension, the text is shown instead. */
async function previewReadme(uri: vscode.Uri, hash: TemplateHash): Promise<void> {
  const showText = () => runCommand(commands.templateEditReadme, hash);
  await runEditorCommand("markdown.showPreview", uri).catch(showText);
}

function stateOf(edit: TemplateEdit): PageState {
  const { stored, notice, conflict } = edit;
  return {
    ...(stored ? { hash: stored.hash } : {}),
    place: {
      account: edit.account.tag,
      key: edit.key,
      root: edit.root,
      ...(stored?.id === undefined ? {} : { id: stored.id }),
    },
    base: { ...edit.base, docker_login_pass: "" },
    form: { ...edit.form, docker_login_pass: "" },
    mayHoldPassword: edit.mayHavePassword,
    ...(conflict ? { conflict } : {}),
    ...(notice === undefined ? {} : { notice: describeEditNotice(notice) }),
  };
}
