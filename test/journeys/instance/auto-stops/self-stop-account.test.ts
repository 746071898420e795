// An account that is left while it is asked whether an instance is gone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sleep } from "../../../../src/lib/clock.ts";
import { destroyInstance } from "../../../../src/sandbox/handlers/instance-state.ts";
import { rentRunning } from "../../rent-running.ts";
import { pass, sandbox, serve } from "../../support.ts";
import { HOUR } from "./auto-stop-windows.ts";
import { withArmedEnd } from "./self-stop.ts";

test("the name of an instance of another account isn't said of the one that was left", async () => {
  const asked = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  let isHolding = false;
  const other = await sandbox();
  const otherId = rentRunning(other);
  Object.assign(other.world.listInstances()[0] ?? {}, { label: "SECRET-OF-B" });
  const { first, row, told, forward, world } = await withArmedEnd(undefined, {
    through: (service) =>
      serve(async (request, body) => {
        if (isHolding && request.method === "GET" && /instances\/?(\?|$)/.test(request.url ?? "")) {
          asked.resolve();
          const answer = await pass(service.url, request, body);
          await go.promise;
          return answer;
        }
        return await pass(service.url, request, body);
      }),
  });
  assert.equal(row.value.id, otherId, "same IDs");
  isHolding = true;
  destroyInstance(world, row.value.id);
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
