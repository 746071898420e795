// Operations that create and delete volumes (extras).
import type { Caller } from "../call.ts";

interface NewVolume {
  /** The volume offer, from the search for volumes. */
  readonly offerId: number;
  /** GB, a whole number. */
  readonly size: number;
  readonly name?: string;
}

export function createVolumeOperations(caller: Caller) {
  return {
    /** Extra. Billed from now on; sent once. @returns the service's name for it, such as `V.27000003`. */
    async createVolume({ offerId, size, name }: NewVolume): Promise<string | undefined> {
      const body = { id: offerId, size, ...(name === undefined ? {} : { name }) };
      const { volume_name } = await caller.call("createVolume", { body });
      return typeof volume_name === "string" ? volume_name : undefined;
    },

    /** Extra. Everything on it is lost. The service refuses to delete a volume in use. Sent once. */
    async deleteVolume(id: number): Promise<void> {
      await caller.call("deleteVolume", { body: { id } });
    },
  };
}
