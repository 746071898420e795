// Machines that a service has and its list leaves out: a list may lag behind.
import assert from "node:assert/strict";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { fastClock, planFor } from "../editor-window.ts";
import { cheapest, EMPTY_LIST, editorWindow, middleman, sandbox } from "../support.ts";

/** Two fresh rentals at a service whose list lags behind: it is complete, but without them. */
export async function rentUnlisted() {
  const service = await sandbox();
  const paths: string[] = [];
  let hides = false;
  const url = await middleman(service.url, (path, status, text) => {
    paths.push(path);
    return hides && path.startsWith("/api/v1/instances/") ? { status: 200, text: EMPTY_LIST } : { status, text };
  });
  const window = editorWindow(undefined, { clock: fastClock });
  await window.session.signIn(url, service.apiKey);
  const rows = [];
  for (const at of [0, 4]) {
    const offer = await cheapest(window, at);
    service.world.setFate(offer.id, "runs");
    const outcome = await window.rent(planFor(offer), createIntent());
    assert.ok(outcome.kind === "rented" && outcome.ids[0]);
    rows.push({ value: { id: outcome.ids[0] } });
  }
  hides = true;
  paths.length = 0;
  return { window, service, rows, paths };
}
