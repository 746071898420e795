// Writes down where a folder and the data in it went, and how much of it: the same isn't asked again.
import { join } from "node:path";
import type { RunUpload } from "../../domain/run/run-upload.ts";
import type { Log } from "../../lib/log.ts";
import type { MachineLogin } from "../connection/run-there.ts";
import type { SshMachines } from "../connection/ssh/ssh-machines.ts";
import { rememberAgreed } from "../transfer/upload-memory.ts";

interface Services {
  readonly sshMachines: SshMachines;
  readonly log: Log;
}

export interface AgreedPlace {
  readonly folder: string;
  readonly remote: string;
  /** The folder that was suggested on machines then. */
  readonly usual: string;
}

/** Never rejects: at worst, the person is asked again. */
export async function rememberPlace(
  { sshMachines, log }: Services,
  { login }: MachineLogin,
  { folder, remote, usual }: AgreedPlace,
  { main, data }: RunUpload,
): Promise<void> {
  try {
    for (const { path, files, bytes } of data) {
      const agreed = { to: `${remote}/${path}`, usual, files, bytes };
      await rememberAgreed(sshMachines, login.alias, join(folder, path), agreed);
    }
    await rememberAgreed(sshMachines, login.alias, folder, { to: remote, usual, ...main });
  } catch (error) {
    log.warn("An upload could not be written down, so the next one asks again.", error);
  }
}
