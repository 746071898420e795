// `node test/model/runs/run.ts 10000 [first seed]`: plays that many runs and says what was violated, and what came of them.
import { playMany } from "../many.ts";
import { playRun, tally } from "./run-story.ts";

const [count = 300, first = 1] = process.argv.slice(2).map(Number);
const started = performance.now();
const { launches: runs, violations } = await playMany({
  count,
  first,
  story: playRun,
  onProgress: ({ launches, violations: { length } }) =>
    launches % 500 === 0 && console.log(`${launches} runs, ${length} violations`),
});
for (const violation of violations.slice(0, 40)) console.error(violation);
for (const [what, times] of tally) console.log(`${String(times).padStart(6)} ${what}`);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(`${runs} runs in ${seconds} s, ${violations.length} violations`);
process.exit(violations.length > 0 ? 1 : 0);
