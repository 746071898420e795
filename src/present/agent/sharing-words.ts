// What is said where tools are shared with other agents.
import type { SnippetKind } from "../../domain/agent/mcp-snippet.ts";
import { t, toPlainText } from "../../lib/text.ts";
import type { Question } from "../base/question.ts";

/** `payer`: the account's name, where there are several. */
export function buildSharingQuestion(payer: string | undefined): Question {
  return {
    message: t("Share the tools of Cloud GPU with other agents?"),
    detail: [
      t(
        "Any program on this computer that has the token can then look for offers, see your instances and runs, and ask to rent, run, or end something.",
      ),
      t(
        "Whatever rents, runs, or ends something still asks you first, in this window. Within your budget for agents, they rent without that, and destroy what they rented.",
      ),
      ...(payer === undefined ? [] : [t("Account: {0}", toPlainText(payer, 100))]),
      t(
        "It ends when you choose Stop Sharing Tools, switch accounts, or close this window. You copy the token in the next step.",
      ),
    ].join("\n"),
    go: t("Share"),
  };
}

interface SnippetRow {
  readonly label: string;
  readonly detail: string;
}

export function buildSnippetRow(kind: SnippetKind): SnippetRow {
  switch (kind) {
    case "claude":
      return { label: t("Copy for Claude Code"), detail: t("A command for a terminal of this computer") };
    case "json":
      return {
        label: t("Copy for Cursor, Cline, and Others"),
        detail: t("JSON with mcpServers, for their list of MCP servers"),
      };
    case "windsurf":
      return { label: t("Copy for Windsurf"), detail: t("JSON with mcpServers, for mcp_config.json") };
    case "codex":
      return { label: t("Copy for Codex"), detail: t("A section for config.toml") };
  }
}
