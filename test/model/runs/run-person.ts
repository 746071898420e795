// The person of a run in the model, in the order in which `ui/run` has things done: rents, runs, and comes back to what was left.
import type { InstanceId } from "../../../src/domain/base/id.ts";
import { readLaunchToken } from "../../../src/domain/instance/instance.ts";
import type { Offer } from "../../../src/domain/offer/offer.ts";
import { anySearch } from "../../../src/domain/offer/offer-search.ts";
import { isStranded, type RunRecord } from "../../../src/domain/run/run-record.ts";
import type { RunStage as Where } from "../../../src/domain/run/run-stage.ts";
import { sleep } from "../../../src/lib/clock.ts";
import type { MachineLogin } from "../../../src/services/connection/run-there.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import type { LaunchPerson } from "../../../src/services/launch/launch-steps.ts";
import type { Following } from "../../../src/services/run/run-watch.ts";
import { listUpload } from "../../../src/services/transfer/list-upload.ts";
import { planFor } from "../../journeys/editor-window.ts";
import { RATE } from "../life.ts";
import { watchList } from "../watch-list.ts";
import { REMOTE } from "./far-machine.ts";
import type { Opened, RunStage } from "./run-stage.ts";

export const modelSleep = (seconds: number) => sleep((seconds * 1000) / RATE);

const NEVER = new AbortController().signal;

/** Who watches a run: it notes what is asked and decided, and where the run is. */
function followingOf(
  stage: RunStage,
  { window }: Opened,
  { wasOver, at, signal }: { wasOver: boolean; at: (where: Where) => void; signal: AbortSignal },
): Following {
  let hasAgreed = false;
  return {
    account: window.me(),
    signal,
    watch: {
      stage: (where) => {
        if (where.kind === "destroying" || where.kind === "stopping") {
          stage.check(!wasOver || hasAgreed, "D6", "it was over before anybody came back, and nobody agreed");
          stage.decided = true;
        }
        at(where);
      },
      output: () => {},
      mayGoOn: async () => true,
      mayDestroy: async () => {
        hasAgreed = stage.fate.agrees;
        return hasAgreed || stage.breakage.asksNobody === true;
      },
    },
  };
}

async function reach(stage: RunStage, { window, life }: Opened, id: InstanceId, signal: AbortSignal) {
  const login = await window.connections.reach(window.me(), id, signal);
  const machine: MachineLogin = { id, program: "ssh", login, start: stage.ssh.startFor(life) };
  return await window.sharedConnections.open(window.me(), machine, signal);
}

/** Rents a machine for the run, and follows the run to its end. */
export async function rentAndRun(
  stage: RunStage,
  opened: Opened,
  offer: Offer,
  { at, signal }: { at: (where: Where) => void; signal: AbortSignal },
): Promise<void> {
  const { window } = opened;
  const { runs } = window;
  const account = window.me();
  const expected = new Expected(stage, opened);
  const refresher = watchList(opened.window);
  try {
    const rental = {
      ...{ account, plan: planFor(offer, "for a run"), search: anySearch, intent: createIntent() },
      ...{ chain: { price: undefined, tries: 0 }, withoutTracking: false },
    };
    const next = await window.runner.run(personOf(stage, expected, at, signal), rental);
    const run = await expected.run;
    if (next?.kind !== "connect") return void (run && (await runs.forget(run.id)));
    const machine = await reach(stage, opened, next.id, signal).catch(async (error) => {
      stage.told.add(next.id);
      if (run) await runs.giveUp(run, String(error));
      throw error;
    });
    const list = await listUpload(stage.folder, signal);
    const known = run ?? (await runs.prepare(account, next.id, expected.plan, { rented: expected.rented(next.id) }));
    const ready = await runs.noteReady(account, known, expected.plan, expected.rented(next.id));
    await runs.start(machine, ready, list, followingOf(stage, opened, { wasOver: false, at, signal }));
  } finally {
    refresher.dispose();
  }
}

/** The run, written down as soon as its machine is known. */
class Expected {
  readonly #stage: RunStage;
  readonly #opened: Opened;
  readonly #at: number;
  readonly plan;
  #id: InstanceId | undefined;
  run: Promise<RunRecord | undefined> = Promise.resolve(undefined);

  constructor(stage: RunStage, opened: Opened) {
    this.#stage = stage;
    this.#opened = opened;
    this.#at = opened.window.clock.now();
    this.plan = { name: "a.sh", command: "sh a.sh", setup: "", folder: stage.folder, remote: REMOTE };
  }

  note(id: InstanceId): void {
    if (this.#id === id || this.#stage.breakage.writesLate) return;
    this.#id = id;
    const { window } = this.#opened;
    this.run = window.runs.prepare(window.me(), id, this.plan, { rented: this.rented(id) }).catch(() => undefined);
  }

  rented(id: InstanceId) {
    const { fate, breakage } = this.#stage;
    const token = readLaunchToken(this.#opened.window.instances.find(id)?.value.label) ?? "unknown";
    return { token, at: this.#at, whenDone: breakage.whenDone ?? fate.whenDone };
  }
}

/** Who goes on once the machine is up, and keeps whatever else comes of the launch. */
function personOf(stage: RunStage, expected: Expected, at: (where: Where) => void, signal: AbortSignal): LaunchPerson {
  return {
    confirm: async () => false,
    tell: async (message) => {
      if ("id" in message) stage.told.add(message.id);
      const isUp = message.kind === "running" || message.kind === "silent";
      return isUp && !signal.aborted ? "connect" : undefined;
    },
    wait: (work) => work(),
    accompany: (_, work) =>
      work((now) => {
        if (typeof now === "object") {
          stage.handed.add(now.id);
          expected.note(now.id);
        }
        at({ kind: "renting", stage: now, elapsed: 0, price: undefined });
      }, signal),
  };
}

/** How often someone tries to come back to the same run in one window. */
const TRIES = 3;

/** Comes back to the runs that no one follows, as a window offers them. Ends once there are none, or with its window. */
export async function comeBack(stage: RunStage, opened: Opened, looks = 40): Promise<void> {
  const { window } = opened;
  const tries = new Map<string, number>();
  for (let look = 0; look < looks; look += 1) {
    const { left, followed } = await window.runs.findLeft(window.me());
    const more = left.filter(({ id }) => (tries.get(id) ?? 0) < TRIES);
    if (more.length + followed.length === 0) return;
    for (const run of more) {
      stage.checkLeft(opened, run);
      tries.set(run.id, (tries.get(run.id) ?? 0) + 1);
      await takeUp(stage, opened, run).catch(() => undefined);
    }
    await modelSleep(15);
  }
}

async function takeUp(stage: RunStage, opened: Opened, run: RunRecord): Promise<void> {
  const { window } = opened;
  const { runs, actions } = window;
  if (!(await actions.reread(window.me(), run.instance))) return await runs.noteGone(run, "It no longer exists.");
  stage.told.add(run.instance);
  if (isStranded(run)) return await runs.giveUp(run, "It was never started.");
  const machine = await reach(stage, opened, run.instance, NEVER);
  const wasOver = stage.machine.process !== "running";
  await runs.follow(machine, run, followingOf(stage, opened, { wasOver, at: () => {}, signal: NEVER }));
}
