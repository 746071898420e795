// A service that means harm: the sandbox's own answers, every text in them spoiled, and refusals in a stranger's words.
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { PAYLOADS, Rotation } from "./payloads.ts";
import { spoil } from "./spoil.ts";

/** How writes end: passed on, refused with 400, refused with a 200 that says no; `sign-in` refuses to say whose key it is. */
export type Mood = "obliging" | "400" | "200" | "sign-in";

export interface HostileService {
  readonly url: string;
  mood: Mood;
  /** Method and path of every write that came. */
  readonly writes: readonly string[];
  stop(): void;
}

/** Questions that are asked with other methods than GET. */
const READS = /\/(bundles|fetch-tags|request_logs|volumes\/search)\b/;

/** Begins and ends what a machine logs. */
export const LOGGED = { first: "the first line", last: "the last line" };

/** What a terminal would obey, and what a document could make a link of. */
const HOSTILE_LOG = [
  LOGGED.first,
  ...PAYLOADS,
  "\u001b]8;;command:workbench.action.terminal.new\u0007a link\u001b]8;;\u0007 \u001b]8;;file:///etc/passwd\u001b\\another\u001b]8;;\u001b\\",
  "\u001b]52;c;eA==\u0007\u001b]0;a title\u0007\u001b]633;A\u0007\u001b]1337;File=inline=1:eA==\u0007\u009b2J\u001b[6n\u001b[2J\u001b[H",
  "\u001b[8mconcealed \u001b[5mblinking\u001b[0m \u001bP1$r0m\u001b\\ \u001b]8;;https://127.0.0.1:9/t\u0007never ended",
  `${LOGGED.last}\n`,
].join("\n");

export async function startHostile(sandbox: string): Promise<HostileService> {
  const rotation = new Rotation();
  const refusals = new Rotation([
    "[x](command:workbench.action.terminal.new) $(squirrel) <img src=x onerror=alert(1)>",
    "![i](https://127.0.0.1:9/t) [y](command:cloudGpu.instance.destroy?%5B31000001%5D) \u202E",
    "[z](file:///etc/passwd) \u001b[31m\uD800abcd1234",
    `[x](command:workbench.action.terminal.new)\n${"-token ".repeat(3500)}`,
  ]);
  const writes: string[] = [];
  const refusal = (): string => {
    const [error, msg] = [refusals.next("error"), refusals.next("msg")];
    return JSON.stringify({ success: false, error, msg });
  };
  const answer = async (request: IncomingMessage, body: string) => {
    const [method, url] = [request.method ?? "GET", request.url ?? "/"];
    const isWrite = method !== "GET" && !READS.test(url);
    if (isWrite) writes.push(`${method} ${url}`);
    if (service.mood === "sign-in") return { status: 403, text: refusal() };
    if (isWrite && service.mood !== "obliging") return { status: Number(service.mood), text: refusal() };
    const real = await fetch(sandbox + url, {
      method,
      headers: { authorization: request.headers.authorization ?? "" },
      ...(body === "" ? {} : { body }),
    });
    if (url.startsWith("/logs/")) return { status: real.status, text: HOSTILE_LOG };
    // A log as well is only to be had through here.
    const text = (await real.text()).replaceAll(sandbox, service.url);
    return { status: real.status, text: isJson(text) ? JSON.stringify(spoil(JSON.parse(text), rotation)) : text };
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const { status, text } = await answer(request, Buffer.concat(chunks).toString());
      response.writeHead(status, { "content-type": "application/json" }).end(text);
    } catch {
      // Whoever asked is gone, or the sandbox is.
      response.destroy();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const service: HostileService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mood: "obliging",
    writes,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return service;
}

function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}
