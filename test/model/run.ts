// `node test/model/run.ts 10000 [first seed]`: plays that many launches and says what was violated.
import { playMany } from "./many.ts";

const [count = 300, first = 1] = process.argv.slice(2).map(Number);
const started = performance.now();
const { launches, violations } = await playMany({
  count,
  first,
  onProgress: ({ launches, violations }) =>
    launches % 1000 === 0 && console.log(`${launches} launches, ${violations.length} violations`),
});
for (const violation of violations.slice(0, 40)) console.error(violation);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(`${launches} launches in ${seconds} s, ${violations.length} violations`);
process.exit(violations.length > 0 ? 1 : 0);
