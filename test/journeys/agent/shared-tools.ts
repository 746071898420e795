// A window that shares its tools, with an account in a sandbox, and other agents that call them: the library's own client, and bare requests.
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http";
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { findAgentTool, isActing, readToolInput } from "../../../src/domain/agent/tools.ts";
import { AppError, asAppError } from "../../../src/domain/base/error.ts";
import { anySearch } from "../../../src/domain/offer/offer-search.ts";
import { realClock } from "../../../src/lib/clock.ts";
import type { Log } from "../../../src/lib/log.ts";
import { buildLaunchAnswer, buildNeedsPersonAnswer } from "../../../src/present/agent/act-answers.ts";
import { buildInstancesAnswer, buildOffersAnswer } from "../../../src/present/agent/tool-answers.ts";
import { AgentAsking, needsPerson } from "../../../src/services/agent/agent-asking.ts";
import { AgentLaunches, type AgentLaunchPerson } from "../../../src/services/agent/agent-launches.ts";
import type { AnswerTool } from "../../../src/services/agent/mcp/mcp-exchange.ts";
import { ToolSharing } from "../../../src/services/agent/tool-sharing.ts";
import { planFor } from "../editor-window.ts";
import { cheapest, cleanUp, editorWindow, makeUserData, sandbox } from "../support.ts";
import { agentPerson } from "./agent-window.ts";

interface Told {
  readonly [name: string]: unknown;
}

/** `person`: whom a launch asks. */
export async function sharedTools({ person: whom, log }: { person?: AgentLaunchPerson; log?: Log } = {}) {
  const creates: string[] = [];
  const service = await sandbox({
    requests: ({ method, path }) => {
      if (method === "PUT" && path.startsWith("/api/v0/asks/")) creates.push(path);
    },
  });
  for (const { id, fate } of service.world.offers) if (fate !== "gone") service.world.setFate(id, "runs");
  const window = editorWindow(makeUserData(), log ? { log } : {});
  await window.session.signIn(service.url, service.apiKey);
  const late: string[] = [];
  const signals: AbortSignal[] = [];
  const asking = new AgentAsking({
    clock: realClock,
    attention: { isFocused: () => true, onDidChange: () => ({ dispose: () => {} }) },
    tellLate: () => void late.push("late"),
  });
  const launches = new AgentLaunches(window, asking);
  const { person } = whom ? { person: whom } : agentPerson();
  const account = window.me();
  const plan = { ...planFor(await cheapest(window), ""), end: { hours: 2, ending: "destroy" as const } };
  /** As the tools of the editor do it, without an editor. */
  const answerTool: AnswerTool = async (name, given, signal) => {
    signals.push(signal);
    const tool = findAgentTool(name);
    if (!tool) throw new AppError("rejected", "This tool doesn't exist.");
    const input = readToolInput(tool, given);
    try {
      switch (tool) {
        case "searchOffers": {
          const found = await window.offers.searchIn(account, anySearch, signal);
          return buildOffersAnswer({ ...found, hours: undefined, most: 3, objection: () => undefined, loosen: [] });
        }
        case "quoteLaunch":
          return { quote: launches.quote(account, plan).id };
        case "launch": {
          const { quote } = input as { quote: string };
          return buildLaunchAnswer(await launches.launch(account, quote, person, signal));
        }
        case "getInstances": {
          await window.instances.collection.refresh();
          const rows = window.instances.rows.map((row) => ({ ...row, end: undefined }));
          return buildInstancesAnswer(rows, true);
        }
        default:
          throw new AppError("unsupported", `${tool} acts: ${isActing(tool)}`);
      }
    } catch (error) {
      const failure = asAppError(error);
      if (needsPerson(failure)) return buildNeedsPersonAnswer(failure);
      throw failure;
    }
  };
  const sharing = new ToolSharing({ session: window.session, version: "1.2.3", log: window.log });
  cleanUp(() => sharing.dispose());
  const share = async () => {
    await sharing.start(window.me(), answerTool);
    const { endpoint } = sharing;
    if (!endpoint) throw new Error("The tools aren't shared.");
    return endpoint;
  };
  /** Whether the call that came last is known to be waited for no longer. */
  const isLeft = () => signals.at(-1)?.aborted === true;
  return { ...window, service, creates, late, isLeft, sharing, answerTool, share };
}

export interface Endpoint {
  readonly url: string;
  readonly token: string;
}

/** An agent that has connected. It leaves with the test. */
export async function connectAgent({ url, token }: Endpoint, options: { readonly fetch?: typeof fetch } = {}) {
  const client = new Client({ name: "somebody's agent", version: "0.0.1" });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit, ...options });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  cleanUp(() => client.close());
  const callTool = async (name: string, input: object, signal?: AbortSignal) => {
    const called = await client.callTool({ name, arguments: input as Told }, undefined, signal ? { signal } : {});
    const [part] = called.content as readonly { readonly type: string; readonly text: string }[];
    return { text: part?.text ?? "", isError: called.isError === true };
  };
  /** What a tool answers. */
  const ask = async (name: string, input: object): Promise<Told> => {
    const { text: answer, isError } = await callTool(name, input);
    if (isError) throw new Error(answer);
    return JSON.parse(answer);
  };
  return { client, transport, callTool, ask };
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | undefined;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export const PING = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

/** One request with everything right but what is said. A header that is undefined isn't sent. */
export function send({ url, token }: Endpoint, { method = "POST", path, headers, body = PING }: Sent = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const all: OutgoingHttpHeaders = {
    authorization: `Bearer ${token}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    ...headers,
  };
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  const { hostname, port, pathname } = new URL(url);
  const asked = request({ hostname, port, path: path ?? pathname, method, headers: sent, agent: false });
  asked.on("response", (response) => {
    text(response).then(
      (said) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: said }),
      reject,
    );
  });
  asked.on("error", reject);
  asked.end(method === "GET" || method === "DELETE" ? undefined : body);
  return promise;
}

/** The message in an answer, which comes as one event. */
export const readReply = ({ text: said }: Reply) => JSON.parse(/^data: (.*)$/m.exec(said)?.[1] ?? said);
