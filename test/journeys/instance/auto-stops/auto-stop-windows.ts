// Several windows of one person, an account with one instance, and a clock that can be set forward.
import assert from "node:assert/strict";
import type { AutoStopAction, AutoStopWish } from "../../../../src/domain/instance/auto-stop.ts";
import { type Clock, sleep } from "../../../../src/lib/clock.ts";
import type { Sandbox } from "../../../../src/sandbox/start.ts";
import type { AutoStopNotice } from "../../../../src/services/instance/auto-stops/auto-stop-telling.ts";
import { lifeOf, type Parts } from "../../editor-window.ts";
import { rentRunning } from "../../rent-running.ts";
import { editorWindow, makeUserData, pass, sandbox, serve } from "../../support.ts";

export const [MINUTE, HOUR] = [60_000, 3_600_000];
const RATE = 60;

/** One computer's clock: all windows see it, and it can be set forward, as after a sleep. */
function steeredClock() {
  let ahead = 0;
  const clock: Clock = {
    now: () => Date.now() + ahead,
    elapsed: () => performance.now() * RATE,
    sleep: (ms, signal) => sleep(ms / RATE, signal),
  };
  const forward = (ms: number) => {
    ahead += ms;
  };
  return { clock, forward };
}

/** What comes between a service and its windows, and misses every instance while it `isOn`. Counts how often one was asked about. */
export function createMissing() {
  const none = { success: true, instances: [], instances_found: 0, total_instances: 0, next_token: null };
  const missing = {
    isOn: false,
    asked: 0,
    through: (service: Sandbox) =>
      serve(async (request, body) => {
        const { method, url = "" } = request;
        const isLost = missing.isOn && method === "GET" && url.includes("/instances/");
        if (!isLost) return await pass(service.url, request, body);
        if (!/instances\/\d+\/$/.test(url)) return { status: 200, text: JSON.stringify(none) };
        missing.asked += 1;
        return { status: 200, text: JSON.stringify({ instances: null }) };
      }),
  };
  return missing;
}

/** Several windows of one person, signed in to an account with one instance. */
export async function withWindows(
  count: number,
  parts: Parts = {},
  through: (service: Sandbox) => Promise<string> | string = ({ url }) => url,
) {
  const deletes: string[] = [];
  const service = await sandbox({
    requests: ({ method, path }) => {
      if (method === "DELETE" || (method === "PUT" && /instances\/\d+\/$/.test(path))) deletes.push(path);
    },
  });
  const { world } = service;
  const url = await through(service);
  const id = rentRunning(service);
  const steered = steeredClock();
  const userData = makeUserData();
  const names = Array.from({ length: count }, (_, at) => `window-${at}`);
  const told: (readonly [window: string, notice: AutoStopNotice])[] = [];
  const open = async (name: string, alive: readonly string[], own: Parts = parts, isLooking = true) => {
    const window = editorWindow(userData, { clock: steered.clock, liveness: lifeOf(name, ...alive), ...own });
    window.autoStops.onNotice((notice) => void told.push([name, notice]));
    if (userData.keys.size === 0) await window.session.signIn(url, service.apiKey);
    else await window.session.restore();
    if (isLooking) await window.instances.collection.refresh();
    await window.followOtherWindows();
    return window;
  };
  const windows = [];
  for (const name of names) windows.push(await open(name, names));
  const [first] = windows;
  assert.ok(first);
  const row = first.instances.rows.find(({ value }) => value.id === id);
  assert.ok(row);
  const set = (wish: AutoStopWish | undefined, by = first) => by.autoStops.set(by.me(), { id: row.value.id }, wish);
  const inHours = (hours: number, ending: AutoStopAction): AutoStopWish => ({ hours, ending });
  const kinds = () => told.map(([, { kind }]) => kind);
  const isThere = () => world.listInstances().some((one) => one.id === id);
  return {
    ...steered,
    service,
    world,
    userData,
    windows,
    first,
    row,
    set,
    inHours,
    told,
    kinds,
    isThere,
    deletes,
    open,
  };
}
