// Transfers to a machine, to plain `tar | ssh tar` of the same bytes with the same machine.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InstanceId } from "../../src/domain/base/id.ts";
import { buildSshArguments, readFastCiphers, type SshLogin } from "../../src/domain/connection/ssh-command.ts";
import { buildUploadCommand } from "../../src/domain/transfer/transfer-command.ts";
import { quoteWord } from "../../src/lib/shell-words.ts";
import { createInstance } from "../../src/sandbox/handlers/create-instance.ts";
import { startSandbox } from "../../src/sandbox/start.ts";
import type { MachineLogin } from "../../src/services/connection/run-there.ts";
import { findSsh, printOwnConfiguration } from "../../src/services/connection/ssh/ssh-program.ts";
import { downloadFiles } from "../../src/services/transfer/download.ts";
import { listUpload } from "../../src/services/transfer/list-upload.ts";
import { probeTransfer } from "../../src/services/transfer/probe-transfer.ts";
import { uploadFiles } from "../../src/services/transfer/upload.ts";
import { startOpensshServer, whyNoServer } from "../openssh-server.ts";
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

/** What anyone would do without us: the shell joins the two by a pipe of its own. */
async function plainUpload({ program, login }: MachineLogin, from: string, remote: string): Promise<void> {
  const script = 'from=$1; shift; tar -cf - -C "$from" . | "$@"';
  const ssh = [program, ...buildSshArguments(login), buildUploadCommand(remote)];
  const [code] = await once(spawn("sh", ["-c", script, "sh", from, ...ssh], { stdio: "ignore" }), "close");
  assert.equal(code, 0);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** The largest of these against OpenSSH's own server, both ways: the sandbox's is slower than the network. */
const LARGE = { files: 10, size: 50_000_000 };
const LARGE_ROUNDS = 3;

async function writeFiles(folder: string, { files, size }: { files: number; size: number }): Promise<void> {
  await mkdir(folder);
  for (let at = 0; at < files; at += 1) await writeFile(join(folder, `${at}.bin`), randomBytes(size));
}

async function digestFolder(folder: string): Promise<string> {
  const hash = createHash("sha256");
  // In pieces: what lies in memory of whole files would be collected while the next way is timed.
  for (const name of (await readdir(folder)).sort())
    for await (const piece of createReadStream(join(folder, name))) hash.update(piece as Buffer);
  return hash.digest("hex");
}

/** The other way round. */
async function plainDownload({ program, login }: MachineLogin, remote: string, into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  const script = 'into=$1; shift; "$@" | tar -xf - -C "$into"';
  const ssh = [program, ...buildSshArguments(login), `exec tar -cf - -C ${quoteWord(remote)} .`];
  const [code] = await once(spawn("sh", ["-c", script, "sh", into, ...ssh], { stdio: "ignore" }), "close");
  assert.equal(code, 0);
}

/** No rows where there is no such server. */
export async function largeTransfers(): Promise<Row[]> {
  const why = whyNoServer();
  if (why !== false) return [];
  const server = await startOpensshServer();
  const ciphers = readFastCiphers(await printOwnConfiguration(server.login));
  const machine = { ...server, login: { ...server.login, ciphers } };
  const { folder } = machine;
  const [from, there] = [join(folder, "from"), join(folder, "there")];
  try {
    await writeFiles(from, LARGE);
    const [list, digest] = [await listUpload(from, NEVER), await digestFolder(from)];
    const into = (way: string) => join(folder, `into-${way}`);
    const works = {
      "500 MB uploaded": {
        plain: () => plainUpload(machine, from, join(there, "plain")),
        ours: () => uploadFiles({ machine, folder: from, list, remote: join(there, "ours") }, NEVER, () => undefined),
        arrived: (way: string) => join(there, way),
      },
      "500 MB downloaded": {
        plain: () => plainDownload(machine, from, into("plain")),
        ours: async () => {
          const arrived = await downloadFiles({ machine, remote: from, into: folder }, NEVER, {
            report: () => undefined,
            mayGoOn: async () => true,
          });
          await rename(arrived.path, into("ours"));
          await arrived.remove();
        },
        arrived: into,
      },
    };
    const rows: Row[] = [];
    for (const [what, { plain, ours, arrived }] of Object.entries(works)) {
      const times: Record<"plain" | "ours", number[]> = { plain: [], ours: [] };
      for (let round = 0; round <= LARGE_ROUNDS; round += 1)
        for (const [way, work] of [["plain", plain] as const, ["ours", ours] as const]) {
          const time = await timed(work);
          assert.equal(await digestFolder(arrived(way)), digest, "what arrived is what left");
          await rm(arrived(way), { recursive: true });
          if (round > 0) times[way].push(time);
        }
      const value = median(times.ours) / median(times.plain);
      rows.push({ what: `${what}, OpenSSH's own server, to plain tar | ssh`, value, unit: "×", goal: 1.2 });
    }
    return rows;
  } finally {
    await machine.stop();
  }
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
        ours: (remote: string) => uploadFiles({ machine, folder: from, list, remote }, NEVER, () => undefined),
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
