// One message of another agent, and its answer, by the library of the protocol. Of that it uses the protocol and the transport alone: its server
// would bring a validator along that makes code of schemas, for questions that are never put to an agent here.
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { Protocol } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  type CallToolResult,
  CancelledNotificationSchema,
  InitializeRequestSchema,
  LATEST_PROTOCOL_VERSION,
  ListToolsRequestSchema,
  type RequestId,
  type ServerNotification,
  type ServerRequest,
  type ServerResult,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { MCP_NAME } from "../../../domain/agent/mcp-snippet.ts";
import { AGENT_TOOLS, type AgentTool, isActing } from "../../../domain/agent/tools.ts";
import { asAppError } from "../../../domain/base/error.ts";

/** @throws AppError that says what is wrong with the call. */
export type AnswerTool = (name: string, input: unknown, signal: AbortSignal) => Promise<object>;

interface Parts {
  readonly answerTool: AnswerTool;
  /** Of the extension. */
  readonly version: string;
  /** The agent no longer waits for what it asked in another message. */
  readonly cancel: (id: RequestId) => void;
}

/** The library's own schema would copy the arguments, and leave out what it doesn't like: they are read by the tool alone. */
const CallRequest = z.object({
  method: z.literal("tools/call"),
  params: z.object({ name: z.string(), arguments: z.unknown() }),
});

export class McpExchange extends Protocol<ServerRequest, ServerNotification, ServerResult> {
  readonly #transport = new WebStandardStreamableHTTPServerTransport();

  constructor({ answerTool, version, cancel }: Parts) {
    super();
    this.setRequestHandler(InitializeRequestSchema, ({ params: { protocolVersion: asked } }) => ({
      protocolVersion: SUPPORTED_PROTOCOL_VERSIONS.includes(asked) ? asked : LATEST_PROTOCOL_VERSION,
      capabilities: { tools: {} },
      serverInfo: { name: MCP_NAME, title: "Cloud GPU", version },
    }));
    this.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listTools() }));
    this.setRequestHandler(CallRequest, ({ params }, { signal }) =>
      answerTool(params.name, params.arguments ?? {}, signal).then(toResult, toRefusal),
    );
    this.setNotificationHandler(CancelledNotificationSchema, ({ params: { requestId } }) => {
      if (requestId !== undefined) cancel(requestId);
    });
  }

  /** `body`: what was sent, read as JSON. The answer begins at once, and ends with what was asked for. */
  async answer(body: object, headers: Headers): Promise<Response> {
    await this.connect(this.#transport);
    const request = new Request("http://localhost/", { method: "POST", headers });
    return await this.#transport.handleRequest(request, { parsedBody: body });
  }

  // No capability is asked of anyone: nothing is sent to an agent but answers.
  protected assertCapabilityForMethod(): void {}
  protected assertNotificationCapability(): void {}
  protected assertRequestHandlerCapability(): void {}
  protected assertTaskCapability(): void {}
  protected assertTaskHandlerCapability(): void {}
}

const toResult = (answer: object): CallToolResult => ({ content: [{ type: "text", text: JSON.stringify(answer) }] });

const toRefusal = (error: unknown): CallToolResult => ({
  content: [{ type: "text", text: asAppError(error).message }],
  isError: true,
});

const listTools = (): Tool[] => (Object.keys(AGENT_TOOLS) as AgentTool[]).map(toMcpTool);

function toMcpTool(tool: AgentTool): Tool {
  const { name, words, input } = AGENT_TOOLS[tool];
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: "input" });
  const acts = isActing(tool);
  return {
    name,
    description: words,
    inputSchema: { ...inputSchema, type: "object" } as Tool["inputSchema"],
    annotations: { readOnlyHint: !acts, destructiveHint: acts, openWorldHint: tool !== "getRun" },
  };
}
