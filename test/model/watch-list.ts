// A list that someone looks at, as its view would read it.
import { Emitter } from "../../src/lib/event.ts";
import { Refresher } from "../../src/services/core/refresher.ts";
import type { openWindow } from "../journeys/editor-window.ts";

export function watchList({ scheduler, instances, session }: ReturnType<typeof openWindow>): Refresher {
  const refresher = new Refresher({
    id: "list",
    scheduler,
    collection: instances.collection,
    session,
    attention: { visible: () => true, onDidChange: new Emitter<void>().event },
    unsettled: () => instances.unsettled,
    rhythm: { fast: () => 5000, slow: () => 30_000 },
  });
  refresher.plan();
  return refresher;
}
