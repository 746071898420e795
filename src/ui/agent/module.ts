// What others ask for from outside: links that anyone may write, tools that agents call, and the interface for other extensions.
import * as vscode from "vscode";
import { commands } from "../../ids.ts";
import type { Bag } from "../../lib/disposable.ts";
import { t } from "../../lib/text.ts";
import { AgentAsking } from "../../services/agent/agent-asking.ts";
import { AgentLaunches } from "../../services/agent/agent-launches.ts";
import { tellWarning } from "../kit/messages.ts";
import type { Kit, Module } from "../kit/module.ts";
import type { OpenLink } from "./exported-account.ts";
import { endGrant, type GrantServices, openGrant, showGrant } from "./grant-commands.ts";
import { copyLaunchLink, type LinkServices, openLink } from "./open-link.ts";
import { runTool, type ToolServices } from "./run-tool.ts";
import { createToolSharing, shareTools } from "./share-tools.ts";

interface AgentModule extends Module {
  /** Does what is asked for from outside, short of sending anything. */
  readonly openLink: OpenLink;
  /** Answers a tool. @throws AppError that tells the agent what is wrong with the call. */
  readonly invokeTool: (
    name: string,
    input: unknown,
    token: vscode.CancellationToken,
  ) => Promise<vscode.LanguageModelToolResult>;
}

type Services = LinkServices &
  GrantServices &
  Omit<ToolServices, "asking" | "agentLaunches"> &
  Pick<Kit, "secretClipboard">;

export function createAgentModule(given: Services, bag: Bag): AgentModule {
  const asking = new AgentAsking({
    clock: given.clock,
    attention: { isFocused: () => vscode.window.state.focused, onDidChange: vscode.window.onDidChangeWindowState },
    tellLate: () =>
      void tellWarning(t("The agent had stopped waiting for you, so nothing was done. Ask it to try again."), t("OK")),
  });
  const services = { ...given, asking, agentLaunches: new AgentLaunches(given, asking) };
  showGrant(services, bag);
  const sharing = createToolSharing(services, bag);
  const share = () =>
    shareTools(services, sharing, (name, input, signal) => runTool(services, name, input, signal, "shared"));
  return {
    openLink: (link, askedBy) => openLink(services, link, askedBy),
    invokeTool: async (name, input, token) => {
      const abort = new AbortController();
      if (token.isCancellationRequested) abort.abort();
      const listening = token.onCancellationRequested(() => abort.abort());
      try {
        const answer = JSON.stringify(await runTool(services, name, input, abort.signal));
        return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(answer)]);
      } finally {
        listening.dispose();
      }
    },
    commands: {
      [commands.templateCopyLink]: (args) => copyLaunchLink(services, args),
      [commands.agentLetRent]: () => openGrant(services),
      [commands.agentEndGrant]: () => endGrant(services),
      [commands.agentShare]: share,
      [commands.agentStopSharing]: () => sharing.stop(),
    },
    views: [],
  };
}
