// Where SSH keeps what belongs to the extension on this computer.
import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { environment } from "../../ids.ts";
import type { SshFiles } from "../../services/connection/connections.ts";

/** The folder that `ssh` means by `~`: the user's own, whatever the environment says. */
function findHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    return homedir();
  }
}

export function chooseSshFiles(): SshFiles {
  const { [environment.sshFolder]: named, [environment.sshConfig]: config } = process.env;
  if (named === undefined)
    return { folder: join(findHome(), ".ssh", "cloud-gpu"), knownHosts: "~/.ssh/cloud-gpu/known_hosts", config };
  return { folder: named, knownHosts: join(named, "known_hosts").replaceAll("\\", "/"), config };
}
