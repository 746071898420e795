// What journeys stand on: a sandbox, a userData with windows, a middleman; all of it ends with the test.

import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { after, afterEach, beforeEach } from "node:test";
import type { Offer } from "../../src/domain/offer/offer.ts";
import { anySearch } from "../../src/domain/offer/offer-search.ts";
import { sleep } from "../../src/lib/clock.ts";
import type { RequestLine } from "../../src/sandbox/http/request-line.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/start.ts";
import type { StoredInstance } from "../../src/sandbox/world/instance.ts";
import type { Loaded } from "../../src/services/core/loaded.ts";
import { nextLook } from "../patience.ts";
import { newUserData, openWindow, type Parts, removeUserData, type UserData } from "./editor-window.ts";

const cleaning: (() => unknown)[] = [];
/** How much of it stays for later tests. */
let kept = 0;
let isShared = false;
beforeEach(() => {
  kept = cleaning.length;
});
// What a test opened would go on beside all later ones of its file otherwise.
afterEach(() => endAll(isShared ? cleaning.length : kept));
after(() => endAll(0));

async function endAll(from: number): Promise<void> {
  while (cleaning.length > from) await cleaning.pop()?.();
}

/** The tests of this file go on with what earlier ones opened, or run side by side: all of it ends with the file. */
export function shareBetweenTests(): void {
  isShared = true;
}

/** Runs once the test is over, or those of its file if they share what they open. */
export function cleanUp(clean: () => unknown): void {
  cleaning.push(clean);
}

export async function sandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const running = await startSandbox({ seed: 1, speed: 600, ...options });
  cleaning.push(() => running.stop());
  return running;
}

interface Answered {
  readonly status: number;
  readonly text: string;
}

/** A server of JSON on loopback; it ends with the test. */
export async function serve(answer: (request: IncomingMessage, body: string) => Promise<Answered>): Promise<string> {
  let isOver = false;
  const server = createServer(async (request, response) => {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const { status, text } = await answer(request, Buffer.concat(chunks).toString());
      response.writeHead(status, { "content-type": "application/json" }).end(text);
    } catch (error) {
      // A request may still be under way when the test is over and the service behind this one, or who asked, is gone.
      if (!isOver) throw error;
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleaning.push(() => {
    isOver = true;
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A service's own answer to a request that came to another address. */
export async function pass(service: string, request: IncomingMessage, body: string): Promise<Answered> {
  const answer = await fetch(service + request.url, {
    method: request.method ?? "GET",
    headers: { authorization: request.headers.authorization ?? "" },
    ...(body === "" ? {} : { body }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** A middleman on the way to a service, which may change what it answers: a lagging replica, a service with less to offer. */
export function middleman(
  service: string,
  change: (path: string, status: number, text: string) => Answered,
): Promise<string> {
  return serve(async (request, body) => {
    const { status, text } = await pass(service, request, body);
    return change(request.url ?? "/", status, text);
  });
}

export function makeUserData(): UserData {
  const made = newUserData();
  cleaning.push(() => removeUserData(made));
  return made;
}

/** From now on, nothing can be written or read there. */
export async function breakFolder(folder: string): Promise<void> {
  // A window that reads it in between makes it again.
  for (let isBroken = false; !isBroken; ) {
    await rm(folder, { recursive: true, force: true });
    isBroken = await writeFile(folder, "", { flag: "wx" }).then(
      () => true,
      () => false,
    );
  }
}

/** One window on a userData; it closes with the test. */
export function editorWindow(at: UserData = makeUserData(), parts: Parts = {}) {
  const window = openWindow(at, parts);
  cleaning.push(window.close);
  return window;
}

/** A window signed in to a sandbox of its own, and the create requests it sends. */
export async function signedIn(options: SandboxOptions = {}, parts: Parts = {}) {
  const lines: RequestLine[] = [];
  const service = await sandbox({ requests: (line) => void lines.push(line), ...options });
  const window = editorWindow(makeUserData(), parts);
  await window.session.signIn(service.url, service.apiKey);
  const creates = () => lines.filter((line) => line.method === "PUT" && line.path.startsWith("/api/v0/asks/"));
  return { ...window, service, lines, creates };
}

/** The service shows an instance with this status from now on, whatever it was to become. */
export function showAs(instance: StoredInstance, status: string): void {
  instance.timeline = [{ at: 0, status, message: status }];
}

/** Before anything is read: few machines could take the place of one whose traffic is cheap, and none of one where it is free. */
export function levelTraffic({ world }: Sandbox): void {
  for (const { machine } of world.offers) Object.assign(machine, { trafficCost: 0.01 });
}

/** What a list of instances answers that has none. */
export const EMPTY_LIST = '{"success":true,"total_instances":0,"instances_found":0,"instances":[],"next_token":null}';

/** A service whose list of instances is complete and has none while it is hidden. */
export async function withHiddenList(service: string): Promise<{ readonly url: string; isHidden: boolean }> {
  const list = { url: "", isHidden: false };
  list.url = await middleman(service, (path, status, text) =>
    list.isHidden && path.startsWith("/api/v1/instances/") ? { status: 200, text: EMPTY_LIST } : { status, text },
  );
  return list;
}

export async function cheapest(window: Pick<ReturnType<typeof editorWindow>, "offers">, nth = 0): Promise<Offer> {
  const { offers } = await window.offers.search(anySearch);
  const offer = offers[nth];
  assert.ok(offer);
  return offer;
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

/** Waits until something holds; a busy machine may take a minute for what takes milliseconds. */
export async function eventually(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const started = performance.now(); !(await holds()); ) {
    const passed = performance.now() - started;
    assert.ok(passed < 60_000, `It never happened: ${what}`);
    await sleep(nextLook(passed, 10));
  }
}
