// Operations on the machines a host rents out (extras).

import { type Rows, readRows } from "../../domain/base/wire.ts";
import { HostMachine } from "../../domain/host/host-machine.ts";
import type { Caller } from "../call.ts";

export function createMachineOperations(caller: Caller) {
  return {
    /** Extra. The account's own machines. Empty for accounts that only rent. */
    async listMachines(signal?: AbortSignal): Promise<Rows<HostMachine>> {
      const { machines } = await caller.call("listMachines", { signal });
      return readRows(HostMachine, machines ?? [], (machine) => machine.id);
    },
  };
}
