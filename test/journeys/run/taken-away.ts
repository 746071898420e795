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

export const DRAFT = { results: ["out/**"], resultsEveryMinutes: 1 };

export type Window = Awaited<ReturnType<typeof signInForRuns>>;

export const openWindow = () => signInForRuns({ clock: createHastyClock(), liveness: lifeOf("this") });

export const findRecord = async (window: Window, { id }: Pick<RunRecord, "id">) =>
  (await window.runs.readAll(window.me())).find((run) => run.id === id) ?? assert.fail();

/** Waits until what the command saved is here, and takes the instance away. */
export const losingAt =
  (window: Window, state: string) =>
  async (run: RunRecord): Promise<void> => {
    await eventually(async () => {
      const { early } = await findRecord(window, run);
      const text = early && (await readFile(join(early.place, "out/state"), "utf8").catch(() => ""));
      return text === state;
    }, `${state} is here`);
    window.service.world.destroy(run.instance);
  };
