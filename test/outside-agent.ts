// Agents outside of the editor: the library's own client, and bare requests of whatever program or page.
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http";
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

interface Told {
  readonly [name: string]: unknown;
}

/** Milliseconds for one answer: a person may be asked first. */
const PATIENCE = 120_000;

export interface Endpoint {
  readonly url: string;
  readonly token: string;
}

/** An agent that has connected, by the library's own client. */
export async function connectAgent({ url, token }: Endpoint) {
  const client = new Client({ name: "somebody's agent", version: "0.0.1" });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  const callTool = async (name: string, input: object, signal?: AbortSignal) => {
    const called = await client.callTool({ name, arguments: input as Told }, undefined, {
      timeout: PATIENCE,
      ...(signal ? { signal } : {}),
    });
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
