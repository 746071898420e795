// `node test/model/groups/run.ts 10000 [first seed]`: plays that many groups and says what was violated.
import { playMany } from "../many.ts";
import { playGroup } from "./group-story.ts";

const [count = 300, first = 1] = process.argv.slice(2).map(Number);
const started = performance.now();
const { launches, violations, doubtful } = await playMany({ count, first, story: playGroup, atATime: 6, again: 3 });
for (const violation of violations.slice(0, 40)) console.error(violation);
for (const violation of doubtful.slice(0, 40)) console.error(`not when it was played alone: ${violation}`);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(`${launches} groups in ${seconds} s, ${violations.length} violations, ${doubtful.length} doubtful`);
process.exit(violations.length > 0 ? 1 : 0);
