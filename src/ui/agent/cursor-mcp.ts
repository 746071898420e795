// Cursor lists tools of MCP servers, not those of extensions. It lets an extension name a server, without anything being written to a file.
import { MCP_NAME, type ToolsEndpoint } from "../../domain/agent/mcp-snippet.ts";

/** The part of Cursor's own interface that is used. */
interface CursorMcp {
  registerServer(config: {
    readonly name: string;
    readonly server: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  }): void;
  unregisterServer(name: string): void;
}

/** `editor`: what an extension gets of the editor. Undefined if it isn't Cursor. */
export function findCursorMcp(editor: unknown): CursorMcp | undefined {
  const { mcp } = (editor as { readonly cursor?: { readonly mcp?: Partial<CursorMcp> } }).cursor ?? {};
  const isThere = typeof mcp?.registerServer === "function" && typeof mcp.unregisterServer === "function";
  return isThere ? (mcp as CursorMcp) : undefined;
}

/** Tells Cursor where the tools are, or that they aren't anywhere. */
export function tellCursor(cursor: CursorMcp, endpoint: ToolsEndpoint | undefined): void {
  if (endpoint) cursor.registerServer({ name: MCP_NAME, server: toCursorServer(endpoint) });
  else cursor.unregisterServer(MCP_NAME);
}

const toCursorServer = ({ url, token }: ToolsEndpoint) => ({ url, headers: { Authorization: `Bearer ${token}` } });
