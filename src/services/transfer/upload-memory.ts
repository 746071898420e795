// What the person agreed to upload to a machine, kept with the machine's record: it goes when the machine does.
import { createHash } from "node:crypto";
import { type AgreedUpload, MOST_COMMANDS, MOST_UPLOADS } from "../../domain/connection/ssh-machine.ts";
import type { SshMachines } from "../connection/ssh/ssh-machines.ts";

/** A name for a folder of this computer that doesn't tell where it is. */
const digestOf = (folder: string): string => createHash("sha256").update(folder).digest("hex").slice(0, 32);

/** What was agreed to for this folder and machine; undefined before the first time. */
export async function findAgreed(
  machines: SshMachines,
  alias: string,
  folder: string,
): Promise<AgreedUpload | undefined> {
  const from = digestOf(folder);
  return (await machines.find(alias))?.uploads?.find((one) => one.from === from);
}

/** With the digest of a command that may run there from now on; those that were agreed to before still may. @throws the disk's error. */
export async function rememberAgreed(
  machines: SshMachines,
  alias: string,
  folder: string,
  agreed: Omit<AgreedUpload, "from" | "commands">,
  command?: string,
): Promise<void> {
  const from = digestOf(folder);
  const uploads = (await machines.find(alias))?.uploads ?? [];
  const before = uploads.find((one) => one.from === from)?.commands ?? [];
  const commands = command === undefined ? before : [...before.filter((one) => one !== command), command];
  const upload = { from, ...agreed, commands: commands.slice(-MOST_COMMANDS) };
  await machines.change(alias, {
    uploads: [...uploads.filter((one) => one.from !== from), upload].slice(-MOST_UPLOADS),
  });
}

/** Where other folders of this computer went on a machine. */
export async function listOtherPlaces(
  machines: SshMachines,
  alias: string,
  folder: string,
): Promise<ReadonlySet<string>> {
  const from = digestOf(folder);
  const uploads = (await machines.find(alias))?.uploads ?? [];
  return new Set(uploads.filter((one) => one.from !== from).map(({ to }) => to));
}
