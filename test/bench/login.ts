// From the moment that a machine's SSH server answers to a prompt, to plain `ssh`; and the second command on a machine.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { InstanceId } from "../../src/domain/base/id.ts";
import { buildSshArguments } from "../../src/domain/connection/ssh-command.ts";
import { createInstance } from "../../src/sandbox/handlers/create-instance.ts";
import { startSandbox } from "../../src/sandbox/start.ts";
import { prepareLogin } from "../../src/services/connection/prepare-login.ts";
import { type MachineLogin, withCommand } from "../../src/services/connection/run-there.ts";
import { startSsh } from "../../src/services/connection/ssh/ssh-program.ts";
import { newUserData, openWindow, type Parts } from "../journeys/editor-window.ts";
import { median, type Row } from "./measure.ts";

const ROUNDS = 9;
const NEVER = new AbortController().signal;

/** A window with a key of its own, signed in to a sandbox. */
export async function startWithKey(parts: Parts = {}) {
  const service = await startSandbox({ seed: 1, speed: 600, ssh: true });
  const userData = newUserData();
  const window = openWindow(userData, parts);
  await window.session.signIn(service.url, service.apiKey);
  const key = join(userData.root, "ssh", "id_ed25519");
  await mkdir(join(userData.root, "ssh"), { recursive: true });
  assert.equal(spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "mine", "-f", key]).status, 0);
  const [mine] = (await window.connections.listLocalKeys()).filter(({ comment }) => comment === "mine");
  assert.ok(mine);
  service.world.account.sshKeys.push(mine.line);
  const stop = async () => {
    window.close();
    await service.stop();
  };
  return { ...window, service, key, stop };
}
type Window = Awaited<ReturnType<typeof startWithKey>>;

export async function rentMachine({ service: { world } }: Window): Promise<InstanceId> {
  const offer = world.offers.find((one) => world.isRentable(one));
  assert.ok(offer);
  world.setFate(offer.id, "runs");
  const { id } = createInstance(world, offer.id, { image: "a/b", runtype: "ssh_direct" });
  while (world.openPorts.get(id) === undefined) await new Promise((resolve) => setTimeout(resolve, 50));
  return InstanceId.parse(id);
}

/** Milliseconds until the machine's shell prints anything. */
async function untilPrompt(program: string, args: readonly string[]): Promise<void> {
  const shell = startSsh(program, ["-tt", ...args]);
  await once(shell.stdout, "data");
  shell.stop();
  await shell.ended;
}

/** As *Open Terminal* does it. @returns the machine, and the milliseconds from its first answer to a prompt. */
export async function openTerminal(window: Window, id: InstanceId) {
  const { connections, hostKeys, sshMachines, sshConfig, me, key } = window;
  let answered = Number.NaN;
  const reach: typeof connections.reach = async (...given) => {
    const login = await connections.reach(...given);
    answered = performance.now();
    return login;
  };
  const timed = { reach, findOwnKey: connections.findOwnKey.bind(connections), getAlias: connections.getAlias };
  const { program, login } = await prepareLogin({ connections: timed, hostKeys }, me(), id, NEVER);
  const machine: MachineLogin = { id, program, login: { ...login, identity: key } };
  await sshMachines.note(me(), id, machine.login);
  await untilPrompt(
    program,
    (await sshConfig.buildTerminalArguments(machine.login)) ?? buildSshArguments(machine.login),
  );
  return { machine, passed: performance.now() - answered };
}

export async function time(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function say({ id, program, login }: MachineLogin): Promise<void> {
  const end = await withCommand({ id, program, login }, "true", NEVER, (running) => {
    running.stdin.end();
    running.stdout.resume();
    return running.ended;
  });
  assert.equal(end.code, 0);
}

export async function login(): Promise<Row[]> {
  const window = await startWithKey();
  try {
    const [plain, first, again, alone, shared]: number[][] = [[], [], [], [], []];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const id = await rentMachine(window);
      const { machine, passed } = await openTerminal(window, id);
      const args = ["-F", "none", ...buildSshArguments(machine.login)];
      const once = await time(() => untilPrompt(machine.program, args));
      const known = (await openTerminal(window, id)).passed;
      const single = await time(() => say(machine));
      const open = await window.sharedConnections.open(window.me(), machine, NEVER);
      const second = await time(() => say(open));
      // The first round warms up.
      if (round === 0) continue;
      plain?.push(once);
      first?.push(passed);
      again?.push(known);
      alone?.push(single);
      shared?.push(second);
    }
    const prompt = median(plain ?? []);
    return [
      {
        what: "first login, from the banner to a prompt, to plain ssh",
        value: median(first ?? []) / prompt,
        unit: "×",
        goal: 1.1,
      },
      {
        what: "later logins, whose host key is compared first",
        value: median(again ?? []) / prompt,
        unit: "×",
        goal: Number.NaN,
      },
      { what: "second command on a shared connection", value: median(shared ?? []) / 1000, unit: "s", goal: 0.3 },
      {
        what: "the same, to one that logs in",
        value: median(shared ?? []) / median(alone ?? []),
        unit: "×",
        goal: Number.NaN,
      },
    ];
  } finally {
    await window.stop();
  }
}
