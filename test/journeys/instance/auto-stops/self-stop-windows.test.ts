// An instance that was recycled while no window was open: the end that it was rented with holds again until a window brings the later one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sleep } from "../../../../src/lib/clock.ts";
import { describeAutoStop } from "../../../../src/present/instance/auto-stop-text.ts";
import { HOUR, MINUTE } from "./auto-stop-windows.ts";
import { withArmedEnd } from "./self-stop.ts";

test("a window that was just opened asks an instance that may have begun anew since it showed its end", async () => {
  let reads = 0;
  const { first, row, set, now, machine, forward, clock, open, guard, untilSeen } = await withArmedEnd(
    ({ obey }) =>
      (order) => {
        reads += 1;
        return obey(order);
      },
  );
  assert.equal(await set({ until: now + 8 * HOUR, ending: "destroy" }), "set");
  assert.equal(guard()?.kind, "armed");
  await untilSeen("running");
  first.close();
  // Recycle on the website: a new disk, on which the start script writes the end that it was rented with.
  Object.assign(machine.state, { count: 0, at: 0, until: now + 5 * HOUR, ending: "destroy" });
  forward(30 * MINUTE);
  const before = reads;
  const later = await open("window-later", ["window-later"]);
  await later.instances.collection.refresh();
  await sleep(4000); // 4 min of its clock
  const shown = later.autoStops.findAutoStop(row.value);
  const what = `asked ${reads - before} times; it destroys itself in ${((machine.state.until ?? 0) - now) / HOUR} h; tooltip: ${describeAutoStop(shown, clock.now())}`;
  assert.ok(shown?.guard?.kind !== "armed" || Math.abs((machine.state.until ?? 0) - shown.until) < 90_000, what);
});
