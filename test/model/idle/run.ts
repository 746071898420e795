// `node test/model/idle/run.ts 1000 [first seed]`: plays that many orders for idle instances and says what was violated.
import { playMany } from "../many.ts";
import { playIdle } from "./idle-story.ts";

const [count = 100, first = 1] = process.argv.slice(2).map(Number);
const started = performance.now();
const { launches, violations } = await playMany({ count, first, story: playIdle, atATime: 8 });
for (const violation of violations.slice(0, 40)) console.error(violation);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(`${launches} orders in ${seconds} s, ${violations.length} violations`);
process.exit(violations.length > 0 ? 1 : 0);
