// Logging in to the sandbox's machines with the real OpenSSH programs.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import ssh2 from "ssh2";
import { buildSelfStopScript } from "../../../src/domain/instance/self-stop.ts";
import { noteGpuLoads } from "../../../src/sandbox/ssh/nvidia-smi.ts";
import { World } from "../../../src/sandbox/world/world.ts";
import { Bench, type Json } from "../support/sandbox.ts";
import { findRunning, hasSshPrograms, isListening, type Running, SshPrograms, until } from "../support/ssh.ts";

const CANARY = "canary-of-the-parent-5512";
process.env.CLOUD_GPU_TEST_CANARY = CANARY;
/** Simulated seconds after which whatever was asked for has come about. */
const AWHILE = 200;

interface Login {
  readonly port: number;
  readonly id: number;
  readonly record: Json;
}

const limits = { timeout: 60_000 };
const isLinux = process.platform === "linux";
const skip = !hasSshPrograms || process.platform === "win32" ? "needs the OpenSSH programs and a POSIX shell" : false;

describe("a machine of the sandbox", { skip, timeout: 300_000 }, () => {
  let bench: Bench;
  let programs: SshPrograms;
  let main: Login;
  let home: string;

  const portOf = (record: Json) => {
    const [first] = (record.ports as Record<string, Json[]>)["22/tcp"] ?? [];
    return Number(first?.HostPort);
  };

  const rent = async (body: Json = {}, wanted?: Parameters<Bench["freeOffer"]>[0], at = bench): Promise<Login> => {
    const offer = at.freeOffer(wanted);
    const { id } = await at.created({ image: "a/b", disk: 10, runtype: "ssh_direct", ...body }, offer);
    at.clock.advance(AWHILE);
    const record = await at.instance(id);
    assert.equal(record.actual_status, "running");
    // Its port may have been that of a machine that is gone, with another host key.
    rmSync(programs.path("known_hosts"), { force: true });
    return { id: Number(id), record, port: portOf(record) };
  };

  const login = (port: number, command: readonly string[], options: LoginOptions = {}): Running => {
    const { key = "mine", user = "root", more = [], input, hosts } = options;
    const identity = programs.options(key === null ? undefined : key, hosts);
    return programs.run("ssh", [...more, ...identity, "-p", String(port), `${user}@127.0.0.1`, ...command], input);
  };

  interface LoginOptions {
    readonly key?: string | null;
    readonly user?: string;
    readonly more?: readonly string[];
    readonly input?: string | Buffer;
    readonly hosts?: string;
  }

  const say = async (port: number, command: string, options: LoginOptions = {}) => {
    const { code, out, err } = await login(port, [command], { input: "", ...options }).ended;
    assert.equal(code, 0, err);
    return out.toString().trim();
  };

  const refused = async (options: LoginOptions, port = main.port) => {
    const { code, out, err } = await login(port, ["echo in"], { input: "", ...options }).ended;
    assert.deepEqual([code, out.toString()], [255, ""]);
    assert.match(err, /Permission denied \(publickey\)/);
  };

  const change = async (id: number, state: string) => {
    await bench.ask("PUT", `/api/v0/instances/${id}/`, { body: { state } });
    bench.clock.advance(AWHILE);
    return bench.instance(id);
  };

  before(async () => {
    programs = new SshPrograms();
    bench = await Bench.start({ ssh: true });
    for (const name of ["mine", "other", "later"]) programs.createKey(name);
    const answer = await bench.ask("POST", "/api/v0/ssh/", {
      body: { ssh_key: readFileSync(programs.path("mine.pub"), "utf8") },
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    main = await rent();
    home = await say(main.port, "pwd");
  });

  after(async () => {
    await bench.sandbox.stop();
    programs.dispose();
  });

  test("nvidia-smi answers with what the offer says", limits, async () => {
    const { gpu_name, num_gpus, gpu_ram, driver_version, cuda_max_good } = main.record;
    const table = await say(main.port, "nvidia-smi");
    assert.ok(table.includes(`NVIDIA ${gpu_name}`), table);
    assert.equal(table.split(`/ ${String(gpu_ram).padStart(6)}MiB`).length - 1, num_gpus);
    assert.ok(table.includes(`Driver Version: ${driver_version}`));
    assert.ok(table.includes(`CUDA Version: ${Number(cuda_max_good).toFixed(1)}`));
    assert.deepEqual([...new Set(table.split("\n").map((line) => line.length))], [91]);
    assert.equal((await say(main.port, "bash -lc 'nvidia-smi -L'")).split("\n").length, num_gpus);
    assert.notEqual((await login(main.port, ["nvidia-smi --query-gpu=name"], { input: "" }).ended).code, 0);
  });

  test("nvidia-smi says what the list says its GPUs do", limits, async () => {
    const query = "nvidia-smi --query-gpu=index,utilization.gpu,memory.used,power.draw --format=csv,noheader,nounits";
    const many = await rent({}, ({ gpuIds }) => gpuIds.length > 1);
    const count = Number(many.record.num_gpus);
    const loads = async () => (await say(many.port, query)).split("\n").map((line) => line.split(", ")[1]);
    const shown = async () => (await bench.instance(many.id)).gpu_util;
    bench.sandbox.world.setGpuLoad(many.id, 3);
    assert.equal(await shown(), 3);
    assert.deepEqual(
      await loads(),
      Array.from({ length: count }, () => "3"),
    );
    bench.sandbox.world.setGpuLoad(many.id, [80]);
    assert.equal(await shown(), Math.round((80 / count) * 10) / 10);
    assert.deepEqual((await loads()).slice(0, 2), ["80", "0"]);
    assert.match(await say(many.port, "nvidia-smi"), / 80% {6}Default \|/);
    bench.sandbox.world.setGpuLoad(many.id, null);
    assert.equal(await shown(), null);
    assert.equal((await loads())[0], "[N/A]");
    bench.sandbox.world.setGpuLoad(many.id, undefined);
    const drawn = Number(await shown());
    assert.ok(drawn >= 20 && drawn <= 95);
    assert.equal((await loads())[0], String(Math.round(drawn)));
  });

  test("nvidia-smi has something to say also while that changes", limits, async () => {
    const instance = bench.sandbox.world.findInstance(main.id);
    assert.ok(instance);
    const place = mkdtempSync(join(tmpdir(), "cloud-gpu-notes-"));
    let [isOver, before] = [false, ""];
    const note = async () => {
      for (let load = 0; load < 300; load++) {
        bench.sandbox.world.setGpuLoad(main.id, load % 100);
        before = await noteGpuLoads(place, instance, { now: bench.sandbox.world.getNow(), before });
      }
      isOver = true;
      bench.sandbox.world.setGpuLoad(main.id, undefined);
    };
    const lengths = new Set<number>();
    const read = async () => {
      while (!isOver) lengths.add((await readFile(join(place, "table"), "utf8").catch(() => "not yet")).length);
    };
    await Promise.all([note(), read(), read()]);
    rmSync(place, { recursive: true });
    assert.ok(lengths.size > 0 && !lengths.has(0));
  });

  test("several GPUs are several rows; without NVIDIA there is no nvidia-smi", limits, async () => {
    const many = await rent({}, ({ gpuIds }) => gpuIds.length > 1);
    assert.equal((await say(many.port, "nvidia-smi -L")).split("\n").length, many.record.num_gpus);
    const amd = await rent({}, ({ machine }) => machine.gpu.name.startsWith("MI")).catch(() => undefined);
    if (amd) assert.equal((await login(amd.port, ["nvidia-smi"], { input: "" }).ended).code, 127);
  });

  test("another key, no key, a password and another user are refused", limits, async () => {
    await refused({ key: "other" });
    await refused({ key: null });
    await refused({ key: null, more: ["-o", "PreferredAuthentications=password,keyboard-interactive", "-tt"] });
    await refused({ user: "admin" });
  });

  test("a signature by another key is refused, although the public key is the right one", limits, async () => {
    const read = (name: string) => {
      const key = ssh2.utils.parseKey(readFileSync(programs.path(name)));
      if (key instanceof Error) throw key;
      return key;
    };
    const [mine, other] = [read("mine"), read("other")];
    const signedBy = (signer: ssh2.ParsedKey) =>
      new (class extends ssh2.BaseAgent<ssh2.ParsedKey> {
        getIdentities(done: ssh2.IdentityCallback<ssh2.ParsedKey>) {
          done(undefined, [mine]);
        }
        sign(_key: ssh2.ParsedKey, data: Buffer, options: unknown, done?: ssh2.SignCallback) {
          const answer = typeof options === "function" ? (options as ssh2.SignCallback) : done;
          answer?.(undefined, signer.sign(data));
        }
      })();
    const outcome = async (signer: ssh2.ParsedKey) => {
      const client = new ssh2.Client();
      const ended = new Promise<string>((resolve) => {
        client.once("ready", () => resolve("in"));
        client.once("error", (error) => resolve(error.message));
      });
      client.connect({ host: "127.0.0.1", port: main.port, username: "root", agent: signedBy(signer) });
      const said = await ended;
      client.on("error", () => undefined).end();
      return said;
    };
    assert.equal(await outcome(mine), "in");
    assert.match(await outcome(other), /authentication methods failed/);
  });

  test(
    "a key attached later logs in, and one of the account does not reach a machine that exists",
    limits,
    async () => {
      const key = readFileSync(programs.path("later.pub"), "utf8");
      await bench.ask("POST", "/api/v0/ssh/", { body: { ssh_key: key } });
      await refused({ key: "later" });
      await bench.ask("POST", `/api/v0/instances/${main.id}/ssh/`, { body: { ssh_key: key } });
      assert.equal(await say(main.port, "echo in", { key: "later" }), "in");
    },
  );

  test("keys of every usual kind log in", limits, async () => {
    for (const type of ["rsa", "ecdsa"]) {
      const key = programs.createKey(type, type);
      await bench.ask("POST", `/api/v0/instances/${main.id}/ssh/`, { body: { ssh_key: key } });
      assert.equal(await say(main.port, "echo in", { key: type }), "in", type);
    }
  });

  test("exit codes and signals arrive, and both outputs apart", limits, async () => {
    const { code, out, err } = await login(main.port, ["echo out; echo err >&2; exit 7"], { input: "" }).ended;
    assert.deepEqual([code, out.toString(), err.trim().split("\n").at(-1)], [7, "out\n", "err"]);
    const killed = await login(main.port, ["kill -TERM $$"], { input: "" }).ended;
    assert.equal(killed.code, 255);
    assert.equal((await login(main.port, ["no-such-program"], { input: "" }).ended).code, 127);
  });

  test("5 MB through it come back as they were, also by the error output", limits, async () => {
    const bytes = randomBytes(5_000_000);
    const { code, out } = await login(main.port, ["cat"], { input: bytes }).ended;
    assert.equal(code, 0);
    assert.ok(out.equals(bytes));
    const other = await login(main.port, ["head -c 3000000 /dev/zero | tr '\\0' x >&2; exit 3"], { input: "" }).ended;
    assert.deepEqual([other.code, other.err.match(/x{1000,}/)?.[0].length], [3, 3_000_000]);
  });

  test("scp brings a file up and down", limits, async () => {
    const bytes = randomBytes(300_000);
    writeFileSync(programs.path("up"), bytes);
    const options = ["-O", ...programs.options("mine"), "-P", String(main.port)];
    const up = await programs.run("scp", [...options, programs.path("up"), "root@127.0.0.1:copy"]).ended;
    assert.equal(up.code, 0, up.err);
    assert.ok(readFileSync(`${home}/copy`).equals(bytes));
    const down = await programs.run("scp", [...options, "root@127.0.0.1:copy", programs.path("down")]).ended;
    assert.equal(down.code, 0, down.err);
    assert.ok(readFileSync(programs.path("down")).equals(bytes));
  });

  test("sftp works where this computer has it, and is refused elsewhere", limits, async () => {
    const { code, err } = await login(main.port, ["sftp"], { input: "", more: ["-s"] }).ended;
    assert.ok(code === 0 || /subsystem request failed/.test(err), err);
  });

  test("-L reaches this computer's loopback and nothing else", limits, async () => {
    const server = createServer((_, response) => response.end("through"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    for (const [host, works] of [
      ["localhost", true],
      ["127.0.0.1", true],
      ["10.255.255.1", false],
    ] as const) {
      const free = createServer().listen(0, "127.0.0.1");
      await new Promise((resolve) => free.once("listening", resolve));
      const local = (free.address() as AddressInfo).port;
      await new Promise((resolve) => free.close(resolve));
      const more = ["-N", "-L", `127.0.0.1:${local}:${host}:${port}`];
      const tunnel = login(main.port, [], { more });
      await until("the tunnel listens", () => isListening(local));
      const text = await fetch(`http://127.0.0.1:${local}/`).then(
        (response) => response.text(),
        () => "refused",
      );
      assert.equal(text, works ? "through" : "refused", host);
      tunnel.child.kill();
      await tunnel.ended;
    }
    server.closeAllConnections();
    server.close();
  });

  test("remote forwarding is refused", limits, async () => {
    const more = ["-o", "ExitOnForwardFailure=yes", "-R", "0:127.0.0.1:9"];
    const { code, err } = await login(main.port, ["echo in"], { input: "", more }).ended;
    assert.equal(code, 255);
    assert.match(err, /forwarding failed|forward failure/);
  });

  test("a terminal is a terminal, and has a size", limits, async () => {
    const shell = login(main.port, [], { more: ["-tt"] });
    shell.child.stdin?.write("tty; stty size; nvidia-smi -L; exit 5\n");
    const { code, out } = await shell.ended;
    const text = out.toString();
    assert.equal(code, 5, text);
    assert.match(text, /GPU 0: NVIDIA/);
    // There is no terminal here whose size the client could tell.
    if (existsSync("/usr/bin/script")) assert.match(text, /\/dev\/(pts|tty)[\s\S]*24 80/);
    const one = await login(main.port, ["test -t 0 && echo yes; exit 4"], { more: ["-tt"], input: "" }).ended;
    assert.equal(one.code, 4, one.out.toString());
  });

  test("a shell without a terminal runs what it is given", limits, async () => {
    const { code, out } = await login(main.port, [], { input: "echo 'one two'; exit 6\n", more: ["-T"] }).ended;
    assert.deepEqual([code, out.toString()], [6, "one two\n"]);
  });

  test("the environment is its own", limits, async () => {
    const other = await rent({ env: { SECRET_OF_THE_TEMPLATE: "1" } });
    const lines = (await say(other.port, "env")).split("\n");
    const names = lines.map((line) => line.split("=")[0]).sort();
    const shells = ["OLDPWD", "PWD", "SHLVL", "_"];
    assert.deepEqual(
      names.filter((name) => !shells.includes(name ?? "")),
      [
        "CONTAINER_API_KEY",
        "CONTAINER_ID",
        "HOME",
        "LANG",
        "PATH",
        "SHELL",
        "SSH_CLIENT",
        "SSH_CONNECTION",
        "TMUX_TMPDIR",
        "USER",
      ],
    );
    assert.ok(!lines.join().includes(CANARY));
    assert.ok(lines.includes("USER=root"));
    assert.equal(statSync(home).mode & 0o777, 0o700);
  });

  test("a client that is killed takes its program along", limits, async () => {
    for (const more of [[], ["-tt"]]) {
      const word = `4242${more.length}.5`;
      const running = login(main.port, [`sleep ${word} & sleep ${word}`], { more });
      await until("both run", () => findRunning(`sleep ${word}`).filter((line) => / sleep/.test(line)).length >= 2);
      running.child.kill("SIGKILL");
      await until(
        "neither runs",
        () => findRunning(`sleep ${word}`).filter((line) => !line.includes("ssh ")).length === 0,
      );
    }
  });

  test(
    "stop cuts the connection; start brings another port with the same host key and the same files",
    limits,
    async () => {
      const { id, port } = await rent();
      const hosts = { more: ["-o", `HostKeyAlias=machine-${id}`], hosts: "hosts" };
      await say(port, "echo kept > file; nohup setsid sleep 4243.5 >/dev/null 2>&1 &", hosts);
      const running = login(port, ["echo begun; sleep 4244.5"], hosts);
      await until("it runs", () => running.out().includes("begun"));
      // Elsewhere there is no `setsid`, and nothing that finds what left its group.
      if (isLinux) assert.equal(findRunning("sleep 4243.5").length, 1, "what left its session outlives its connection");
      const stopped = await change(id, "stopped");
      assert.equal(stopped.ports, null);
      assert.match(String(stopped.ssh_host), /\.invalid$/);
      assert.equal((await running.ended).code, 255);
      assert.ok(!(await isListening(port)));
      await until(
        "no program is left",
        () => findRunning("sleep 4243.5").length + findRunning("sleep 4244.5").length === 0,
      );
      const started = await change(id, "running");
      const known = readFileSync(programs.path("hosts"), "utf8");
      assert.equal(await say(portOf(started), "cat file", hosts), "kept");
      assert.equal(readFileSync(programs.path("hosts"), "utf8"), known, "the same host key");
    },
  );

  test("a reboot cuts the connection, too", limits, async () => {
    const { id, port } = await rent();
    const running = login(port, ["echo begun; sleep 4245.5"]);
    await until("it runs", () => running.out().includes("begun"));
    await bench.ask("PUT", `/api/v0/instances/reboot/${id}/`, { body: {} });
    bench.clock.advance(AWHILE);
    assert.equal((await running.ended).code, 255);
    assert.equal(await say(portOf(await bench.instance(id)), "echo again"), "again");
  });

  test("a recycled machine cuts the connection and has an empty disk", limits, async () => {
    const { id, port } = await rent();
    const running = login(port, ["echo kept > file; echo begun; sleep 4246.5"]);
    await until("it runs", () => running.out().includes("begun"));
    const folder = await say(port, "pwd");
    await bench.ask("PUT", `/api/v0/instances/recycle/${id}/`, { body: {} });
    bench.clock.advance(AWHILE);
    assert.equal((await running.ended).code, 255);
    const again = portOf(await bench.instance(id));
    assert.equal(await say(again, "ls; echo again", { hosts: "recycled" }), "again");
    assert.ok(!existsSync(folder));
  });

  test("destroy removes the folder and closes the port", limits, async () => {
    const { id, port } = await rent();
    const folder = await say(port, "pwd");
    assert.ok(existsSync(folder));
    await bench.ask("DELETE", `/api/v0/instances/${id}/`, { body: {} });
    await until("the folder is gone", () => !existsSync(folder));
    assert.ok(!(await isListening(port)));
  });

  test(
    "of a start script, only what ends the instance itself is run, and it ends with the machine",
    limits,
    async () => {
      const own = buildSelfStopScript({ base: "http://127.0.0.1:9", until: Date.now() + 3_600_000, ending: "stop" });
      const { id, port } = await rent({ onstart: `#!/bin/sh\n${own}touch ~/ran\n` });
      await until("its end is there", async () => /^\d+ PUT/.test(await say(port, "cat ~/.gpu-end 2>/dev/null; true")));
      assert.equal(await say(port, "ls"), "");
      const folder = await say(port, "pwd");
      assert.equal(findRunning(`${folder}/.gpu-end`).length, 1);
      const other = await rent({ onstart: "touch ~/ran\n" });
      assert.equal(await say(other.port, "ls -A | grep -v '^[.]'; true"), "");
      // Someone else's template may look like ours, and have this computer ask a server of theirs.
      const base = "https://gpu.example.com";
      const foreign = await rent({ onstart: buildSelfStopScript({ base, until: 9e12, ending: "stop" }) });
      assert.equal(await say(foreign.port, "ls -A | grep gpu-end; true"), "");
      for (const one of [id, other.id, foreign.id]) await bench.ask("DELETE", `/api/v0/instances/${one}/`);
      await until("nothing of it is left", () => findRunning(`${folder}/.gpu-end`).length === 0 && !existsSync(folder));
    },
  );

  test("records say where to log in, by the rules of each runtype", limits, async () => {
    const { record, port } = main;
    assert.deepEqual([record.public_ipaddr, record.ssh_host, record.ssh_port], ["127.0.0.1", "127.0.0.1", port]);
    const jupyter = await rent({ runtype: "jupyter_direct" });
    assert.equal(Number(jupyter.record.ssh_port) + 1, jupyter.port);
    assert.equal(await say(jupyter.port, "echo in"), "in");
    const proxied = await rent({ runtype: "ssh" });
    assert.notEqual(proxied.record.public_ipaddr, "127.0.0.1");
    assert.ok(!("22/tcp" in (proxied.record.ports as Json)));
    assert.equal(await say(Number(proxied.record.ssh_port), "echo in"), "in");
    const none = await rent({ runtype: "args" });
    assert.equal(none.record.ssh_host, null);
  });

  test("nothing listens on another address", limits, async () => {
    const others = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    for (const { address, internal, family } of others)
      if (!internal && family === "IPv4") assert.ok(!(await isListening(main.port, address)), address);
    assert.ok(!(await isListening(main.port, "::1")));
  });

  test("clients that misbehave end their own connection only", limits, async () => {
    const noise = [
      "GET / HTTP/1.1\r\n\r\n",
      "SSH-2.0-x\r\n",
      Buffer.concat([Buffer.from("SSH-2.0-x\r\n"), randomBytes(9000)]),
    ];
    for (const bytes of noise) {
      const socket = connect({ port: main.port, host: "127.0.0.1" });
      socket.on("error", () => undefined);
      socket.resume();
      socket.write(bytes);
      socket.end();
      await new Promise((resolve) => socket.once("close", resolve));
    }
    const early = await login(main.port, ["exec 0<&-; sleep 0.2; echo done"], { input: randomBytes(1_000_000) }).ended;
    assert.equal(early.out.toString(), "done\n");
    const broken = login(main.port, ["yes"]);
    await until("it writes", () => broken.out().length > 0);
    broken.child.kill("SIGKILL");
    assert.equal(await say(main.port, "echo in"), "in");
  });

  test("ssh-late: the port is known and refuses at first", limits, async () => {
    bench.sandbox.faults.add("ssh-late");
    const { port } = await rent();
    bench.sandbox.faults.clear();
    assert.ok(!(await isListening(port)));
    await until("it listens", () => isListening(port));
    assert.equal(await say(port, "echo in"), "in");
  });

  test("ssh-silent: accepts, and never says anything", limits, async () => {
    bench.sandbox.faults.add("ssh-silent");
    const more = ["-o", "ConnectTimeout=1"];
    const { code, err } = await login(main.port, ["true"], { input: "", more }).ended;
    bench.sandbox.faults.clear();
    assert.equal(code, 255);
    assert.match(err, /timed out during banner exchange/);
    assert.equal(await say(main.port, "echo in"), "in");
  });

  test("ssh-other-key: the client notices", limits, async () => {
    bench.sandbox.faults.add("ssh-other-key");
    const { code, err } = await login(main.port, ["true"], { input: "" }).ended;
    bench.sandbox.faults.clear();
    assert.equal(code, 255);
    assert.match(err, /REMOTE HOST IDENTIFICATION HAS CHANGED|Host key verification failed/);
    assert.equal(await say(main.port, "echo in"), "in");
  });

  test("two at once; one that stops leaves no program, no folder and no port", limits, async () => {
    const second = await Bench.start({ ssh: true, seed: 4 });
    await second.ask("POST", "/api/v0/ssh/", { body: { ssh_key: readFileSync(programs.path("mine.pub"), "utf8") } });
    const { port } = await rent({}, undefined, second);
    const hosts = { hosts: "second" };
    const folder = await say(port, "pwd", hosts);
    const running = login(port, ["setsid sleep 4246.5 & echo begun; sleep 4246.5"], hosts);
    await until("it runs", () => running.out().includes("begun"));
    await second.sandbox.stop();
    assert.ok(!existsSync(folder));
    assert.ok(!(await isListening(port)));
    assert.equal((await running.ended).code, 255);
    await until("no program is left", () => findRunning("sleep 4246.5").length === 0);
    assert.equal(await say(main.port, "echo in"), "in");
  });
});

test("without ssh nothing listens and the key follows from the seed; with it the key is a secret", async () => {
  const without = await Bench.start();
  const record = await without.created({ image: "a/b", disk: 10, runtype: "ssh_direct" });
  without.clock.advance(AWHILE);
  const running = await without.instance(record.id);
  assert.match(String(running.ssh_host), /\.invalid$/);
  assert.ok(!without.sandbox.ssh && without.sandbox.apiKey === new World().apiKey);
  await without.sandbox.stop();
  const first = await Bench.start({ ssh: true });
  const names = ["", " laptop", " dashboard"];
  const { formatKey } = await import("../../../src/sandbox/world/keys.ts");
  for (const name of names) assert.equal(first.sandbox.world.keys.get(formatKey(1, name)), undefined, name);
  await first.sandbox.stop();
});
