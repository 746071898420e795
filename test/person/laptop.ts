// A computer with an SSH key that it keeps apart from those of whoever runs the tests.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { World } from "../../src/sandbox/world/world.ts";

export const HAS_SSH = spawnSync("ssh", ["-V"]).error === undefined;

/** `usesKey`: its SSH configuration names the key for every machine, and no other. */
export async function makeLaptop(folder: string, { usesKey }: { readonly usesKey: boolean }) {
  const key = join(folder, "ssh", "id_ed25519");
  const config = join(folder, "config");
  await mkdir(join(folder, "ssh"), { recursive: true });
  if (HAS_SSH)
    assert.equal(spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "laptop", "-f", key]).status, 0);
  await writeFile(config, usesKey ? `Host *\n  IdentityFile ${key}\n  IdentitiesOnly yes\n` : "");
  const publicKey = HAS_SSH ? (await readFile(`${key}.pub`, "utf8")).trim() : undefined;
  return {
    env: { CLOUD_GPU_SSH_DIR: join(folder, "ssh", "cloud-gpu"), CLOUD_GPU_SSH_CONFIG: config },
    settings: { "terminal.integrated.gpuAcceleration": "off", "security.workspace.trust.enabled": false },
    /** Has the account admit its key. */
    addKey: ({ account }: World) => {
      if (publicKey !== undefined) account.sshKeys.push(publicKey);
    },
  };
}
