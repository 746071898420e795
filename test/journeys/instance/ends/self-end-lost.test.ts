// An earlier end whose answer was lost: the instance may keep it, and nothing later is shown or said before that is known.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { InstanceEnd } from "../../../../src/domain/instance/lease.ts";
import { sleep } from "../../../../src/lib/clock.ts";
import { describeHeldEnd } from "../../../../src/present/instance/lease-notices.ts";
import { describeInstanceEnd, formatInstanceEnd } from "../../../../src/present/instance/lease-text.ts";
import { HOUR } from "./lease-windows.ts";
import { withReach } from "./own-end.ts";

/** The soonest end that the window names. */
const soonest = (end: InstanceEnd | undefined) =>
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
    const end = first.leases.endOf(row.value);
    assert.ok(end);
    const three = await first.leases.set(
      first.me(),
      { id: row.value.id },
      { until: end.until + HOUR, ending: "destroy" },
      end,
    );
    await sleep(500);
    const shown = first.leases.endOf(row.value);
    const said =
      typeof three === "object" ? describeHeldEnd(three.kind, { instance: row.value, ...three }, clock.now()) : three;
    const what = `it destroys itself in ${((machine.state.until ?? 0) - now) / HOUR} h; row: ${formatInstanceEnd(shown, clock.now())}; tooltip: ${describeInstanceEnd(shown, clock.now())}; message: ${said}`;
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
