// Connects the editing of templates to the person at this window: modals, notifications and the merge view.
import type { TemplateAction, TemplateMessage } from "../../domain/template/template-messages.ts";
import { commands } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import {
  buildTemplateQuestion,
  describeTemplateMessage,
  formatTemplateAction,
} from "../../present/template/template-messages.ts";
import type { MergingPerson } from "../../services/template/template-person.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { tellError, tellInfo, tellWarning } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";
import type { MergeView } from "./form/merge-view.ts";

export function createTemplatePerson(merges: MergeView): MergingPerson {
  return {
    confirm: (question) => confirm(buildTemplateQuestion(question)),
    tell: tellMessage,
    merge: (merge) => merges.show(merge),
  };
}

async function tellMessage(
  message: TemplateMessage,
  actions: readonly TemplateAction[],
): Promise<TemplateAction | undefined> {
  const { severity, text } = describeTemplateMessage(message);
  const tell = { info: tellInfo, warning: tellWarning, error: tellError }[severity];
  const buttons = actions.map(formatTemplateAction);
  // It asks for something later on, so it stays until the person has acknowledged it.
  const chosen = await tell(text, ...(message.kind === "lock-outdated" ? [t("OK")] : buttons));
  const action = chosen === undefined ? undefined : actions[buttons.indexOf(chosen)];
  if (action === "switch-account") await runCommand(commands.switchAccount);
  return action;
}
