// OpenSSH's own server on loopback, where it is installed: the sandbox's is another program.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { InstanceId } from "../src/domain/base/id.ts";
import type { SshLogin } from "../src/domain/connection/ssh-command.ts";
import type { MachineLogin } from "../src/services/connection/run-there.ts";
import { findSsh } from "../src/services/connection/ssh/ssh-program.ts";
import { freePort } from "./free-port.ts";

const SSHD = ["/usr/sbin/sshd", "/usr/local/sbin/sshd"].find((path) => existsSync(path));

/** Machines are logged in to as root, which only root's own server allows. False if there can be one. */
export function whyNoServer(): string | false {
  if (SSHD === undefined) return "OpenSSH's server is not installed";
  if (userInfo().username !== "root") return "only root's server lets root in";
  return existsSync("/run/sshd") ? false : "the server's own folder /run/sshd is not there";
}

export interface OpensshServer extends MachineLogin {
  readonly folder: string;
  stop(): Promise<void>;
}

/** A server that admits one key, in a folder of its own. `more`: lines of its configuration. */
export async function startOpensshServer(more: Readonly<Record<string, string>> = {}): Promise<OpensshServer> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-sshd-"));
  const makeKey = (name: string) => {
    const { status } = spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, name)]);
    assert.equal(status, 0);
    return join(folder, name);
  };
  const [host, identity, port] = [makeKey("host"), makeKey("mine"), await freePort()];
  makeKey("other");
  await writeFile(join(folder, "authorized_keys"), await readFile(`${identity}.pub`));
  const lines = {
    ...{ Port: port, ListenAddress: "127.0.0.1", HostKey: host, PidFile: "none" },
    ...{ AuthorizedKeysFile: join(folder, "authorized_keys"), StrictModes: "no", UsePAM: "no" },
    ...{ PasswordAuthentication: "no", KbdInteractiveAuthentication: "no", PermitRootLogin: "prohibit-password" },
    ...more,
  };
  const config = join(folder, "sshd_config");
  const text = Object.entries(lines).map(([name, value]) => `${name} ${value}\n`);
  await writeFile(config, text.join(""));
  const server = spawn(SSHD ?? "", ["-D", "-e", "-f", config], { stdio: ["ignore", "ignore", "pipe"] });
  const stop = async () => {
    server.kill();
    await rm(folder, { recursive: true, force: true });
  };
  let said = "";
  // It goes on to be read: the server ends if no one takes what it says.
  const listens = new Promise<void>((resolve) => {
    server.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk;
      if (said.includes("Server listening")) resolve();
    });
    server.once("close", () => resolve());
  });
  await listens;
  assert.match(said, /Server listening/);
  const login: SshLogin = {
    ...{ address: { host: "127.0.0.1", port }, alias: "cloud-gpu-sshd-7", identity, config: "none" },
    knownHosts: join(folder, "known_hosts"),
  };
  return { id: InstanceId.parse(7), program: await findSsh(), login, folder, stop };
}
