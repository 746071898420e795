// Long work in small parts: the editor does what else there is to do in between.
import { realClock } from "./clock.ts";

/** Milliseconds that a part may take. What a part costs is no one's to count: it is whatever a workspace or a machine makes of it. */
const LONGEST_MS = 15;

export class Turns {
  readonly #signal: AbortSignal | undefined;
  #since = realClock.elapsed();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** Between two parts. Gives way if they have taken long enough. @throws the signal's reason. */
  async take(): Promise<void> {
    if (realClock.elapsed() - this.#since < LONGEST_MS) return;
    await realClock.sleep(0, this.#signal);
    this.#since = realClock.elapsed();
  }
}

/** Items that are handled together: that many comparisons are nothing. */
const TOGETHER = 2000;

/** A sorted copy, by the order of code units. */
export async function sortInTurns(items: readonly string[], turns: Turns): Promise<readonly string[]> {
  let runs: (readonly string[])[] = [];
  for (let at = 0; at < items.length; at += TOGETHER) {
    runs.push(items.slice(at, at + TOGETHER).sort());
    await turns.take();
  }
  while (runs.length > 1) {
    const merged: (readonly string[])[] = [];
    for (let at = 0; at < runs.length; at += 2) merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], turns));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge(first: readonly string[], second: readonly string[], turns: Turns): Promise<readonly string[]> {
  const merged: string[] = [];
  for (let [a, b] = [0, 0]; a < first.length || b < second.length; ) {
    const [one, other] = [first[a], second[b]];
    if (other === undefined || (one !== undefined && one <= other)) {
      merged.push(one ?? "");
      a += 1;
    } else {
      merged.push(other);
      b += 1;
    }
    if (merged.length % TOGETHER === 0) await turns.take();
  }
  return merged;
}
