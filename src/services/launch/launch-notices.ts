// What one window knows of launches beside their files, and what its person has been told: nothing twice, nothing not at all.
import { isUnresolved, type LaunchRecord, launchState, wasDenied } from "../../domain/launch/launch-record.ts";
import { Emitter } from "../../lib/event.ts";
import type { Life } from "../core/heartbeat.ts";

/** What a person must hear of a launch they are not waiting for (any more). */
export interface LaunchNotice {
  /**
   * - `found`: an answer was lost, and something was rented
   * - `late`: something was rented after it was said that nothing was found, or that the service refused it
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
  /** When it was first seen refused. */
  refusedAt: number | undefined;
  /** When it was first seen rented. */
  rentedAt: number | undefined;
  /** How many of the looks after a rental were made. */
  secondLooks: number;
  /** How many instances were known when this window began, or the last alarm named. */
  alarmed: number;
  /** How many the last alarm of this window named. */
  raised: number;
  /** Whether this window told of it. */
  told: boolean;
}

/** How long another window that waits for a launch has to tell of its rental, before this one does. */
const TOLD_ELSEWHERE_MS = 30_000;

export class LaunchNews {
  readonly #notices = new Emitter<LaunchNotice>();
  readonly onNotice = this.#notices.event;
  #watching = new Map<string, Watching>();
  /** Launches whose end is to be told as a notice. */
  #open = new Set<string>();
  /** Launches somebody in this window waits for: their end is told there. */
  readonly #awaited = new Set<string>();
  readonly #life: Life;
  /** For each launch of this window whose end is not told yet, what ends the other windows' belief that it will be. */
  readonly #owed = new Map<string, () => void>();

  constructor(life: Life) {
    this.#life = life;
  }

  /** Another account: what was told of the last one's launches means nothing here. */
  clear(): void {
    this.#watching = new Map();
    this.#open = new Set();
    for (const token of [...this.#owed.keys()]) if (!this.#awaited.has(token)) this.#settle(token);
  }

  /** Rented, and still to be told here where nobody else does. */
  isUntold(record: LaunchRecord): boolean {
    return launchState(record) === "rented" && this.#open.has(record.token);
  }

  #settle(token: string): void {
    this.#open.delete(token);
    this.#owed.get(token)?.();
    this.#owed.delete(token);
  }

  watching(token: string): Watching | undefined {
    return this.#watching.get(token);
  }

  /** Somebody in this window waits for this launch: its end is not told as a notice. */
  await(token: string): void {
    this.#awaited.add(token);
    this.#open.delete(token);
    if (!this.#owed.has(token)) this.#owed.set(token, this.#life.begin());
  }

  /** Nobody waits for it any more. Where its end is open, it is told as a notice once it is known. */
  leave(token: string, open: boolean): void {
    this.#awaited.delete(token);
    if (open) this.#open.add(token);
    else this.#settle(token);
  }

  /** Sent by another window that is there to tell of it. */
  async isElsewhere({ prepared }: LaunchRecord): Promise<boolean> {
    const owner = prepared?.owner;
    return owner !== undefined && owner !== this.#life.id && (await this.#life.isAlive(owner));
  }

  /**
   * Keeps up with what the files say, whoever wrote them, and tells what nobody has heard. `isElsewhere`: the window that
   * sent it is alive and tells of it.
   */
  follow(record: LaunchRecord, now: number, isElsewhere: boolean): void {
    const { token, facts, ids } = record;
    const state = launchState(record);
    if (state === "prepared" || state === "not-sent") return;
    const known = this.#watching.get(token);
    const watching = known ?? begin(now, ids.length);
    this.#watching.set(token, watching);
    if (isUnresolved(record) && !known && !this.#awaited.has(token)) this.#open.add(token);
    if (facts.has("refused")) watching.refusedAt ??= now;
    if (ids.length > 0) watching.rentedAt ??= now;
    if (state === "doubled" && watching.alarmed < ids.length) this.#alarm(record, watching);
    else if (state === "rented" && this.#mustTell(record, watching, now, isElsewhere))
      this.#tell(wasDenied(record) ? "late" : "found", record);
    else if (state === "dismissed") this.#settle(token);
    else if (state === "absent" && isElsewhere) this.#open.delete(token);
    else if (state === "absent") this.#tellAbsent(record);
  }

  /**
   * Whoever was told "no" is told when it was yes: here where it was found, and in any later window where the one that
   * found it did not live to say so.
   */
  #mustTell(record: LaunchRecord, watching: Watching, now: number, isElsewhere: boolean): boolean {
    const { token, facts } = record;
    if (this.#awaited.has(token)) return false;
    if (facts.has("told")) {
      this.#settle(token);
      return false;
    }
    if (this.#open.has(token)) return wasDenied(record) || !isElsewhere;
    const untold = wasDenied(record) && record.ids.length === 1 && !watching.told;
    return untold && now - (watching.rentedAt ?? now) >= TOLD_ELSEWHERE_MS;
  }

  /** Of a refused launch "most likely nothing" was said already; that it stays so is no news. */
  #tellAbsent(record: LaunchRecord): void {
    if (!this.#open.has(record.token)) return;
    if (record.facts.has("refused")) this.#settle(record.token);
    else this.#tell("absent", record);
  }

  /** Found after the last word on it: that must be told, in whichever window it is found. */
  foundAgain(record: LaunchRecord): void {
    if (wasDenied(record) && !this.#awaited.has(record.token)) this.#open.add(record.token);
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
    this.#settle(record.token);
    const watching = this.#watching.get(record.token);
    if (watching) watching.told = true;
    this.#notices.fire({ kind, record });
  }

  dispose(): void {
    this.#notices.dispose();
  }
}

function begin(now: number, known: number): Watching {
  return {
    since: now,
    empty: 0,
    refusedAt: undefined,
    rentedAt: undefined,
    secondLooks: 0,
    alarmed: Math.max(1, known),
    raised: 1,
    told: false,
  };
}
