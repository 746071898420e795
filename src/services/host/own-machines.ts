// The machines that are known to belong to the account: those that the service lists for their host, else those of the
// volumes that the account rents out.
import { asAppError } from "../../domain/base/error.ts";
import type { HostMachine } from "../../domain/host/host-machine.ts";
import type { SignedIn } from "../core/session.ts";
import type { HostService } from "./host.ts";

/** `machine` is undefined if nothing but its ID is known. */
export interface OwnMachine {
  readonly id: number;
  readonly machine: HostMachine | undefined;
}

/** In the order of their IDs. @throws AppError if the service couldn't be asked. */
export async function listOwnMachines(
  { client }: SignedIn,
  host: HostService,
  signal: AbortSignal,
): Promise<readonly OwnMachine[]> {
  const listed = await listMachines(client, signal);
  const known = new Map<number, OwnMachine>(listed.map((machine) => [machine.id, { id: machine.id, machine }]));
  if (known.size === 0) {
    await host.collection.getKnown();
    for (const { value } of host.listings)
      if (value.machine_id !== undefined) known.set(value.machine_id, { id: value.machine_id, machine: undefined });
  }
  return [...known.values()].sort((one, other) => one.id - other.id);
}

/** None if the service doesn't list machines, or not for this key. */
async function listMachines(client: SignedIn["client"], signal: AbortSignal): Promise<readonly HostMachine[]> {
  try {
    const { rows } = await client.listMachines(signal);
    return rows.map(({ value }) => value);
  } catch (thrown) {
    const { kind } = asAppError(thrown);
    if (kind === "unsupported" || kind === "not-allowed") return [];
    throw thrown;
  }
}
