// An earlier end whose answer was lost: the instance may keep it, and nothing later is shown or said before that is known.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { InstanceAutoStop } from "../../../../src/domain/instance/auto-stop.ts";
import { sleep } from "../../../../src/lib/clock.ts";
import { describeHeldEnd } from "../../../../src/present/instance/auto-stop-notices.ts";
import { describeAutoStop, formatAutoStop } from "../../../../src/present/instance/auto-stop-text.ts";
import { HOUR } from "./auto-stop-windows.ts";
import { withReach } from "./self-stop.ts";

/** The soonest end that the window names. */
const soonest = (end: InstanceAutoStop | undefined) =>
  Math.min(end?.until ?? Infinity, (end?.guard?.kind === "unverified" ? end.guard.until : undefined) ?? Infinity);

/** An armed end on an instance that takes the next one, whose answer is lost, and can't be reached from then on. */
async function withLostAnswer() {
  const windows = await withReach();
  windows.setReach("lost");
  return windows;
}

describe("an earlier end whose answer was lost", () => {
  test("may be kept: a later one isn't shown before the instance has it", async () => {
    const { first, row, set, now, machine, clock } = await withLostAnswer();
    const two = await set({ until: now + 2 * HOUR, ending: "destroy" });
    assert.ok(typeof two === "object" && two.kind === "partly" && two.isUnsure, JSON.stringify(two));
    assert.equal(Math.round(((machine.state.until ?? 0) - now) / HOUR), 2, "the instance took it");
    // *Extend 1 h*.
    const end = first.autoStops.findAutoStop(row.value);
    assert.ok(end);
    const three = await first.autoStops.set(
      first.me(),
      { id: row.value.id },
      { until: end.until + HOUR, ending: "destroy" },
      end,
    );
    await sleep(500);
    const shown = first.autoStops.findAutoStop(row.value);
    const said =
      typeof three === "object" ? describeHeldEnd(three.kind, { instance: row.value, ...three }, clock.now()) : three;
    const what = `it destroys itself in ${((machine.state.until ?? 0) - now) / HOUR} h; row: ${formatAutoStop(shown, clock.now())}; tooltip: ${describeAutoStop(shown, clock.now())}; message: ${said}`;
    assert.ok(soonest(shown) <= (machine.state.until ?? Infinity) + 90_000, what);
  });

  test("is the one that a message names, and none that is later", async () => {
    const { row, set, now, machine, clock } = await withLostAnswer();
    await set({ until: now + 2 * HOUR, ending: "destroy" });
    const six = await set({ until: now + 6 * HOUR, ending: "destroy" });
    assert.ok(typeof six === "object", String(six));
    const said = describeHeldEnd(six.kind, { instance: row.value, ...six }, clock.now());
    assert.ok(
      six.until <= (machine.state.until ?? 0) + 90_000,
      `it destroys itself in ${((machine.state.until ?? 0) - now) / HOUR} h, but: ${said}`,
    );
  });
});
