// `node test/model/leases/run.ts 10000 [first seed]`: plays that many ends and says what was violated.
import { playMany } from "../many.ts";
import { playLease } from "./lease-story.ts";

const [count = 300, first = 1] = process.argv.slice(2).map(Number);
const started = performance.now();
const { launches, violations } = await playMany({ count, first, story: playLease, atATime: 32 });
for (const violation of violations.slice(0, 40)) console.error(violation);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(`${launches} ends in ${seconds} s, ${violations.length} violations`);
process.exit(violations.length > 0 ? 1 : 0);
