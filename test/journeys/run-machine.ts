// A window with a machine that commands run on, by the real `ssh`, and folders of this computer to run there.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { InstanceId } from "../../src/domain/base/id.ts";
import { findSetup } from "../../src/domain/run/environment.ts";
import type { RunPlan } from "../../src/domain/run/run-plan.ts";
import type { RentedForRun, RunRecord } from "../../src/domain/run/run-record.ts";
import type { RunStage } from "../../src/domain/run/run-stage.ts";
import type { SandboxOptions } from "../../src/sandbox/start.ts";
import type { MachineLogin } from "../../src/services/connection/run-there.ts";
import { findSsh } from "../../src/services/connection/ssh/ssh-program.ts";
import { listRun } from "../../src/services/run/list-run.ts";
import type { RentingWatch } from "../../src/services/run/rent-for-run.ts";
import type { Following } from "../../src/services/run/run-watch.ts";
import { probeTransfer } from "../../src/services/transfer/probe-transfer.ts";
import type { Parts } from "./editor-window.ts";
import { cleanUp, eventually, signedIn } from "./support.ts";
import { rentElsewhere } from "./written.ts";

const HAS_SSH = ["ssh", "ssh-keygen"].every((name) => spawnSync(name, ["-?"], { stdio: "ignore" }).error === undefined);
export const skip = (!HAS_SSH || process.platform === "win32") && "needs OpenSSH and a POSIX shell";
export const NEVER = new AbortController().signal;

/** A window in front of a market in which every machine runs, with a key of its own. */
export async function signInForRuns(parts: Parts = {}, options: SandboxOptions = {}) {
  const window = await signedIn({ ssh: true, ...options }, parts);
  const { world } = window.service;
  for (const { id, fate } of world.offers) if (fate !== "gone") world.setFate(id, "runs");
  const key = join(window.userData.root, "ssh", "id_ed25519");
  await mkdir(dirname(key), { recursive: true });
  const made = spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "mine", "-f", key]);
  assert.equal(made.status, 0);
  const [mine] = (await window.connections.listLocalKeys()).filter(({ comment }) => comment === "mine");
  assert.ok(mine);
  return { ...window, key, mine };
}

type Window = Awaited<ReturnType<typeof signInForRuns>>;

/** An instance that runs and can be logged in to. */
export async function openMachine(window: Window, label?: string) {
  const { world } = window.service;
  const id: InstanceId = await rentElsewhere(window, label);
  const isRunning = () =>
    world.listInstances().some((one) => one.id === id && world.toRecord(one).actual_status === "running");
  await eventually(isRunning, "it runs");
  await window.connections.addKey(window.me(), id, window.mine);
  const login = { ...(await window.connections.reach(window.me(), id, NEVER)), identity: window.key };
  await window.sshMachines.put(window.me(), id, login);
  const alone: MachineLogin = { id, program: await findSsh(), login };
  const machine = await window.sharedConnections.open(window.me(), alone, NEVER);
  return { ...window, alone, machine, home: await probeTransfer(machine, NEVER) };
}

/** Someone who watches a run until they leave, agrees to everything, and remembers it. */
export function watchRun() {
  const stages: RunStage[] = [];
  const asked: RunRecord[] = [];
  let printed = "";
  const leaving = new AbortController();
  const watch: RentingWatch = {
    ask: async () => undefined,
    stage: (stage) => void stages.push(stage),
    output: (bytes) => {
      printed += Buffer.from(bytes).toString("latin1");
    },
    mayGoOn: async () => true,
    mayDestroy: async (run) => asked.push(run) > 0,
  };
  const kinds = () => [...new Set(stages.map(({ kind }) => kind))];
  const leave = () => leaving.abort();
  return { watch, signal: leaving.signal, leave, stages, kinds, asked, printed: () => printed };
}

let projects = 0;

/** A folder of this computer, uploaded to a place of its own. */
export async function makeProject(
  window: Awaited<ReturnType<typeof openMachine>>,
  files: Readonly<Record<string, string>>,
  command: string,
  rented?: RentedForRun,
) {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-run-"));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  projects += 1;
  const remote = `${window.home}/uploads/project ${projects}`;
  const plan: RunPlan = { name: "train.py", command, setup: findSetup(Object.keys(files)), folder, remote };
  let list = await listRun(plan, NEVER);
  const watching = watchRun();
  const { stages, kinds, asked, printed, leave } = watching;
  const following: Following = { account: window.me(), ...watching };
  const start = async (chosen: RunPlan = plan, machine = window.machine) => {
    stages.length = 0;
    list = await listRun(chosen, NEVER);
    const run = await window.runs.prepare(window.me(), window.machine.id, chosen, rented && { rented });
    return await window.runs.start(machine, run, list, following);
  };
  /** Files that went up last. */
  const uploaded = () => stages.findLast((stage) => stage.kind === "uploading")?.files;
  return {
    ...{ ...window, folder, remote, plan, following, leave, kinds, asked, stages },
    ...{ printed, start, uploaded, list },
  };
}

export const ended = ({ state }: RunRecord) => {
  assert.ok(state.kind === "ended");
  return state;
};

export const fetched = (run: RunRecord) => {
  const { results } = ended(run);
  assert.ok(results?.kind === "fetched", JSON.stringify(results));
  return results;
};
