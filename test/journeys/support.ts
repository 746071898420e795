// The services put together over a sandbox as the extension does it, with a vault and settings in memory of their own.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { silentLog } from "../../src/lib/log.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/start.ts";
import { InstancesService } from "../../src/services/instances.ts";
import { LaunchService } from "../../src/services/launch.ts";
import type { Loaded } from "../../src/services/loaded.ts";
import { OffersService } from "../../src/services/offers.ts";
import { type SessionNews, SessionService, type Vault } from "../../src/services/session.ts";
import { TemplatesService } from "../../src/services/templates.ts";

const cleaning: (() => unknown)[] = [];
after(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

export async function sandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const running = await startSandbox({ seed: 1, speed: 600, ...options });
  cleaning.push(() => running.stop());
  return running;
}

/** A middleman on the way to a service, which may change what it answers: a lagging replica, a service with less to offer. */
export async function middleman(
  service: string,
  change: (path: string, status: number, text: string) => { status: number; text: string },
): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const path = request.url ?? "/";
    const answer = await fetch(service + path, {
      method: request.method ?? "GET",
      headers: { authorization: request.headers.authorization ?? "" },
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    });
    const { status, text } = change(path, answer.status, await answer.text());
    response.writeHead(status, { "content-type": "application/json" }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleaning.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** One person's machine: what several windows share. */
export interface Desk {
  readonly keys: Map<string, string>;
  baseUrl: string;
  readonly notes: Map<string, unknown>;
  readonly news: SessionNews[];
}

export function desk(): Desk {
  return { keys: new Map(), baseUrl: "", notes: new Map(), news: [] };
}

/** One window on a desk. */
export function editorWindow(at: Desk = desk()) {
  const vault: Vault = {
    read: async (origin) => at.keys.get(origin),
    store: async (origin, key) => void at.keys.set(origin, key),
    remove: async (origin) => void at.keys.delete(origin),
  };
  const session = new SessionService({
    vault,
    chosen: () => at.baseUrl,
    choose: async (baseUrl) => {
      at.baseUrl = baseUrl;
    },
    network: () => ({}),
    announce: (news) => void at.news.push(news),
    log: silentLog,
    // The sandbox has no limits; waiting for them would only make the tests slow.
    pace: 0.02,
  });
  const instances = new InstancesService(session, {
    get: (key) => at.notes.get(key),
    set: (key, value) => void (value === undefined ? at.notes.delete(key) : at.notes.set(key, value)),
    keys: () => [...at.notes.keys()],
  });
  const templates = new TemplatesService(session);
  const offers = new OffersService(session);
  const launches = new LaunchService({ session, offers, instances, log: silentLog });
  cleaning.push(() => {
    instances.dispose();
    templates.dispose();
    session.dispose();
  });
  return { desk: at, session, instances, templates, offers, launches };
}

/** Resolves once a store is in a state that satisfies the condition. */
export function until<T>(
  store: { current: Loaded<T>; onDidChange(listener: () => void): { dispose(): void } },
  holds: (now: Loaded<T>) => boolean,
): Promise<void> {
  if (holds(store.current)) return Promise.resolve();
  return new Promise((resolve) => {
    const listening = store.onDidChange(() => {
      if (!holds(store.current)) return;
      listening.dispose();
      resolve();
    });
  });
}
