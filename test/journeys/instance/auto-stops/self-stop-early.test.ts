// What was taken for the end of an instance before its time: the instance goes on keeping the end that the person set.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sleep } from "../../../../src/lib/clock.ts";
import { eventually, pass, serve } from "../../support.ts";
import { HOUR, MINUTE } from "./auto-stop-windows.ts";
import { withReach } from "./self-stop.ts";

test("a clock that was ahead for a moment while the instance was stopped", async () => {
  const { first, row, now, forward, machine, stop, start, untilSeen, untilOver } = await withReach({ ending: "stop" });
  forward(HOUR);
  stop();
  await untilSeen("stopped");
  forward(6 * HOUR);
  await untilOver();
  forward(-6 * HOUR);
  assert.equal(first.autoStops.findAutoStop(row.value)?.until, now + 5 * HOUR, "its row names it again");
  await start();
  await sleep(3000);
  assert.equal(machine.state.until, now + 5 * HOUR, "and the instance isn't told to run on");
});

test("a list and an answer that left the instance out shortly before its end", async () => {
  let isHidden = false;
  let hidden = 0;
  const { first, row, now, forward, machine, untilSeen, open } = await withReach({
    through: ({ url }) =>
      serve(async (request, body) => {
        const answer = await pass(url, request, body);
        const path = request.url ?? "";
        if (!isHidden || request.method !== "GET" || !path.includes("/instances/")) return answer;
        hidden += 1;
        const isOne = /\/instances\/\d+\//.test(path);
        const empty = isOne ? { instances: null } : { ...JSON.parse(answer.text), instances: [], instances_found: 0 };
        return { status: answer.status, text: JSON.stringify(empty) };
      }),
  });
  forward(4 * HOUR + 55 * MINUTE);
  isHidden = true;
  first.autoStops.wake();
  await eventually(() => hidden >= 2, "both are asked for");
  await sleep(500);
  isHidden = false;
  await untilSeen("running");
  assert.equal(first.autoStops.findAutoStop(row.value)?.until, now + 5 * HOUR, "its row names it");
  await open("next", ["window-0", "next"]);
  await sleep(4000);
  assert.equal(machine.state.until, now + 5 * HOUR, "and the instance isn't told to run on");
});
