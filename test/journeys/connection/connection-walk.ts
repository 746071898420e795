// A walk through everything that connects to a machine, with secrets that are looked for afterwards.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { inspect, promisify } from "node:util";
import { InstanceId } from "../../../src/domain/base/id.ts";
import { buildSshArguments, formatSshCommand } from "../../../src/domain/connection/ssh-command.ts";
import { createLog } from "../../../src/lib/log.ts";
import { formatLogDocument, formatLogHeader, formatLogTitle } from "../../../src/present/connection/log-lines.ts";
import { buildInstanceRow } from "../../../src/present/instance/instances.ts";
import { describeDownloaded, formatUploadList } from "../../../src/present/transfer/transfer-text.ts";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import type { MachineLogin } from "../../../src/services/connection/run-there.ts";
import { findSsh } from "../../../src/services/connection/ssh/ssh-program.ts";
import type { BrokenTunnel } from "../../../src/services/port/tunnels.ts";
import { downloadFiles } from "../../../src/services/transfer/download.ts";
import { listUpload } from "../../../src/services/transfer/list-upload.ts";
import { probeTransfer } from "../../../src/services/transfer/probe-transfer.ts";
import { settleDownload } from "../../../src/services/transfer/settle-download.ts";
import { uploadFiles } from "../../../src/services/transfer/upload.ts";
import { rememberAgreed } from "../../../src/services/transfer/upload-memory.ts";
import { createPortRows } from "../../../src/ui/port/port-rows.ts";
import { formsOfPrivateKey } from "../secret-forms.ts";
import { cheapest, cleanUp, editorWindow, eventually, makeUserData, sandbox } from "../support.ts";
import { type Seen, watchOpenedFiles, watchProcesses } from "./process-watch.ts";
import { record } from "./recorder.ts";

const NEVER = new AbortController().signal;

export const PASSPHRASE = "canary-passphrase-5521";
export const VARIABLE = "canary-variable-6632";
export const LISTED = "canary-listed-token-7743";

/** A key that asks nothing, and one that asks for its passphrase. */
async function makeKeys(folder: string) {
  await mkdir(folder, { recursive: true });
  const make = (name: string, passphrase: string) => {
    const file = join(folder, name);
    const given = ["-q", "-t", "ed25519", "-N", passphrase, "-C", name, "-f", file];
    assert.equal(spawnSync("ssh-keygen", given).status, 0);
    return file;
  };
  const files = { open: make("id_open", ""), locked: make("id_locked", PASSPHRASE) };
  const read = async (file: string) =>
    formsOfPrivateKey(await readFile(file, "latin1"), await readFile(`${file}.pub`, "latin1"));
  return { ...files, forms: { open: await read(files.open), locked: await read(files.locked) } };
}

/** A window of a person with two machines, one of them started with Jupyter, and everything that is written, sent and said. */
async function stage() {
  const said: string[] = [];
  const log = createLog((level, line) => said.push(`${level} ${line}`));
  const service = await sandbox({ ssh: true });
  const { world } = service;
  for (const { id, fate } of world.offers) if (fate !== "gone") world.setFate(id, "runs");
  const requests = await record(service.url);
  const window = editorWindow(makeUserData(), { log });
  await window.session.signIn(requests.url, service.apiKey);
  const rent = async (runtype: string, nth: number) => {
    const env = { CANARY_VALUE: VARIABLE, "-p 6006:6006": "1" };
    const offer = await cheapest(window, nth);
    return InstanceId.parse(createInstance(world, offer.id, { image: "a/b", runtype, env }).id);
  };
  const [notebook, plain] = [await rent("jupyter_direc ssh_direc ssh_proxy", 0), await rent("ssh_direct", 4)];
  const isUp = () => world.listInstances().every((one) => world.toRecord(one).actual_status === "running");
  await eventually(isUp, "both run");
  const tokenOf = (id: InstanceId) =>
    world.listInstances().flatMap((one) => (one.id === id ? [String(world.toRecord(one).jupyter_token)] : []))[0] ?? "";
  return { ...window, service, requests, said, notebook, plain, token: tokenOf(notebook) };
}
type Stage = Awaited<ReturnType<typeof stage>>;

/** Up to a login, as every feature does it. */
async function reach(stage: Stage, id: InstanceId, identity: string): Promise<MachineLogin> {
  const { connections, hostKeys, sshMachines } = stage;
  const keys = await connections.listLocalKeys();
  const key = keys.find(({ file }) => file === identity);
  assert.ok(key);
  if ((await connections.findAdmitted(stage.me(), id, [key])) === "none") await connections.addKey(stage.me(), id, key);
  const login = { ...(await connections.reach(stage.me(), id, NEVER)), identity };
  await sshMachines.put(stage.me(), id, login);
  assert.notEqual(await hostKeys.compare(login, await hostKeys.findStored(login.alias)), "changed");
  await connections.recheck(stage.me(), id, login);
  return { id, program: await findSsh(), login };
}

/** A terminal and a window of the editor, by what they are given. */
async function logIn(stage: Stage, { id, program, login }: MachineLogin): Promise<void> {
  const { sshConfig, remoteWindows, hostKeys, said } = stage;
  const run = promisify(execFile);
  for (const given of [await sshConfig.buildTerminalArguments(login), buildSshArguments(login)]) {
    assert.ok(given);
    await run(program, ["-o", "BatchMode=yes", ...given, "true"]);
  }
  said.push(formatSshCommand(login));
  assert.equal(await hostKeys.compare(login, await hostKeys.findStored(login.alias)), "same");
  await remoteWindows.writeBlock(stage.me(), id, login);
  await remoteWindows.check(login);
  await remoteWindows.include(login);
  assert.equal(await remoteWindows.findDifference(login), undefined);
  assert.ok("facts" in (await remoteWindows.prepare(login, NEVER)));
}

async function transfer(stage: Stage, machine: MachineLogin): Promise<void> {
  const { userData, sshMachines, said } = stage;
  const [folder, into] = [join(userData.root, "project"), join(userData.root, "downloads")];
  await mkdir(folder);
  await mkdir(into);
  await writeFile(join(folder, "train.py"), "print('training')\n");
  const remote = `${await probeTransfer(machine, NEVER)}/project`;
  const list = await listUpload(folder, NEVER);
  said.push(formatUploadList(folder, { id: machine.id, list, remote, before: undefined }));
  await uploadFiles({ machine, folder, list, remote }, NEVER, () => undefined);
  const agreed = { to: remote, usual: "/workspace", files: 1, bytes: list.bytes };
  await rememberAgreed(sshMachines, machine.login.alias, folder, agreed);
  const arrived = await downloadFiles({ machine, remote, into }, NEVER, WATCH);
  said.push(describeDownloaded(arrived.report, await settleDownload(arrived, into, []), arrived.complaint));
}
const WATCH = { report: () => undefined, mayGoOn: async () => false };

async function readLogs({ logs, me, said }: Stage, id: InstanceId): Promise<void> {
  const request = { source: "container", lines: 100 } as const;
  said.push((await logs.read(me(), id, request, NEVER)).text);
  const stop = new AbortController();
  for await (const event of logs.follow(me(), id, request, stop.signal)) {
    said.push(JSON.stringify(event));
    stop.abort();
  }
}

const LISTS = 'if [ "$1" = list ]; then cat "$HOME/servers"; exit; fi';
/** Does for a client what Jupyter does: it says where it is and by which token, and answers. */
const SERVES = `const server = require("node:http").createServer((_, response) => response.end("Jupyter"));
server.listen(0, "127.0.0.1", () => {
  const line = { port: server.address().port, token: process.env.JUPYTER_TOKEN, base_url: "/", password: false };
  require("node:fs").writeFileSync(process.env.HOME + "/servers", JSON.stringify(line) + "\\n");
});
`;

/** Three ways to Jupyter. @returns the token of the server that was started. */
async function openJupyter(stage: Stage, notebook: MachineLogin, plain: MachineLogin) {
  const { jupyterServers, tunnels, instances, me, token } = stage;
  const open = async (machine: MachineLogin) => {
    const value = instances.find(machine.id)?.value;
    assert.ok(value);
    const access = await jupyterServers.open(me(), machine, value, NEVER);
    assert.ok(access !== "missing");
    return access;
  };
  assert.equal((await open(notebook)).token, token, "by what the service says");
  const home = await probeTransfer(plain, NEVER);
  const program = join(home, ".local", "bin", "jupyter-server");
  await writeFile(join(home, "server.cjs"), SERVES);
  await writeFile(program, `#!/bin/sh\n${LISTS}\nexec "${process.execPath}" "$HOME/server.cjs"\n`, { mode: 0o755 });
  const running = createServer((_, response) => response.end("Jupyter"));
  running.listen(0, "127.0.0.1");
  await once(running, "listening");
  cleanUp(() => running.close());
  const line = { port: (running.address() as AddressInfo).port, token: LISTED, base_url: "/", password: false };
  await writeFile(join(home, "servers"), `${JSON.stringify(line)}\n`);
  assert.equal((await open(plain)).token, LISTED, "by the machine's own list");
  await writeFile(join(home, "servers"), "");
  const started = (await open(plain)).token;
  assert.ok(started.length > 40 && started !== LISTED, "started with a token of its own");
  assert.ok(tunnels.list().length >= 3);
  return started;
}

/** A machine that repeats what it knows, a key that asks for its passphrase, and a machine that is gone. */
async function fail(stage: Stage, machine: MachineLogin, { secret, locked }: { secret: string; locked: string }) {
  const { connections, said, service, me, userData } = stage;
  const keep = (error: unknown) => void said.push(inspect(error, { depth: 8 }), String(error), JSON.stringify(error));
  const failing = (work: Promise<unknown>) => work.then(() => assert.fail("it works"), keep);
  await failing(probeTransfer({ ...machine, login: { ...machine.login, identity: locked } }, NEVER));
  const home = await probeTransfer(machine, NEVER);
  const program = (name: string, script: string) =>
    writeFile(join(home, ".local", "bin", name), `#!/bin/sh\n${script} >&2\nexit 9\n`, { mode: 0o755 });
  // A text that is cut for a message may end in the middle of a secret.
  const loud = `echo "${"x".repeat(180)} ${secret}"`;
  await program("cat", `while [ ! -e "$HOME/end" ]; do sleep 0.05; done; ${loud}`);
  await breakTunnel(stage, machine, join(home, "end"));
  for (const words of [`echo "I know ${secret}"`, loud]) {
    await program("tar", words);
    await failing(downloadFiles({ machine, remote: home, into: userData.root }, NEVER, WATCH));
  }
  service.world.destroy(machine.id);
  await failing(connections.recheck(me(), machine.id, machine.login));
}

/** A forwarding whose command on the machine ends once that file is there. */
async function breakTunnel({ tunnels, me, said }: Stage, machine: MachineLogin, end: string): Promise<void> {
  const broken: BrokenTunnel[] = [];
  tunnels.onDidBreak((one) => void broken.push(one));
  const { remote } = await tunnels.open(me(), machine, { id: machine.id, remote: 7007 }, NEVER);
  await writeFile(end, "");
  await eventually(() => broken.some(({ tunnel }) => tunnel.remote === remote), "it ends");
  said.push(...broken.map(({ reason }) => reason));
}

/** What a person sees of a machine, hovering included. */
function show({ instances, tunnels, session, said, log }: Stage): void {
  for (const row of instances.rows) {
    const rows = [
      buildInstanceRow({ ...row, tag: "t", staleSince: undefined }),
      ...createPortRows({ session, tunnels })
        .rowsBelow(row, "t")
        .map(({ view }) => view),
    ];
    for (const view of rows) said.push(JSON.stringify(view), JSON.stringify(view.tooltip?.()));
    said.push(formatLogTitle(row.value, "container"), formatLogHeader(row.value, "daemon"));
    said.push(formatLogDocument(row.value, { text: "", isCut: true, at: "" }));
    log.debug("A machine", row);
  }
}

/** What was done, and everything that it left. */
export interface Walked extends Stage {
  readonly ownKeys: Awaited<ReturnType<typeof makeKeys>>;
  /** Of the server that was started. */
  readonly started: string;
  readonly programs: Seen;
  /** Files that this process opened. */
  readonly opened: ReadonlySet<string>;
}

export async function walk(): Promise<Walked> {
  const walking = await stage();
  const ownKeys = await makeKeys(join(walking.userData.root, "ssh"));
  const programs = watchProcesses();
  const endWatch = await watchOpenedFiles();
  const notebook = await reach(walking, walking.notebook, ownKeys.open);
  const plain = await reach(walking, walking.plain, ownKeys.open);
  await walking.instances.collection.refresh();
  await logIn(walking, plain);
  await transfer(walking, plain);
  await readLogs(walking, walking.plain);
  const { local } = await walking.tunnels.open(walking.me(), notebook, { id: notebook.id, remote: 6006 }, NEVER);
  assert.ok(local > 0);
  const started = await openJupyter(walking, notebook, plain);
  show(walking);
  await fail(walking, plain, { secret: LISTED, locked: ownKeys.locked });
  return { ...walking, ownKeys, started, programs, opened: await endWatch() };
}
