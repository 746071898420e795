// An account that is left while it is asked whether an instance is gone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { phase } from "../../src/domain/instance/instance.ts";
import { sleep } from "../../src/lib/clock.ts";
import { destroy } from "../../src/sandbox/handlers/instance-state.ts";
import type { MachineEnds } from "../../src/services/instance/machine-ends.ts";
import { HOUR, withWindows } from "./lease-windows.ts";
import { rentRunning } from "./rent-running.ts";
import { eventually, pass, sandbox, serve } from "./support.ts";

test("the name of an instance of another account isn't said of the one that was left", async () => {
  const asked = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  let isHolding = false;
  const other = await sandbox();
  const otherId = rentRunning(other);
  Object.assign(other.world.instances()[0] ?? {}, { label: "SECRET-OF-B" });
  const machineEnds: MachineEnds = {
    isReady: () => true,
    onDidChange: () => ({ dispose: () => undefined }),
    ask: async () => {
      const until = began + 5 * HOUR;
      return {
        count: 0,
        at: 0,
        until,
        written: until / 1000,
        ending: "destroy",
        lives: true,
        isAccepted: true,
        wasDue: false,
      };
    },
  };
  const began = Date.now();
  const windows = await withWindows(1, { machineEnds }, (service) =>
    serve(async (request, body) => {
      if (isHolding && request.method === "GET" && /instances\/?(\?|$)/.test(request.url ?? "")) {
        asked.resolve();
        const answer = await pass(service.url, request, body);
        await go.promise;
        return answer;
      }
      return await pass(service.url, request, body);
    }),
  );
  const { first, row, set, clock, told, forward, world } = windows;
  assert.equal(row.value.id, otherId, "same IDs");
  await eventually(async () => {
    await first.instances.collection.refresh();
    const value = first.instances.find(row.value.id)?.value;
    return value !== undefined && phase(value) === "running";
  }, "it runs");
  await set({ until: clock.now() + 5 * HOUR, ending: "destroy", byItself: first.me().address.base });
  await eventually(() => first.leases.endOf(row.value)?.guard?.kind === "armed", "armed");
  isHolding = true;
  destroy(world, row.value.id);
  forward(5 * HOUR + 5000);
  await asked.promise;
  await first.session.signIn(other.url, other.apiKey);
  await first.instances.collection.refresh();
  await sleep(200);
  go.resolve();
  await sleep(1500);
  const said = told.map(
    ([, { kind, instance, account }]) =>
      `${kind} ${JSON.stringify(instance.label)} ${account.address.origin === new URL(other.url).origin ? "B" : "A"}`,
  );
  assert.deepEqual(said, []);
});
