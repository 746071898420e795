// Operations on the machines a host rents out (extras).
import { HostMachine } from "../domain/host-machine.ts";
import { type Rows, readRows } from "../domain/wire.ts";
import type { Caller } from "./call.ts";

export function machineOperations(caller: Caller) {
  return {
    /** Extra. The account's own machines; none for somebody who only rents. */
    async listMachines(signal?: AbortSignal): Promise<Rows<HostMachine>> {
      const { machines } = await caller.call("listMachines", { signal });
      return readRows(HostMachine, machines ?? [], (machine) => machine.id);
    },
  };
}
