// Where SSH keeps what belongs to the extension on this computer.
import { homedir } from "node:os";
import { join } from "node:path";
import { environment } from "../../ids.ts";
import type { SshFiles } from "../../services/connection/connections.ts";

export function chooseSshFiles(): SshFiles {
  const { [environment.sshFolder]: folder, [environment.sshConfig]: config } = process.env;
  return { folder: folder ?? join(homedir(), ".ssh", "cloud-gpu"), config };
}
