// What the tests inside the editor share: the extension under test and a service to point it at.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { commands, EXTENSION, environment } from "../../src/ids.ts";
import type { RequestLine } from "../../src/sandbox/http/request-line.ts";
import { startSandbox } from "../../src/sandbox/start.ts";
import type { Api } from "../../src/ui/agent/late-api.ts";

export const DISPATCHER = Symbol.for("undici.globalDispatcher.1");

export function extension(): vscode.Extension<Api> {
  const found = vscode.extensions.getExtension<Api>(EXTENSION);
  assert.ok(found, "the extension is installed");
  return found;
}

export interface InSandbox {
  readonly service: Awaited<ReturnType<typeof startSandbox>>;
  /** The requests so far. */
  readonly lines: readonly RequestLine[];
}

/** Signed in to a sandbox of its own. */
export async function inSandbox(act: (sandbox: InSandbox) => Promise<void>): Promise<void> {
  const lines: RequestLine[] = [];
  const service = await startSandbox({ seed: 5, speed: 600, requests: (line) => void lines.push(line) });
  await extension().activate();
  Object.assign(process.env, { [environment.sandboxUrl]: service.url, [environment.sandboxKey]: service.apiKey });
  try {
    await vscode.commands.executeCommand(commands.sandboxTry);
    await act({ service, lines });
  } finally {
    delete process.env[environment.sandboxUrl];
    delete process.env[environment.sandboxKey];
    await vscode.commands.executeCommand(commands.signOut);
    await service.stop();
  }
}

/** The same, where nothing may be sent that changes anything. */
export const inUntouchedSandbox = (act: (sandbox: InSandbox) => Promise<void>): Promise<void> =>
  inSandbox(async (sandbox) => {
    await act(sandbox);
    assert.deepEqual(writes(sandbox.lines), []);
  });

/** Requests that could spend, destroy or change something. */
export function writes(lines: readonly RequestLine[]): RequestLine[] {
  // Searches are sent as POST because they have a body.
  const searches = ["/api/v0/bundles/", "/api/v0/volumes/search/"];
  // So is reading a log, as PUT.
  const isRead = ({ method, path }: RequestLine) =>
    method === "GET" ||
    (method === "POST" && searches.includes(path)) ||
    (method === "PUT" && path.startsWith("/api/v0/instances/request_logs/"));
  return lines.filter((line) => !isRead(line));
}

export async function eventually<T>(look: () => Promise<T | undefined> | T | undefined, what: string): Promise<T> {
  for (const end = Date.now() + 20_000; Date.now() < end; ) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`It never happened: ${what}`);
}
