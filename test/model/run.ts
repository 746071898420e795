// `node test/model/run.ts launches|auto-stops|second-steps|groups|idle|runs|attempts|grants [count] [first seed]`: plays that many stories of a kind and says which promises
// were broken. What is broken only beside others is named, too, and isn't counted.

import { attemptTally, playAttempts } from "./attempts/attempt-story.ts";
import { playAutoStop } from "./auto-stops/auto-stop-story.ts";
import { playGrant } from "./grants/grant-story.ts";
import { playGroup } from "./groups/group-story.ts";
import { playIdle } from "./idle/idle-story.ts";
import { playMany } from "./many.ts";
import { playRun, tally } from "./runs/run-story.ts";
import { playSecondStep } from "./second-steps/second-step-story.ts";
import { play } from "./story.ts";

const KINDS = {
  launches: { story: play, atATime: 64 },
  "auto-stops": { story: playAutoStop, atATime: 32 },
  "second-steps": { story: playSecondStep, atATime: 32 },
  groups: { story: playGroup, atATime: 12 },
  idle: { story: playIdle, atATime: 8 },
  runs: { story: playRun, atATime: 16 },
  attempts: { story: playAttempts, atATime: 12 },
  grants: { story: playGrant, atATime: 24 },
};

const [name = "", ...numbers] = process.argv.slice(2);
const [count = 300, first = 1] = numbers.map(Number);
if (!(name in KINDS)) {
  console.error(`Say which kind of story: ${Object.keys(KINDS).join(", ")}.`);
  process.exit(2);
}
const kind = KINDS[name as keyof typeof KINDS];
const started = performance.now();
let named = 0;
const { launches, violations, doubtful } = await playMany({
  ...kind,
  count,
  first,
  again: 3,
  onProgress: ({ launches, violations }) => {
    for (const violation of violations.slice(named)) console.log(`to be played again, alone: ${violation}`);
    named = violations.length;
    if (launches % 1000 === 0) console.log(`${launches} ${name}`);
  },
});
for (const violation of violations.slice(0, 40)) console.error(violation);
for (const violation of doubtful.slice(0, 40)) console.error(`not when it was played alone: ${violation}`);
for (const [what, times] of [...tally, ...attemptTally]) console.log(`${String(times).padStart(6)} ${what}`);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(`${launches} ${name} in ${seconds} s, ${violations.length} violations, ${doubtful.length} doubtful`);
process.exit(violations.length > 0 ? 1 : 0);
