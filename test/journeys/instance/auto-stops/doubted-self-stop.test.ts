// An instance that ends itself, and a later end that can't be read: nothing is promised of which it may have been told otherwise.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { AppError } from "../../../../src/domain/base/error.ts";
import { sleep } from "../../../../src/lib/clock.ts";
import { eventually } from "../../support.ts";
import { HOUR } from "./auto-stop-windows.ts";
import { withArmedEnd } from "./self-stop.ts";

type Armed = Awaited<ReturnType<typeof withArmedEnd>>;

/** A newer window has set an end that this one can't read. */
async function doubt({ userData, row, first }: Armed): Promise<void> {
  const file = `lea-${"0".repeat(20)}.lease-${row.value.id}-2`;
  writeFileSync(join(userData.root, "ends", file), '{"version":2}');
  first.autoStops.wake();
  await eventually(
    () => first.autoStops.findAutoStop(row.value)?.isDoubted === true,
    "its row says that it isn't known",
  );
}

test("its row doesn't say that it ends itself then, and nobody is asked while it may just be doing that", async () => {
  const armed = await withArmedEnd();
  await doubt(armed);
  assert.equal(armed.guard()?.kind, "unverified");
  armed.forward(5 * HOUR - 20_000);
  await sleep(300);
  armed.forward(21_000);
  await sleep(500);
  assert.ok(!armed.kinds().includes("overdue"));
});

test("an end that can't be moved isn't said to be the one that it keeps", async () => {
  let isReached = true;
  const armed = await withArmedEnd((machine) => async (order) => {
    if (!isReached) throw new AppError("rejected", "It doesn't respond.", { notSent: true });
    return machine.obey(order);
  });
  isReached = false;
  await doubt(armed);
  const change = await armed.set(undefined);
  assert.ok(typeof change === "object" && change.kind === "held");
  assert.equal(change.isKnown, false);
});
