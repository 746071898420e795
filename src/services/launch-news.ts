// What one window knows of launches beside their files, and what its person has been told: nothing twice, nothing not at all.
import { isUnresolved, type LaunchRecord, launchState } from "../domain/launch-record.ts";
import { Emitter } from "../lib/event.ts";

/** What a person must hear of a launch they are not waiting for (any more). */
export interface LaunchNotice {
  /**
   * - `found`: an answer was lost, and something was rented
   * - `late`: something was rented after it was said that nothing was found
   * - `doubled`: more than one was rented by one request
   * - `absent`: looked for long enough and not found
   */
  readonly kind: "found" | "late" | "doubled" | "absent";
  readonly record: LaunchRecord;
}

/** Lost with the window, and then learnt anew; times are monotonic milliseconds. */
export interface Watching {
  /** When this window first saw it sent. */
  readonly since: number;
  /** Complete listings without it, in a row, asked for after it must have shown. */
  empty: number;
  /** When it was first seen rented. */
  rentedAt: number | undefined;
  /** How many of the looks after a rental were made. */
  secondLooks: number;
  /** How many instances were known when this window began, or the last alarm named. */
  alarmed: number;
  /** How many the last alarm of this window named. */
  raised: number;
}

export class LaunchNews {
  readonly #notices = new Emitter<LaunchNotice>();
  readonly onNotice = this.#notices.event;
  #watching = new Map<string, Watching>();
  /** Launches whose end is to be told as a notice. */
  #open = new Set<string>();
  /** Launches somebody in this window waits for: their end is told there. */
  readonly #awaited = new Set<string>();

  /** Another account: what was told of the last one's launches means nothing here. */
  clear(): void {
    this.#watching = new Map();
    this.#open = new Set();
  }

  watching(token: string): Watching | undefined {
    return this.#watching.get(token);
  }

  /** Somebody in this window waits for this launch: its end is not told as a notice. */
  await(token: string): void {
    this.#awaited.add(token);
    this.#open.delete(token);
  }

  /** Nobody waits for it any more. Where its end is open, it is told as a notice once it is known. */
  leave(token: string, open: boolean): void {
    this.#awaited.delete(token);
    if (open) this.#open.add(token);
  }

  /** Keeps up with what the files say, whoever wrote them, and tells what this window's person has not heard. */
  follow(record: LaunchRecord, now: number): void {
    const { token, facts, ids } = record;
    const state = launchState(record);
    if (state === "prepared" || state === "not-sent") return;
    const known = this.#watching.get(token);
    const watching = known ?? begin(now, ids.length);
    this.#watching.set(token, watching);
    if (isUnresolved(record) && !known && !this.#awaited.has(token)) this.#open.add(token);
    if (ids.length > 0) watching.rentedAt ??= now;
    if (state === "doubled" && watching.alarmed < ids.length) this.#alarm(record, watching);
    else if (this.#open.has(token) && (state === "rented" || state === "absent")) {
      const late = facts.has("absent") || facts.has("dismissed");
      this.#tell(state === "absent" ? "absent" : late ? "late" : "found", record);
    }
  }

  /** Found after the last word on it: that must be told, in whichever window it is found. */
  foundAgain({ token, facts }: LaunchRecord): void {
    if (facts.has("absent") || facts.has("dismissed")) this.#open.add(token);
  }

  /**
   * A doubled launch from before this window began: an alarm that nobody may have seen is raised once more where a
   * listing still shows more than one of its instances.
   */
  foundDoubled(record: LaunchRecord, shown: number, complete: boolean): void {
    const watching = this.#watching.get(record.token);
    if (!watching || watching.raised >= record.ids.length) return;
    if (shown > 1) this.#alarm(record, watching);
    else if (complete) watching.raised = record.ids.length;
  }

  #alarm(record: LaunchRecord, watching: Watching): void {
    watching.alarmed = record.ids.length;
    watching.raised = record.ids.length;
    this.#tell("doubled", record);
  }

  #tell(kind: LaunchNotice["kind"], record: LaunchRecord): void {
    this.#open.delete(record.token);
    this.#notices.fire({ kind, record });
  }

  dispose(): void {
    this.#notices.dispose();
  }
}

function begin(now: number, known: number): Watching {
  return { since: now, empty: 0, rentedAt: undefined, secondLooks: 0, alarmed: Math.max(1, known), raised: 1 };
}
