// Operations on what a host owns, and on volumes that can be rented (interface 4.1 and 4.9, and extras).
import { type Rows, readRows } from "../../domain/base/wire.ts";
import type { BackgroundJobs } from "../../domain/host/background-jobs.ts";
import { Volume, VolumeOffer } from "../../domain/instance/volume.ts";
import type { SearchOffersBody } from "../../domain/offer/offer-search.ts";
import type { Caller } from "../call.ts";

export function createHostOperations(caller: Caller) {
  return {
    /** Interface 4.1. Replaces the machine's existing default jobs. @returns the service's echo of the request. */
    async createBackgroundJobs(jobs: BackgroundJobs): Promise<Readonly<Record<string, unknown>>> {
      const { you_sent } = await caller.call("createBackgroundJobs", { body: jobs });
      return typeof you_sent === "object" && you_sent !== null ? (you_sent as Record<string, unknown>) : {};
    },

    /** Interface 4.9. @returns the service's sentence naming the volume. */
    async unlistVolume(id: number): Promise<string> {
      const { msg } = await caller.call("unlistVolume", { body: { id } });
      return typeof msg === "string" ? msg : "";
    },

    /** Extra. */
    async listVolumes(signal?: AbortSignal): Promise<Rows<Volume>> {
      const reply = await caller.call("listVolumes", { query: { type: "all_volume" }, signal });
      return readRows(Volume, reply.volumes, (value) => value.id);
    },

    /** Extra. Filters as for offers. */
    async searchVolumes(body: SearchOffersBody, signal?: AbortSignal): Promise<Rows<VolumeOffer>> {
      return readRows(VolumeOffer, (await caller.call("searchVolumes", { body, signal })).offers, (value) => value.id);
    },
  };
}
