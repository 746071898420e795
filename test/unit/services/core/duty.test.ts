// What windows leave to each other, with the heartbeats of real windows.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { realClock } from "../../../../src/lib/clock.ts";
import { silentLog } from "../../../../src/lib/log.ts";
import { Duties, isElsewhere } from "../../../../src/services/core/duty.ts";
import { Heartbeat } from "../../../../src/services/core/heartbeat.ts";
import { Scheduler } from "../../../../src/services/core/scheduler.ts";

const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-duty-"));
const windows: Heartbeat[] = [];
after(async () => {
  for (const window of windows) window.dispose();
  await rm(folder, { recursive: true, force: true });
});

function openWindow(at = folder): Heartbeat {
  const window = new Heartbeat(at, new Scheduler(realClock, silentLog), silentLog);
  windows.push(window);
  return window;
}

test("others see a duty as soon as it is taken, and until its window is closed", async () => {
  const [own, other] = [openWindow(), openWindow()];
  const duties = new Duties<string>(own);
  assert.equal(await isElsewhere(other, own.id), false);
  await duties.take("a");
  assert.equal(await isElsewhere(other, own.id), true);
  assert.equal(await isElsewhere(own, own.id), false, "it isn't elsewhere for the window itself");
  own.dispose();
  assert.equal(await isElsewhere(other, own.id), false);
});

test("nobody has what has no window, or one with an odd name", async () => {
  const own = openWindow();
  for (const window of [undefined, "", "../x", "nobody-at-all"]) assert.equal(await isElsewhere(own, window), false);
});

test("each duty ends by itself, once, and those that are meant end together", async () => {
  let works = 0;
  const begin = () => {
    works += 1;
    return () => {
      works -= 1;
    };
  };
  const liveness = { id: "me", begin, show: async () => {}, isAlive: async () => false };
  const duties = new Duties<number>(liveness);
  for (const duty of [1, 2, 2, 3, 4]) await duties.take(duty);
  assert.equal(works, 4, "one that is taken twice is one");
  duties.end(1);
  duties.end(1);
  duties.end(9);
  assert.deepEqual([works, duties.has(1), duties.has(2)], [3, false, true]);
  duties.endAll((duty) => duty !== 3);
  assert.deepEqual([works, duties.has(3)], [1, true]);
  duties.endAll();
  assert.equal(works, 0);
});

test("a disk that shows nothing keeps no window from its duty", async () => {
  const duties = new Duties<string>(openWindow("/dev/null/no-folder"));
  await duties.take("a");
  assert.equal(duties.has("a"), true);
});
