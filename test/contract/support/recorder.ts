// A server that answers what it is told and keeps every request as it came, byte for byte.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { type Client, createClient } from "../../../src/api/client.ts";

export interface Recorded {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Recorder {
  readonly baseUrl: string;
  readonly client: Client;
  readonly requests: Recorded[];
  /** What every following request is answered with. */
  answer(status: number, body: string | object): void;
  stop(): void;
}

export const KEY = "contract-key-0123456789";

export async function recorder(): Promise<Recorder> {
  const requests: Recorded[] = [];
  let next = { status: 200, text: "{}" };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    requests.push({
      line: `${request.method} ${request.url}`,
      headers: request.headers,
      body: Buffer.concat(chunks).toString("utf8"),
    });
    response.writeHead(next.status, { "content-type": "application/json" }).end(next.text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createClient({ baseUrl, apiKey: KEY, pace: 0, patience: 0 });
  return {
    baseUrl,
    client,
    requests,
    answer: (status, body) => {
      next = { status, text: typeof body === "string" ? body : JSON.stringify(body) };
    },
    stop: () => {
      client.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
