// What the person agreed to upload to a machine, kept with the machine's record: it goes when the machine does.
import { createHash } from "node:crypto";
import { type AgreedUpload, MOST_UPLOADS } from "../../domain/connection/ssh-machine.ts";
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

/** @throws the disk's error. */
export async function rememberAgreed(
  machines: SshMachines,
  alias: string,
  folder: string,
  agreed: Omit<AgreedUpload, "from">,
): Promise<void> {
  const from = digestOf(folder);
  const others = ((await machines.find(alias))?.uploads ?? []).filter((one) => one.from !== from);
  await machines.change(alias, { uploads: [...others, { from, ...agreed }].slice(-MOST_UPLOADS) });
}
