// A machine that looks whether it is idle: a real shell reads the real script, and the test says when a minute has passed.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import {
  appendFile,
  chmod,
  mkdir,
  mkdtemp,
  open,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import {
  buildIdleKeeperScript,
  type IdleKeeperPlan,
} from "../../../../src/domain/connection/idle-keeper/keeper-script.ts";
import { cleanUp, eventually } from "../../support.ts";
import { findProgram } from "../auto-stops/started-machine.ts";

export const SHELLS = {
  sh: ["sh"],
  dash: ["dash"],
  "busybox ash": ["busybox", "ash"],
  "bash --posix": ["bash", "--posix"],
} as const;

export const findMissing = (shell: readonly string[]): string | false =>
  (process.platform !== "linux" || spawnSync("sh", ["-c", `command -v ${shell[0]}`]).status !== 0) &&
  `${shell[0]} isn't installed`;

export const OWN_KEY = "canary-own-key-5521";

/** Waits for a word of the test, whatever it is told. */
const SLEEP = [
  "#!/bin/sh",
  'echo "$1" >> "$HOME/slept"',
  // Once the test is killed, nothing is to go on.
  `kill -0 ${process.pid} && read -r x < "$HOME/gate" || kill -9 $PPID`,
  "",
].join("\n");
/** Prints what the test wrote, and says that it has. */
const NVIDIA_SMI = (sleep: string) =>
  [
    "#!/bin/sh",
    'x=; read -r x < "$HOME/load"; case $x in',
    `hang) echo $$ >> "$HOME/loads"; exec ${sleep} 600;;`,
    'fail) echo 0, 0, 2, 15.00; echo $$ >> "$HOME/loads"; exit 9;;',
    'endless) echo $$ >> "$HOME/loads"; while echo 0, 0, 2, 15.00; do :; done; exit;; esac',
    'printf "%b" "$x"; echo $$ >> "$HOME/loads"',
    "",
  ].join("\n");

interface Options {
  readonly shell: readonly string[];
  readonly plan: Omit<IdleKeeperPlan, "instance">;
  /** A home that another one of them had before. */
  readonly home?: string;
  /** What runs the shell. */
  readonly under?: readonly string[];
}

/** A line of `nvidia-smi`, as the test writes it down. */
export const gpu = (load: number | string, index = 0): string => `${index}, ${load}, 2, 15.00\\n`;

const read = (path: string) => (existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : []);

export async function keepMachine({ shell, plan, home: before, under = [] }: Options) {
  const home = before ?? (await mkdtemp(join(tmpdir(), "cloud-gpu-keeper-")));
  const at = (...names: string[]) => join(home, ...names);
  const folder = at(".cloud-gpu/idle");
  const sources = { proc: at("proc"), terminals: at("pts"), every: 60, confirm: 20 };
  const replace = async (path: string, text: string) => {
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  };
  let [uptime, bytes] = [1000, 5_000_000];
  const setUptime = (to: number) => {
    uptime = to;
    return replace(at("proc/uptime"), `${to}.57 ${to}.01\n`);
  };
  const setTraffic = (to: number) => {
    bytes = to;
    const line = (name: string, count: number) => `  ${name}: ${count} 9 0 0 0 0 0 0 ${count} 9 0 0 0 0 0 0\n`;
    const head = "Inter-|   Receive  |  Transmit\n face |bytes    packets errs|bytes    packets errs\n";
    return replace(at("proc/net/dev"), `${head}${line("lo", 9e9 + uptime * 1e9)}${line("eth0", to / 2)}`);
  };
  for (const one of [at("proc/net"), at("pts"), at("bin"), folder]) await mkdir(one, { recursive: true });
  if (before === undefined) {
    const [program = "sh"] = shell;
    await symlink(findProgram(program), at("bin/sh"));
    for (const name of ["mv", "curl", "sed", "tr", "rm"]) await symlink(findProgram(name), at("bin", name));
    await writeFile(at("bin/sleep"), SLEEP);
    await writeFile(at("bin/nvidia-smi"), NVIDIA_SMI(findProgram("sleep")));
    for (const name of ["sleep", "nvidia-smi"]) await chmod(at("bin", name), 0o755);
    spawnSync("mkfifo", [at("gate")]);
    await writeFile(at("load"), `${gpu(0)}\n`);
  }
  // Open at both ends for as long as the test takes: no one finds its end.
  const gate = await open(at("gate"), "r+");
  await setUptime(uptime);
  await setTraffic(bytes);
  for (const one of ["slept", "loads"]) await rm(at(one), { force: true });
  const script = buildIdleKeeperScript({ instance: InstanceId.parse(31245), ...plan }, sources);
  // BusyBox has one of its own, which no folder of programs replaces.
  const own = shell.includes("busybox") ? 'sleep() { "$HOME/bin/sleep" "$1"; }\n' : "";
  await writeFile(join(folder, "keeper.sh"), `${own}${script}`);
  const [tracer, program] = [under.slice(0, 1), shell.slice(0, 1)].map((names) => names.map(findProgram));
  const [first = "", ...rest] = [...(tracer ?? []), ...under.slice(1), ...(program ?? []), ...shell.slice(1)];
  const env = { PATH: at("bin"), HOME: home, CONTAINER_ID: "31245", CONTAINER_API_KEY: OWN_KEY };
  const child = spawn(first, [...rest, join(folder, "keeper.sh")], { env, detached: true, stdio: "ignore" });
  let hasEnded = false;
  child.once("close", () => {
    hasEnded = true;
  });
  const kill = () => endGroup(child);
  cleanUp(async () => {
    kill();
    await gate.close();
    if (before === undefined) await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });
  let looks = 0;
  const isWaiting = () => read(at("slept")).length > looks;
  /** How many times it has asked for the load. */
  let begun = 1;
  const hasAsked = () => read(at("loads")).length >= begun;
  /** Whether the program that it started has ended. */
  const hasRead = () => {
    if (!hasAsked()) return false;
    try {
      return readFileSync(`/proc/${read(at("loads")).at(-1)}/stat`, "latin1").includes(") Z ");
    } catch {
      return true;
    }
  };
  const ready = () => eventually(() => hasEnded || isWaiting(), "it waits for its next look");
  /**
   * Has it look once more, when as much time has passed as it waits for. `doing` happens in the meantime. `hangs`: what it asks for the load
   * doesn't end, and is asked again only after that was seen. `isMissing`: there is nothing to ask.
   */
  const look = async (
    doing: () => Promise<unknown> | unknown = () => undefined,
    { hangs = false, isMissing = false } = {},
  ) => {
    await ready();
    if (!isMissing) await eventually(() => hasEnded || (hangs ? hasAsked() : hasRead()), "nvidia-smi has answered");
    await setUptime(uptime + Number(read(at("slept")).at(-1)));
    await doing();
    looks += 1;
    if (!hangs && !isMissing) begun += 1;
    await gate.write("on\n");
    await ready();
  };
  const lookTimes = async (times: number, ...how: Parameters<typeof look>) => {
    for (let one = 0; one < times; one += 1) await look(...how);
  };
  const state = async () => (await readFile(join(folder, "state"), "utf8").catch(() => "")).trim().split(" ");
  return {
    ...{ home, folder, at, child, kill, look, lookTimes, ready, setUptime, replace },
    hasEnded: () => hasEnded,
    uptime: () => uptime,
    seen: async () => (await state())[6],
    state,
    addTraffic: (count: number) => setTraffic(bytes + count),
    setTraffic,
    /** From the next time on that it is asked for. */
    setLoad: async (load: string) => {
      await eventually(hasRead, "nvidia-smi has answered");
      await writeFile(at("load"), `${load}\n`);
    },
    /** Someone types in a terminal, or says that the machine is used. BusyBox compares whole seconds. */
    change: async (...names: string[]) => {
      await appendFile(at(...names), "x");
      const later = new Date(Date.now() + 2000);
      await utimes(at(...names), later, later);
    },
    untilEnded: () => eventually(() => hasEnded, "it has ended"),
  };
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // All of it has ended.
  }
}
