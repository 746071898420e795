// Operations that make and delete volumes (extras).
import type { Caller } from "../call.ts";

export interface NewVolume {
  /** The volume offer, from the search for volumes. */
  readonly offerId: number;
  /** GB, a whole number. */
  readonly size: number;
  readonly name?: string;
}

export function volumeOperations(caller: Caller) {
  return {
    /** Extra. Billed from now on; sent one time. @returns what the service calls it, such as `V.27000003`. */
    async createVolume({ offerId, size, name }: NewVolume): Promise<string | undefined> {
      const body = { id: offerId, size, ...(name === undefined ? {} : { name }) };
      const { volume_name } = await caller.call("createVolume", { body });
      return typeof volume_name === "string" ? volume_name : undefined;
    },

    /** Extra. Everything on it is lost; a volume that an instance uses is refused. Sent one time. */
    async deleteVolume(id: number): Promise<void> {
      await caller.call("deleteVolume", { body: { id } });
    },
  };
}
