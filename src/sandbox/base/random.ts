// Repeatable randomness: the same seed gives the same numbers on every machine and in every version.

export class Random {
  #state: number;

  /** Each text gives an independent stream, so one part of the world can grow without changing another. */
  constructor(seed: string) {
    this.#state = hashText(seed);
  }

  /** At least 0, below 1 (mulberry32). */
  drawNext(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  drawBetween(low: number, high: number): number {
    return low + (high - low) * this.drawNext();
  }

  /** A whole number from `low` to `high`, inclusive. */
  drawWhole(low: number, high: number): number {
    return Math.floor(this.drawBetween(low, high + 1));
  }

  drawChance(probability: number): boolean {
    return this.drawNext() < probability;
  }

  /** @throws RangeError for an empty list. */
  pick<T>(list: readonly T[]): T {
    const chosen = list[Math.floor(this.drawNext() * list.length)];
    if (chosen === undefined) throw new RangeError("Nothing to pick from");
    return chosen;
  }
}

/** A 32-bit hash of a text (FNV-1a), for seeds and for values that must stay the same for the same name. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Rounded to `digits` decimals, so that records stay readable. */
export function round(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}
