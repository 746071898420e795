// A run that saves what it has, and the loss of the instance that it runs on.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunRecord } from "../../../src/domain/run/run-record.ts";
import { type Clock, realClock } from "../../../src/lib/clock.ts";
import { lifeOf } from "../editor-window.ts";
import { signInForRuns } from "../run-machine.ts";
import { eventually } from "../support.ts";

/** Waits for results are over soon, and so is a minute between two answers of the service. */
export function createHastyClock(): Clock {
  let skipped = 0;
  return {
    ...realClock,
    elapsed: () => realClock.elapsed() + skipped,
    sleep: async (ms, signal) => {
      const isLong = ms > 40_000 && ms <= 60_000 && signal !== undefined;
      await realClock.sleep(isLong ? 200 : ms, signal);
      if (isLong) skipped += ms;
    },
  };
}

/** Adds the numbers to 30, saves each sum, and begins with the last one. Its first attempts stop at a third and at two thirds. */
export const TRAIN = `
mkdir -p out; i=0; sum=0
[ -e out/state ] && read -r i sum < out/state
echo "attempt $CLOUD_GPU_ATTEMPT begins at $i"
while [ $i -lt 30 ]; do
  i=$((i + 1)); sum=$((sum + i))
  echo "$i $sum" > out/state.new && mv out/state.new out/state
  [ $i -lt $((CLOUD_GPU_ATTEMPT * 10)) ] || [ "$CLOUD_GPU_ATTEMPT" -ge 3 ] || sleep 600
done
echo "$sum" > out/sum
`;

/** Fits a line by gradient descent in 30 epochs, saves each, and begins with the last one. Its first attempts stop as those of `TRAIN` do. */
export const TRAIN_IN_PYTHON = `
import json, os, random, time

CHECKPOINT = "out/checkpoint.json"
attempt = int(os.environ["CLOUD_GPU_ATTEMPT"])
os.makedirs("out", exist_ok=True)
noise = random.Random(7)
points = [(x / 100, 3 * x / 100 - 1 + noise.gauss(0, 0.1)) for x in range(-100, 100)]
state = {"epoch": 0, "slope": 0.0, "offset": 0.0}
if os.path.exists(CHECKPOINT):
    with open(CHECKPOINT) as file:
        state = json.load(file)
print(f"attempt {attempt} begins with epoch {state['epoch']}", flush=True)
while state["epoch"] < 30:
    random.Random(state["epoch"]).shuffle(points)
    for x, y in points:
        error = state["slope"] * x + state["offset"] - y
        state["slope"] -= 0.01 * error * x
        state["offset"] -= 0.01 * error
    state["epoch"] += 1
    points.sort()
    with open(CHECKPOINT + ".new", "w") as file:
        json.dump(state, file)
    os.replace(CHECKPOINT + ".new", CHECKPOINT)
    if state["epoch"] >= attempt * 10 and attempt < 3:
        time.sleep(600)
with open("out/line.json", "w") as file:
    json.dump([state["slope"], state["offset"]], file)
`;

export const DRAFT = { results: ["out/**"], resultsEveryMinutes: 1 };

export type Window = Awaited<ReturnType<typeof signInForRuns>>;

export const openWindow = () => signInForRuns({ clock: createHastyClock(), liveness: lifeOf("this") });

export const findRecord = async (window: Window, { id }: Pick<RunRecord, "id">) =>
  (await window.runs.readAll(window.me())).find((run) => run.id === id) ?? assert.fail();

/** Waits until what the command saved is here, by how it begins, and takes the instance away. */
export const losingAt =
  (window: Window, state: string, file = "out/state") =>
  async (run: RunRecord): Promise<void> => {
    await eventually(async () => {
      const { early } = await findRecord(window, run);
      const text = early && (await readFile(join(early.place, file), "utf8").catch(() => ""));
      return text?.startsWith(state) === true;
    }, `${state} is here`);
    window.service.world.destroy(run.instance);
  };
