// An upload to a machine of the sandbox, to plain `tar | ssh tar` of the same bytes to the same machine.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InstanceId } from "../../src/domain/base/id.ts";
import { commandArguments, type SshLogin } from "../../src/domain/connection/ssh-command.ts";
import { uploadCommand } from "../../src/domain/transfer/transfer-command.ts";
import { createInstance } from "../../src/sandbox/handlers/create-instance.ts";
import { startSandbox } from "../../src/sandbox/start.ts";
import type { MachineLogin } from "../../src/services/connection/run-there.ts";
import { findSsh } from "../../src/services/connection/ssh-program.ts";
import { listUpload } from "../../src/services/transfer/list-upload.ts";
import { probeTransfer } from "../../src/services/transfer/probe-transfer.ts";
import { upload } from "../../src/services/transfer/upload.ts";
import { median, type Row } from "./measure.ts";

const ROUNDS = 7;
const NEVER = new AbortController().signal;
const SHAPES = {
  "1,000 files uploaded": { files: 1000, size: 4000 },
  "200 MB uploaded": { files: 4, size: 50_000_000 },
};

async function rent(folder: string) {
  const sandbox = await startSandbox({ seed: 1, speed: 600, ssh: true });
  const key = join(folder, "key");
  assert.equal(spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]).status, 0);
  const { world } = sandbox;
  world.account.sshKeys.push((await readFile(`${key}.pub`, "utf8")).trim());
  const offer = world.offers.find((one) => world.isRentable(one));
  assert.ok(offer);
  world.setFate(offer.id, "runs");
  const { id } = createInstance(world, offer.id, { image: "a/b", runtype: "ssh_direct" });
  while (world.openPorts.get(id) === undefined) await new Promise((resolve) => setTimeout(resolve, 50));
  const address = { host: "127.0.0.1", port: world.openPorts.get(id)?.ssh ?? 0 };
  const knownHosts = join(folder, "known_hosts");
  const login: SshLogin = { address, alias: "cloud-gpu-bench", knownHosts, identity: key, config: "none" };
  const machine: MachineLogin = { id: InstanceId.parse(id), program: await findSsh(), login };
  return { machine, home: await probeTransfer(machine, NEVER), stop: () => sandbox.stop() };
}

/** What anybody would do without us: the shell joins the two by a pipe of its own. */
async function plainUpload({ program, login }: MachineLogin, from: string, remote: string): Promise<void> {
  const script = 'from=$1; shift; tar -cf - -C "$from" . | "$@"';
  const ssh = [program, ...commandArguments(login, uploadCommand(remote))];
  const [code] = await once(spawn("sh", ["-c", script, "sh", from, ...ssh], { stdio: "ignore" }), "close");
  assert.equal(code, 0);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

export async function transfers(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-bench-"));
  const { machine, home, stop } = await rent(folder);
  try {
    const rows: Row[] = [];
    for (const [what, { files, size }] of Object.entries(SHAPES)) {
      const from = join(folder, what);
      await mkdir(from);
      for (let at = 0; at < files; at += 1) await writeFile(join(from, `${at}.bin`), Buffer.alloc(size, `${at} `));
      const list = await listUpload(from, NEVER);
      const ways = {
        plain: (remote: string) => plainUpload(machine, from, remote),
        ours: (remote: string) => upload({ machine, folder: from, list, remote }, NEVER, () => undefined),
      };
      const times: Record<keyof typeof ways, number[]> = { plain: [], ours: [] };
      for (let round = 0; round <= ROUNDS; round += 1)
        for (const way of round % 2 === 0 ? (["plain", "ours"] as const) : (["ours", "plain"] as const)) {
          const remote = join(home, way);
          const time = await timed(() => ways[way](remote));
          assert.equal((await listUpload(remote, NEVER)).bytes, list.bytes, "all of it arrived");
          await rm(remote, { recursive: true });
          // The first round warms up.
          if (round > 0) times[way].push(time);
        }
      const value = median(times.ours) / median(times.plain);
      rows.push({ what: `${what}, to plain tar | ssh`, value, unit: "×", goal: 1.2 });
    }
    return rows;
  } finally {
    await stop();
    await rm(folder, { recursive: true, force: true });
  }
}
