// Operations on overlay networks (extras).
import { type Rows, readRows } from "../../domain/base/wire.ts";
import { Overlay } from "../../domain/instance/overlay.ts";
import type { Caller } from "../call.ts";

export function createOverlayOperations(caller: Caller) {
  return {
    /** Extra. The account's own. */
    async listOverlays(signal?: AbortSignal): Promise<Rows<Overlay>> {
      return readRows(Overlay, await caller.call("listOverlays", { signal }), (overlay) => overlay.overlay_id);
    },

    /** Extra. On a physical cluster. Costs nothing on its own; sent once. */
    async createOverlay(cluster: number, name: string): Promise<void> {
      await caller.call("createOverlay", { body: { cluster_id: cluster, name } });
    },

    /** Extra. Destroys all of its instances with it. Sent once. */
    async deleteOverlay(id: number): Promise<void> {
      await caller.call("deleteOverlay", { body: { overlay_id: id } });
    },
  };
}
