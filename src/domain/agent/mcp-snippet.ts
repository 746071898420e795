// What another agent is given to reach the tools, each time in the notation that it reads. All of it holds the token.

/** Where the tools are shared with other agents. */
export interface ToolsEndpoint {
  readonly url: string;
  /** Whoever has it may call the tools. */
  readonly token: string;
}

export const SNIPPET_KINDS = ["claude", "json", "windsurf", "codex"] as const;
export type SnippetKind = (typeof SNIPPET_KINDS)[number];

/** By which agents list the tools. */
export const MCP_NAME = "cloud-gpu";
/** Seconds that an agent has to wait for an answer: a person has three minutes to decide. */
const WAITS_SECONDS = 240;

export function buildSnippet(kind: SnippetKind, { url, token }: ToolsEndpoint): string {
  const headers = { Authorization: `Bearer ${token}` };
  switch (kind) {
    case "claude": {
      const header = quoteForShells(`Authorization: ${headers.Authorization}`);
      return `claude mcp add --transport http ${MCP_NAME} ${quoteForShells(url)} --header ${header}`;
    }
    case "json":
      // Cline takes what names no type for the older transport. Cursor goes by the address.
      return toServers({ type: "streamableHttp", url, headers });
    case "windsurf":
      return toServers({ serverUrl: url, headers });
    case "codex":
      return [
        `[mcp_servers.${MCP_NAME}]`,
        `url = ${quoteForToml(url)}`,
        `http_headers = { Authorization = ${quoteForToml(headers.Authorization)} }`,
        `tool_timeout_sec = ${WAITS_SECONDS}`,
        "",
      ].join("\n");
  }
}

const toServers = (server: object): string => `${JSON.stringify({ mcpServers: { [MCP_NAME]: server } }, null, 2)}\n`;

/** Double quotes, which every shell of every system knows. What they don't hold in a POSIX shell has a backslash. */
const quoteForShells = (text: string): string => `"${text.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`;

/** TOML writes strings as JSON does, but wants one more character escaped, and takes no half of a pair. */
const quoteForToml = (text: string): string =>
  JSON.stringify(text.toWellFormed()).replaceAll("\x7f", String.raw`\u007f`);
