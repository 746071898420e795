// Several windows of one person and an account with instances whose GPUs do as they are told, on a clock that the test moves.
import assert from "node:assert/strict";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import type { IdleRule } from "../../../../src/domain/instance/idle.ts";
import type { IdleWish } from "../../../../src/domain/instance/idle-order.ts";
import type { Sandbox } from "../../../../src/sandbox/start.ts";
import { Refresher } from "../../../../src/services/core/refresher.ts";
import { lifeOf, type Parts } from "../../editor-window.ts";
import { rentRunning } from "../../rent-running.ts";
import { steppedClock } from "../../stepped-clock.ts";
import { cleanUp, editorWindow, makeUserData, sandbox } from "../../support.ts";

export const MINUTE = 60_000;

interface Setting {
  readonly count?: number;
  readonly rule?: IdleRule;
  readonly parts?: Parts;
  /** Seconds between two lists where someone looks; no one does if left out. */
  readonly seconds?: number;
  readonly through?: (service: Sandbox) => Promise<string> | string;
}

/** The windows read the list each minute, as hidden ones do. */
export async function withIdleWindows({
  count = 2,
  rule = { minutes: 15, percent: 10 },
  parts = {},
  seconds,
  through = ({ url }) => url,
}: Setting = {}) {
  const sent: string[] = [];
  const lists: number[] = [];
  const { clock, worldNow, shift, pass: passTime } = steppedClock();
  const service = await sandbox({
    clock: { now: worldNow, ahead: () => 0 },
    requests: ({ method, path }) => {
      if (/\/instances\/\d+\/$/.test(path) && method !== "GET") sent.push(method);
      if (method === "GET" && path.startsWith("/api/v1/instances/")) lists.push(clock.elapsed());
    },
  });
  const { world } = service;
  const url = await through(service);
  const id = InstanceId.parse(rentRunning(service));
  const isRunning = () => world.listInstances().every((one) => world.toRecord(one).actual_status === "running");
  /** Lets so many minutes pass. */
  const pass = (minutes: number) => passTime(minutes * MINUTE);
  /** Lets time pass until something holds. */
  const passUntil = async (holds: () => boolean | Promise<boolean>, what: string) => {
    for (let minutes = 0; !(await holds()); minutes += 0.5) {
      assert.ok(minutes < 300, `It never happened: ${what}`);
      await pass(0.5);
    }
  };
  /** Lets time pass until something is over. */
  const during = async <T>(work: Promise<T>): Promise<T> => {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work.then(end, end);
    await passUntil(() => isOver, "it is over");
    return await work;
  };
  await passUntil(isRunning, "they run");
  const userData = makeUserData();
  /** What was told: `idle`, `soon` or `ended`, with the window's name. */
  const told: string[] = [];
  const open = async (name: string, own: Parts = {}) => {
    const liveness = lifeOf(name, ...Array.from({ length: 9 }, (_, at) => `window-${at}`));
    const window = editorWindow(userData, { clock, pace: 0, liveness, idleRule: () => rule, ...parts, ...own });
    window.idleNotices.onNotice(({ idle }) => void told.push(`${name} idle ${idle.length}`));
    window.idleOrders.onNotice((notice) => {
      const outcome = notice.kind === "ended" ? ` ${notice.result.outcome}` : "";
      told.push(`${name} ${notice.kind}${outcome}`);
    });
    if (userData.keys.size === 0) await window.session.signIn(url, service.apiKey);
    else await window.session.restore();
    const { scheduler, session, instances: listed } = window;
    const attention = { visible: () => seconds !== undefined, onDidChange: () => ({ dispose: () => undefined }) };
    const refresher = new Refresher({
      ...{ id: "instances", scheduler, session, attention, collection: listed.collection },
      ...{ unsettled: () => listed.unsettled, keeps: () => listed.rows.length > 0 },
      needsMinutes: () => window.idleOrders.needsReadings,
      rhythm: { fast: () => 5000, slow: () => (seconds ?? 30) * 1000 },
    });
    cleanUp(() => refresher.dispose());
    await window.instances.collection.refresh();
    await window.followOtherWindows();
    const close = () => {
      refresher.dispose();
      window.close();
    };
    return { ...window, name, refresher, close };
  };
  const windows: Awaited<ReturnType<typeof open>>[] = [];
  for (let at = 0; at < count; at += 1) windows.push(await open(`window-${at}`));
  const [first] = windows;
  assert.ok(first);
  const setLoad = (load: number | null) => world.setGpuLoad(id, load);
  const order = (wish: IdleWish | undefined, by = first) => by.idleOrders.set(by.me(), id, wish);
  const idleMinutes = (by = first) => Math.floor((by.idleWatch.getState(id)?.time ?? 0) / MINUTE);
  const stored = () => world.listInstances().find((one) => one.id === id);
  const isThere = () => stored()?.intended === "running";
  const kinds = () => told.map((one) => one.replace(/^\S+ /, ""));
  return {
    ...{ service, world, userData, clock, sleepFor: shift, url, id, windows, first, open, told, kinds },
    ...{ sent, lists, setLoad, order, pass, passUntil, during, idleMinutes, isThere },
  };
}
