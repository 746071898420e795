// Ends that instances keep themselves, where what they say is another end, or doesn't arrive.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../src/domain/base/error.ts";
import { phase } from "../../src/domain/instance/instance.ts";
import type { EndOrder, MachineEnd } from "../../src/domain/instance/self-end.ts";
import type { MachineEnds } from "../../src/services/instance/machine-ends.ts";
import { HOUR, withWindows } from "./lease-windows.ts";
import { eventually } from "./support.ts";

/** An instance that was rented to end itself in 5 h, in front of a window, and answers as it is told to. */
async function withOwnEnd(answer: (order: EndOrder | undefined) => MachineEnd | "missing") {
  const machineEnds: MachineEnds = {
    isReady: () => true,
    onDidChange: () => ({ dispose: () => undefined }),
    ask: async (_account, _id, order) => answer(order),
  };
  const windows = await withWindows(1, { machineEnds });
  const { first, row, set, clock } = windows;
  await eventually(async () => {
    await first.instances.collection.refresh();
    const value = first.instances.find(row.value.id)?.value;
    return value !== undefined && phase(value) === "running";
  }, "it runs");
  const now = clock.now();
  await set({ until: now + 5 * HOUR, ending: "destroy", byItself: first.me().address.base });
  return { ...windows, now, guard: () => first.leases.endOf(row.value)?.guard };
}

describe("an instance that keeps another end itself", () => {
  test("is known to keep it until it is known to keep another one, whatever is tried", async () => {
    let until = 0;
    const { now, set, guard, inHours, first, row } = await withOwnEnd((order) => {
      if (order) throw new AppError("timeout", "The answer was lost.");
      const version = { count: 0, at: 0, written: until / 1000 };
      return { ...version, until, ending: "destroy", lives: true, isAccepted: true, wasDue: false };
    });
    until = now + 4 * HOUR;
    const keeps = () => {
      const known = guard();
      return known?.kind === "unverified" && known.until === until;
    };
    await eventually(keeps, "it says that it keeps an earlier end");
    for (const hours of [6, 4.5]) {
      const change = await set(inHours(hours, "destroy"));
      assert.ok(typeof change === "object" && change.kind === "held", `${hours} h: ${JSON.stringify(change)}`);
      assert.equal(change.until, until);
      assert.ok(keeps(), "a lost answer doesn't make the end later that the row names");
      assert.equal(first.leases.endOf(row.value)?.until, now + 5 * HOUR);
    }
  });
});
