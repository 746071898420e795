// Writes down where a folder and the data in it went, how much of it, and what ran there: the same isn't asked again.
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { RunDraft } from "../../domain/run/run-plan.ts";
import type { RunUpload } from "../../domain/run/run-upload.ts";
import type { Log } from "../../lib/log.ts";
import type { MachineLogin } from "../connection/run-there.ts";
import type { SshMachines } from "../connection/ssh/ssh-machines.ts";
import { rememberAgreed } from "../transfer/upload-memory.ts";

interface Services {
  readonly sshMachines: SshMachines;
  readonly log: Log;
}

interface AgreedPlace {
  readonly draft: RunDraft;
  readonly remote: string;
  /** The folder that was suggested on machines then. */
  readonly usual: string;
}

/**
 * Of all that a machine is told to run, what ends it, and what comes back: whoever changes the folder's files, as a pull does, may change
 * that as well.
 */
export function hashCommand({
  command,
  setup,
  variables = {},
  limits = {},
  results = [],
  data = [],
  secrets,
  resultsEveryMinutes: every,
}: RunDraft): string {
  const names = Object.keys(variables).sort();
  const { maxHours: hours, maxCost: total, maxPricePerHour } = limits;
  const all = [
    command,
    setup,
    names.map((name) => [name, variables[name]]),
    [hours, total, maxPricePerHour],
    results,
    data,
    ...(secrets === undefined ? [] : [secrets.names]),
    ...(every === undefined ? [] : [every]),
  ];
  return createHash("sha256").update(JSON.stringify(all)).digest("hex").slice(0, 32);
}

/** Never rejects: at worst, the person is asked again. */
export async function rememberPlace(
  { sshMachines, log }: Services,
  { login }: MachineLogin,
  { draft, remote, usual }: AgreedPlace,
  { main, data }: RunUpload,
): Promise<void> {
  try {
    for (const { path, files, bytes } of data) {
      const agreed = { to: `${remote}/${path}`, usual, files, bytes };
      await rememberAgreed(sshMachines, login.alias, join(draft.folder, path), agreed);
    }
    const agreed = { to: remote, usual, ...main };
    await rememberAgreed(sshMachines, login.alias, draft.folder, agreed, hashCommand(draft));
  } catch (error) {
    log.warn("An upload could not be written down, so the next one asks again.", error);
  }
}
