// A group of eight beside one instance: until they are ready, and until a folder is on all of them.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endpoints } from "../../src/api/table/endpoints.ts";
import { listDistinctMachines } from "../../src/domain/group/choose-machines.ts";
import { countStates } from "../../src/domain/group/group-facts.ts";
import { toGroupPlan } from "../../src/domain/group/group-plan.ts";
import { anySearch } from "../../src/domain/offer/offer-search.ts";
import { realClock, sleep } from "../../src/lib/clock.ts";
import type { OrderedHost } from "../../src/services/group/group-jobs.ts";
import { createGroupId } from "../../src/services/group/group-journal.ts";
import { uploadToGroup } from "../../src/services/group/upload-to-group.ts";
import { createIntent } from "../../src/services/launch/intent.ts";
import { waitUntilReady } from "../../src/services/launch/wait-until-ready.ts";
import { listUpload } from "../../src/services/transfer/list-upload.ts";
import { draftOf, patient } from "../journeys/group-windows.ts";
import { openTerminal, rentMachine, startWithKey, time } from "./login.ts";
import { median, type Row } from "./measure.ts";

const COUNT = 8;
const ROUNDS = 5;
const LOOK_MS = 1000;
const NEVER = new AbortController().signal;

type Window = Awaited<ReturnType<typeof startWithKey>>;

/** As many different machines as needed, which all start. */
async function findMachines(window: Window, count: number) {
  const { offers } = await window.offers.search(anySearch);
  const machines = listDistinctMachines(offers, { isApart: false }).slice(0, count);
  assert.equal(machines.length, count);
  for (const { id } of machines) window.service.world.setFate(id, "runs");
  return machines;
}

/** Milliseconds from the confirmation to the last machine that is ready, without the gaps that the service wants between requests. */
async function readyGroup(window: Window): Promise<number> {
  const machines = await findMachines(window, COUNT);
  const plan = toGroupPlan(draftOf(machines, { name: `bench-${performance.now().toFixed(0)}` }));
  const confirmed = { account: window.me(), plan, id: createGroupId(), withoutTracking: false, search: anySearch };
  const isReady = () => {
    const group = window.groups.find(confirmed.id);
    return group !== undefined && countStates(group, "ready") === COUNT;
  };
  const leaving = new AbortController();
  const passed = await time(async () => {
    const running = window.groupRunner.run(patient(leaving.signal), confirmed);
    while (!isReady()) await sleep(50);
    leaving.abort();
    await running;
  });
  return passed - (COUNT - 1) * endpoints.createInstance.gap * 1000;
}

async function readyOne(window: Window): Promise<number> {
  const [plan] = toGroupPlan(draftOf(await findMachines(window, 1))).machines;
  assert.ok(plan);
  return await time(async () => {
    const outcome = await window.launches.rent(window.me(), plan, createIntent());
    assert.ok(outcome.kind === "rented" && outcome.ids[0]);
    await waitUntilReady(window, window.me(), outcome.ids[0], () => {});
  });
}

/** A folder as people have it, and one large file: the second shows how much this computer can encrypt at once, and its other side read. */
const FOLDERS = [
  { what: "50 files of 1 KB", files: 50, bytes: 1000, goal: 2 },
  { what: "a file of 16 MB", files: 1, bytes: 16_000_000, goal: Number.NaN },
];

async function uploads(window: Window): Promise<Row[]> {
  const hosts: OrderedHost[] = [];
  const there = await mkdtemp(join(tmpdir(), "cloud-gpu-bench-there-"));
  for (let rank = 0; rank < COUNT; rank += 1) {
    const { machine } = await openTerminal(window, await rentMachine(window));
    const shared = await window.sharedConnections.open(window.me(), machine, NEVER);
    hosts.push({ rank, overlayIp: undefined, gpus: 1, machine: shared, remote: join(there, String(rank)) });
  }
  const rows: Row[] = [];
  for (const { what, files, bytes, goal } of FOLDERS) {
    const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-bench-group-"));
    for (let at = 0; at < files; at += 1) await writeFile(join(folder, `${at}.bin`), Buffer.alloc(bytes, "x"));
    const list = await listUpload(folder, NEVER);
    const send = (some: readonly OrderedHost[]) => uploadToGroup(some, { folder, list }, () => {}, NEVER);
    const [one, all]: [number[], number[]] = [[], []];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const single = await time(() => send(hosts.slice(0, 1)));
      const together = await time(() => send(hosts));
      // The first round warms up.
      if (round === 0) continue;
      one.push(single);
      all.push(together);
    }
    rows.push({
      what: `${what} to ${COUNT} at once, to the same to one`,
      value: median(all) / median(one),
      unit: "×",
      goal,
    });
    await rm(folder, { recursive: true, force: true });
  }
  await rm(there, { recursive: true, force: true });
  return rows;
}

export async function groups(): Promise<Row[]> {
  const [one, all]: [number[], number[]] = [[], []];
  for (let round = 0; round < 3; round += 1) {
    one.push(await inWindow(readyOne));
    all.push(await inWindow(readyGroup));
  }
  const ready = {
    what: `${COUNT} instances ready, without the service's own gaps, to one`,
    value: median(all) / median(one),
    unit: "×",
    goal: 1.3,
  };
  return [ready, ...(await inWindow(uploads))];
}

/** In an account that has nothing, in front of whose list someone looks. */
async function inWindow<T>(work: (window: Window) => Promise<T>): Promise<T> {
  const window = await startWithKey({ clock: realClock, pace: 1 });
  const looking = setInterval(() => void window.instances.collection.refresh(), LOOK_MS);
  try {
    return await work(window);
  } finally {
    clearInterval(looking);
    await window.stop();
  }
}
