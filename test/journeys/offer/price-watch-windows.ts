// Several windows of one person who waits for a price, on a clock that the test moves, and a market whose prices it sets.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createClient } from "../../../src/api/client.ts";
import { anySearch, type OfferSearch } from "../../../src/domain/offer/offer-search.ts";
import type { WatchGoal } from "../../../src/domain/offer/price-watch.ts";
import { silentLog } from "../../../src/lib/log.ts";
import type { Sandbox } from "../../../src/sandbox/start.ts";
import { Heartbeat } from "../../../src/services/core/heartbeat.ts";
import { Scheduler } from "../../../src/services/core/scheduler.ts";
import type { PriceNotice } from "../../../src/services/offer/price-watches.ts";
import type { Parts } from "../editor-window.ts";
import { steppedClock } from "../stepped-clock.ts";
import { cleanUp, editorWindow, makeUserData, sandbox } from "../support.ts";

export const MINUTE = 60_000;
/** A look that isn't put off comes after this many minutes at most, and after the other one at least. */
export const [SOONEST, LATEST] = [9, 11];

interface Setting {
  readonly count?: number;
  readonly parts?: Parts;
  readonly through?: (service: Sandbox) => Promise<string> | string;
}

export async function withWatchingWindows({ count = 1, parts = {}, through = ({ url }) => url }: Setting = {}) {
  const { clock, worldNow, shift, pass: passTime } = steppedClock();
  /** When searches of looks came, in minutes of the clock. */
  const looks: number[] = [];
  /** What each search asked for. */
  const searches: unknown[] = [];
  const writes: string[] = [];
  const service = await sandbox({
    clock: { now: worldNow, ahead: () => 0 },
    requests: ({ method, path, body }) => {
      if (path === "/api/v0/bundles/") searches.push(body);
      if (path === "/api/v0/bundles/" && (body as { limit?: number }).limit === 5) looks.push(clock.elapsed() / MINUTE);
      else if (method !== "GET" && path !== "/api/v0/bundles/") writes.push(`${method} ${path}`);
    },
  });
  const { world } = service;
  const url = await through(service);
  const userData = makeUserData();
  const told: (PriceNotice & { readonly by: string; readonly minute: number })[] = [];
  const open = async (by: string, own: Parts = {}) => {
    const scheduler = new Scheduler(clock, silentLog);
    const liveness = new Heartbeat(join(userData.root, "windows"), scheduler, silentLog);
    const connect: Parts["connect"] = (options) => createClient({ ...options, patience: 0, pace: 0 });
    const window = editorWindow(userData, { clock, liveness, connect, ...parts, ...own });
    window.priceWatches.onNotice((notice) => void told.push({ ...notice, by, minute: clock.elapsed() / MINUTE }));
    if (userData.keys.size === 0) await window.session.signIn(url, service.apiKey);
    else await window.session.restore();
    await window.followOtherWindows();
    /** As if the editor was killed: nothing is said to the other windows. */
    const kill = () => {
      scheduler.dispose();
      window.close();
    };
    const close = () => {
      liveness.dispose();
      kill();
    };
    cleanUp(kill);
    return { ...window, by, close, kill };
  };
  const windows: Awaited<ReturnType<typeof open>>[] = [];
  for (let at = 0; at < count; at += 1) windows.push(await open(`window-${at}`));
  const [first] = windows;
  assert.ok(first);
  const offer = world.offers.find(
    (one) => world.isRentable(one) && one.gpuIds.length === 1 && one.machine.verification === "verified",
  );
  assert.ok(offer);
  const search: OfferSearch = {
    ...anySearch,
    filters: { ...anySearch.filters, gpu_name: { eq: offer.machine.gpu.name } },
  };
  /** The machine that everything is about costs so much, and no other one of its GPU is cheaper than $9. */
  const setPrice = (price: number, id = offer.id) => world.setPrice(id, price);
  for (const one of world.offers)
    if (one.machine.gpu.name === offer.machine.gpu.name) world.setPrice(one.id, 9 * one.gpuIds.length);
  setPrice(0.5);
  const GOAL: WatchGoal = { kind: "price", most: 0.3 };
  const watch = (goal: WatchGoal = GOAL, by = first) =>
    by.priceWatches.add(by.me(), { search, goal, template: undefined });
  const pass = (minutes: number) => passTime(minutes * MINUTE);
  const passUntil = async (holds: () => boolean | Promise<boolean>, what: string) => {
    for (let minutes = 0; !(await holds()); minutes += 0.5) {
      assert.ok(minutes < 300, `It never happened: ${what}`);
      await pass(0.5);
    }
  };
  const list = (by = first) => by.priceWatches.list(by.me());
  /** Minutes between looks. */
  const gaps = () => looks.slice(1).map((at, index) => at - (looks[index] ?? 0));
  return {
    ...{
      service,
      world,
      userData,
      clock,
      sleepFor: shift,
      url,
      windows,
      first,
      open,
      told,
      looks,
      searches,
      gaps,
      writes,
    },
    ...{ offer, search, setPrice, watch, list, pass, passUntil },
  };
}
