// From Enter to the first line that a command prints on a machine that is up, beyond `ssh host command` of the same.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MachineLogin } from "../../src/services/connection/run-there.ts";
import { withCommand } from "../../src/services/connection/run-there.ts";
import { listUpload } from "../../src/services/transfer/list-upload.ts";
import { openTerminal, rentMachine, startWithKey, time } from "./login.ts";
import { median, type Row } from "./measure.ts";

const ROUNDS = 7;
const FILES = 50;
const COMMAND = "echo up";
const NEVER = new AbortController().signal;

async function runPlainly(machine: MachineLogin): Promise<void> {
  await withCommand(machine, `bash -lc '${COMMAND}'`, NEVER, async (running) => {
    running.stdin.end();
    await once(running.stdout, "data");
  });
}

/** A run of a folder with 50 small files that was uploaded before, as *Run on a GPU…* does it once nothing is left to ask. */
export async function runs(): Promise<Row[]> {
  const window = await startWithKey();
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-bench-run-"));
  try {
    await mkdir(join(folder, "src"));
    for (let at = 0; at < FILES; at += 1) await writeFile(join(folder, "src", `${at}.py`), "x = 1\n".repeat(200));
    const { machine } = await openTerminal(window, await rentMachine(window));
    const account = window.me();
    const remote = join(tmpdir(), `cloud-gpu-bench-there-${process.pid}`);
    const start = async (isShared: boolean): Promise<number> => {
      const began = performance.now();
      const list = await listUpload(folder, NEVER);
      const reached = isShared ? await window.sharedConnections.open(account, machine, NEVER) : machine;
      const plan = { name: "bench", command: COMMAND, setup: "", folder, remote };
      const run = await window.runs.prepare(account, machine.id, plan);
      let first = Number.NaN;
      const output = (bytes: Uint8Array) => {
        if (Number.isNaN(first) && Buffer.from(bytes).includes("\nup")) first = performance.now() - began;
      };
      const watch = { stage: () => {}, output, mayGoOn: async () => true, mayDestroy: async () => false };
      const { state } = await window.runs.start(reached, run, list, { account, watch, signal: NEVER });
      assert.ok(state.kind === "ended" && state.exit === 0);
      return first;
    };
    const [plain, ours, alone]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const [once, run, single] = [await time(() => runPlainly(machine)), await start(true), await start(false)];
      // The first round warms up.
      if (round === 0) continue;
      plain.push(once);
      ours.push(run);
      alone.push(single);
    }
    await rm(remote, { recursive: true, force: true });
    return [
      {
        what: `first line of a run with ${FILES} files, beyond plain ssh`,
        value: (median(ours) - median(plain)) / 1000,
        unit: "s",
        goal: 1.5,
      },
      {
        what: "the same where every command logs in for itself",
        value: (median(alone) - median(plain)) / 1000,
        unit: "s",
        goal: 1.5,
      },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
    await window.stop();
  }
}
