// Windows that rent groups at a sandbox of their own.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { findClusters, listDistinctMachines } from "../../src/domain/group/choose-machines.ts";
import { type GroupDraft, toGroupPlan } from "../../src/domain/group/group-plan.ts";
import { findDecision } from "../../src/domain/group/group-record.ts";
import { emptyDraft } from "../../src/domain/launch/launch-draft.ts";
import type { Offer } from "../../src/domain/offer/offer.ts";
import { anySearch } from "../../src/domain/offer/offer-search.ts";
import type { Clock } from "../../src/lib/clock.ts";
import type { SandboxOptions } from "../../src/sandbox/start.ts";
import { createGroupId } from "../../src/services/group/group-journal.ts";
import type { GroupNotice } from "../../src/services/group/group-notice.ts";
import type { GroupPerson } from "../../src/services/group/run-group.ts";
import { WHOLE_MARKET } from "../../src/services/offer/offers.ts";
import { clockAt, fastClock, type Parts } from "./editor-window.ts";
import { type editorWindow, signedIn } from "./support.ts";

type Window = ReturnType<typeof editorWindow>;

/** Different machines with one GPU of a kind, the cheapest first. */
export async function machinesOf(window: Pick<Window, "offers">, gpu = "RTX 3090"): Promise<readonly Offer[]> {
  const { offers } = await window.offers.search(anySearch);
  const alike = offers.filter(({ gpu_name, num_gpus }) => gpu_name === gpu && num_gpus === 1);
  return listDistinctMachines(alike, { isApart: false });
}

/** A group of the offers, as it is chosen without another word. */
export function draftOf(offers: readonly Offer[], changes: Partial<GroupDraft> = {}): GroupDraft {
  return {
    base: { ...emptyDraft, image: "pytorch/pytorch", runtype: "ssh_direct", search: anySearch, diskGb: 8 },
    name: "sweep",
    offers,
    spares: [],
    isApart: false,
    least: undefined,
    rest: "ask",
    // On a fast clock, minutes are over before the machines run.
    minutes: 1440,
    ...changes,
  };
}

/** Someone who waits as long as it takes, or leaves when `cancelled` says so. */
export function patient(cancelled = new AbortController().signal): GroupPerson {
  return { accompany: (_, work) => work(() => {}, cancelled), tellReplacing: () => {} };
}

/** What a window says of groups. */
export function listen(window: Pick<Window, "groups">): GroupNotice[] {
  const heard: GroupNotice[] = [];
  window.groups.onNotice((notice) => {
    heard.push(notice);
    if (notice.kind === "decided") void window.groups.noteTold(notice.group);
  });
  return heard;
}

export async function groupWindow(options: SandboxOptions = {}, parts: Parts = {}) {
  const window = await signedIn(options, { clock: fastClock, ...parts });
  const offers = await machinesOf(window);
  assert.ok(offers.length >= 4, `${offers.length} machines of that kind`);
  // Some of the market's machines die; a test says which.
  for (const { id } of offers) window.service.world.setFate(id, "runs");
  return { ...window, offers4: offers.slice(0, 4), others: offers.slice(4), heard: listen(window) };
}

/** Rents as the command does after the confirmation. */
export async function rentGroup(window: Window, draft: GroupDraft, person = patient(), id = createGroupId()) {
  const confirmed = { account: window.me(), plan: toGroupPlan(draft), id, withoutTracking: false, search: anySearch };
  const why = await window.groupRunner.run(person, confirmed);
  return { id, why };
}

/** In a window that is gone once two were sent, before it can note anything more. */
export async function rentTwoAndDie(window: Window, draft: GroupDraft): Promise<void> {
  const leaving = new AbortController();
  const die = () => {
    window.close();
    leaving.abort();
  };
  await rentGroup(window, draft, {
    ...patient(),
    accompany: (_, work) => work(({ sent }) => sent === 2 && die(), leaving.signal),
  }).catch(() => undefined);
}

/** How it was decided, by its files. */
export async function decided(window: Window, id: string): Promise<string | undefined> {
  const record = await window.groupJournal.find(id);
  return record && findDecision(record);
}

/** Milliseconds within which a login must have answered: on a busy machine, more than the 2 s that this clock would leave of them. */
const LOGIN = 30_000;
const fast = clockAt(15);
const patientClock: Clock = { ...fast, sleep: (ms, signal) => fast.sleep(ms === LOGIN ? 10 * ms : ms, signal) };

/** A group of running machines that admit a key of this computer; of others than the usual ones if `change` says so. */
export async function runningGroup(
  count = 3,
  parts: Parts = {},
  change: (window: Awaited<ReturnType<typeof groupWindow>>) => Promise<Partial<GroupDraft>> = async () => ({}),
) {
  const window = await groupWindow({ ssh: true }, { clock: patientClock, ...parts });
  const key = join(window.userData.root, "ssh", "id_ed25519");
  await mkdir(join(window.userData.root, "ssh"), { recursive: true });
  assert.equal(spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "laptop", "-f", key]).status, 0);
  window.service.world.account.sshKeys.push((await readFile(`${key}.pub`, "utf8")).trim());
  const draft = draftOf(window.offers4.slice(0, count), { name: "sweep-7", ...(await change(window)) });
  const { id } = await rentGroup(window, draft);
  const group = window.groups.find(id);
  assert.ok(group);
  return { ...window, group };
}
export type RunningGroup = Awaited<ReturnType<typeof runningGroup>>;

/** A group in an overlay network. */
export async function networkGroup(count = 2): Promise<RunningGroup> {
  return await runningGroup(count, {}, async (window) => {
    const { offers } = await window.offers.search(anySearch, undefined, WHOLE_MARKET);
    const [cluster] = findClusters(offers, { isApart: false });
    assert.ok(cluster);
    for (const { id } of cluster.offers) window.service.world.setFate(id, "runs");
    return { offers: cluster.offers.slice(0, count), overlay: { name: "net", cluster: cluster.id, isNew: true } };
  });
}

/** Someone who waits, while something happens as soon as so many were sent. */
export function whoSees(count: number, happen: () => void, signal = new AbortController().signal) {
  const accompany: ReturnType<typeof patient>["accompany"] = (_, work) =>
    work(({ sent }) => sent === count && happen(), signal);
  return { ...patient(), accompany };
}
