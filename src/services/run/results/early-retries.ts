// What couldn't be brought while a command runs, and when that is tried again: the next time, and then after pauses that double.

/** Minutes between two tries at most, if results come more often than that. */
const LONGEST = 60;

/** What is no result, and has no result's name: a look at them all, and those for which there is no room. */
export const [LOOK, ROOM] = ["look", "room"];

export class EarlyRetries {
  readonly #most: number;
  readonly #failed = new Map<string, { failures: number; next: number }>();
  #looks = 0;

  /** `minutes` between two looks. */
  constructor(minutes: number) {
    this.#most = Math.max(1, Math.floor(LONGEST / minutes));
  }

  /** It is time to look. */
  countLook(): void {
    this.#looks += 1;
  }

  isDue(name: string): boolean {
    return this.#looks >= (this.#failed.get(name)?.next ?? 0);
  }

  /** @returns whether it is the first time in a row. */
  noteFailed(name: string): boolean {
    const failures = (this.#failed.get(name)?.failures ?? 0) + 1;
    const looks = Math.min(2 ** Math.min(failures - 1, 20), this.#most);
    this.#failed.set(name, { failures, next: this.#looks + looks });
    return failures === 1;
  }

  noteDone(name: string): void {
    this.#failed.delete(name);
  }
}
