// Sharing the tools with agents outside of the editor: asked once, seen in the status bar for as long as it lasts.
import * as vscode from "vscode";
import { buildSnippet, SNIPPET_KINDS, type SnippetKind } from "../../domain/agent/mcp-snippet.ts";
import { AppError } from "../../domain/base/error.ts";
import { commands, contexts, EXTENSION } from "../../ids.ts";
import type { Bag } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";
import { t } from "../../lib/text.ts";
import { buildSharingQuestion, buildSnippetRow } from "../../present/agent/sharing-words.ts";
import type { AnswerTool } from "../../services/agent/mcp/mcp-exchange.ts";
import { ToolSharing } from "../../services/agent/tool-sharing.ts";
import type { SessionService } from "../../services/core/session.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { type Choice, createSeparator, pickOne } from "../kit/ask/pick.ts";
import { BACK } from "../kit/ask/steps.ts";
import { flashStatus, setStatusItem } from "../kit/messages.ts";
import { setContext } from "../kit/run-command.ts";
import type { SecretClipboard } from "../kit/secret-clipboard.ts";
import { findCursorMcp, tellCursor } from "./cursor-mcp.ts";

interface SharingServices {
  readonly session: SessionService;
  readonly secretClipboard: SecretClipboard;
  readonly log: Log;
}

/** Shows that the tools are shared, and tells an editor that lists none of extensions. */
export function createToolSharing({ session, log }: SharingServices, bag: Bag): ToolSharing {
  const { version } = vscode.extensions.getExtension(EXTENSION)?.packageJSON ?? {};
  const sharing = new ToolSharing({ session, version: String(version), log });
  const item = bag.add(vscode.window.createStatusBarItem("cloudGpu.sharing", vscode.StatusBarAlignment.Left, 8));
  item.name = t("Cloud GPU: shared tools");
  item.command = commands.agentShare;
  const tooltip = t(
    "Other agents on this computer can use the tools of Cloud GPU. Click to copy what they need, or to stop.",
  );
  setStatusItem(item, { icon: "broadcast", text: t("Tools shared"), tooltip });
  item.accessibilityInformation = { label: tooltip, role: "button" };
  const cursor = findCursorMcp(vscode);
  const draw = () => {
    const { endpoint } = sharing;
    setContext(contexts.sharing, endpoint !== undefined);
    if (endpoint) item.show();
    else item.hide();
    try {
      if (cursor) tellCursor(cursor, endpoint);
    } catch (error) {
      log.warn("Cursor couldn't be told where the tools are.", error);
    }
  };
  bag.add(sharing.onDidChange(draw));
  // It ends first, and what shows it hears of that.
  return bag.add(sharing);
}

/** Asks first, unless they are shared already; then offers what an agent needs to reach them. */
export async function shareTools(
  { session, secretClipboard }: SharingServices,
  sharing: ToolSharing,
  answerTool: AnswerTool,
): Promise<void> {
  const account = session.requireSignedIn();
  if (!vscode.workspace.isTrusted)
    throw new AppError("rejected", t("In a workspace that isn't trusted, tools can't be shared with other agents."));
  if (!sharing.endpoint) {
    if (!(await confirm(buildSharingQuestion(session.profiles.findPayer(account))))) return;
    session.assertStill(account);
    await sharing.start(account, answerTool);
  }
  const chosen = await pickOne<SnippetKind | "stop">({
    title: t("Tools for Other Agents"),
    placeholder: t("What your agent needs, with the address and the token"),
    choices: listChoices(),
  });
  if (chosen === undefined || chosen === BACK) return;
  if (chosen === "stop") return sharing.stop();
  const { endpoint } = sharing;
  // It may have ended while the list was open.
  if (!endpoint) throw new AppError("gone", t("The tools are no longer shared."));
  await secretClipboard.copy(buildSnippet(chosen, endpoint));
  flashStatus(t("Copied. It will be cleared from the clipboard in one minute."), 4000);
}

const listChoices = (): readonly Choice<SnippetKind | "stop">[] => [
  ...SNIPPET_KINDS.map((value) => ({ value, ...buildSnippetRow(value) })),
  createSeparator(""),
  { value: "stop", label: t("Stop Sharing Tools") },
];
