// What one window knows about launches beyond their files, and what its user was told. Every outcome is reported
// exactly once.
import { getLaunchState, isUnresolved, type LaunchRecord, wasDenied } from "../../../domain/launch/launch-record.ts";
import { Emitter } from "../../../lib/event.ts";
import { Duties, isElsewhere } from "../../core/duty.ts";
import type { Liveness } from "../../core/heartbeat.ts";
import type { SignedIn } from "../../core/session.ts";

/** A message about a launch that the person isn't waiting for, or no longer is. */
export interface LaunchNotice {
  /**
   * - `found`: a response was lost, and something was rented
   * - `late`: something was rented after the person was told that nothing was found or that the service refused it
   * - `doubled`: one request rented more than one
   * - `absent`: searched for long enough and not found
   */
  readonly kind: "found" | "late" | "doubled" | "absent";
  /** Whose launch it is. What the message leads to is done in no other account. */
  readonly account: SignedIn;
  readonly record: LaunchRecord;
}

/** Lost when the window closes, then rebuilt. Times are monotonic milliseconds. */
export interface Watching {
  /** When this window first saw it sent. */
  readonly since: number;
  /** The number of consecutive complete lists without it, requested after it must have appeared. */
  empty: number;
  /** When it was first seen refused. */
  refusedAt: number | undefined;
  /** When it was first seen rented. */
  rentedAt: number | undefined;
  /** How many of the checks after a rental are done. */
  secondLooks: number;
  /** How many instances were known when this window started, or at its last alarm. */
  alarmed: number;
  /** How many instances this window's last alarm named. */
  raised: number;
  /** Whether this window reported it. */
  told: boolean;
}

/** How long another window that is waiting for a launch has to report its rental before this one does. */
const TOLD_ELSEWHERE_MS = 30_000;

export class LaunchNotices {
  readonly #notices = new Emitter<LaunchNotice>();
  readonly onNotice = this.#notices.event;
  #watching = new Map<string, Watching>();
  /** Launches that will be reported with a notice. */
  #open = new Set<string>();
  /** Launches that this window is waiting for. The waiting code reports their outcome. */
  readonly #awaited = new Set<string>();
  readonly #life: Liveness;
  readonly #account: () => SignedIn;
  /** Launches that this window has yet to report. */
  readonly #owed: Duties<string>;

  /** `account`: the one whose launches are followed, as it is signed in. */
  constructor(liveness: Liveness, account: () => SignedIn) {
    this.#life = liveness;
    this.#owed = new Duties(liveness);
    this.#account = account;
  }

  /** The account changed: what was reported about the previous account's launches no longer matters. */
  clear(): void {
    this.#watching = new Map();
    this.#open = new Set();
    this.#owed.endAll((token) => !this.#awaited.has(token));
  }

  /** Rented, and still to be reported here unless another window does. */
  isUntold(record: LaunchRecord): boolean {
    return getLaunchState(record) === "rented" && this.#open.has(record.token);
  }

  #settle(token: string): void {
    this.#open.delete(token);
    this.#owed.end(token);
  }

  getWatching(token: string): Watching | undefined {
    return this.#watching.get(token);
  }

  /** Someone in this window is waiting for this launch, so its outcome isn't reported with a notice. */
  await(token: string): void {
    this.#awaited.add(token);
    this.#open.delete(token);
    void this.#owed.take(token);
  }

  isAwaited(token: string): boolean {
    return this.#awaited.has(token);
  }

  /** No one is waiting for it any longer. If its outcome is open, a notice reports it once it is known. */
  leave(token: string, open: boolean): void {
    this.#awaited.delete(token);
    if (open) this.#open.add(token);
    else this.#settle(token);
  }

  /** Sent by another window that is alive and will report it. */
  async isElsewhere({ prepared }: LaunchRecord): Promise<boolean> {
    return await isElsewhere(this.#life, prepared?.owner);
  }

  /**
   * Follows the files, whoever wrote them, and reports what hasn't been reported. `isElsewhere`: the window that sent
   * it is alive and reports it.
   */
  follow(record: LaunchRecord, now: number, isElsewhere: boolean): void {
    const { token, facts, ids } = record;
    const state = getLaunchState(record);
    if (state === "prepared" || state === "not-sent") return;
    const known = this.#watching.get(token);
    const watching = known ?? begin(now, ids.length);
    this.#watching.set(token, watching);
    if (isUnresolved(record) && !known && !this.#awaited.has(token)) this.#open.add(token);
    if (facts.has("refused")) watching.refusedAt ??= now;
    if (ids.length > 0) watching.rentedAt ??= now;
    if (state === "doubled" && watching.alarmed < ids.length) this.#alarm(record, watching);
    else if (state === "rented" && this.#mustTell(record, watching, now, isElsewhere))
      this.#tell(wasDenied(record) ? "late" : "found", record, watching);
    else if (state === "dismissed" || (state === "absent" && !this.#awaited.has(token))) this.#settle(token);
  }

  /**
   * A person who was told "no" is told if it was "yes" after all: by the window that found it, or by any later window
   * if that one died before it could.
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

  /**
   * To be called before it is noted: if this window dies in between, the next one reports it. For a refused launch, the
   * person already knows that most likely nothing was rented. If that is confirmed, there is nothing to report.
   * @returns false while someone in this window is waiting for it.
   */
  tellAbsent(record: LaunchRecord): boolean {
    const { token, facts } = record;
    const watching = this.#watching.get(token);
    if (!watching || this.#awaited.has(token)) return false;
    if (this.#open.has(token) && !facts.has("refused")) this.#tell("absent", record, watching);
    else this.#settle(token);
    return true;
  }

  /** Found after it was declared finished. This must be reported, whichever window finds it. */
  noteFoundAgain(record: LaunchRecord): void {
    if (wasDenied(record) && !this.#awaited.has(record.token)) this.#open.add(record.token);
  }

  /**
   * A doubled launch from before this window started. The alarm may have gone unseen, so it is raised again if a list
   * still shows more than one of its instances.
   */
  noteDoubled(record: LaunchRecord, shown: number, complete: boolean): void {
    const watching = this.#watching.get(record.token);
    if (!watching || watching.raised >= record.ids.length) return;
    if (shown > 1) this.#alarm(record, watching);
    else if (complete) watching.raised = record.ids.length;
  }

  #alarm(record: LaunchRecord, watching: Watching): void {
    watching.alarmed = record.ids.length;
    watching.raised = record.ids.length;
    this.#tell("doubled", record, watching);
  }

  #tell(kind: LaunchNotice["kind"], record: LaunchRecord, watching: Watching): void {
    this.#settle(record.token);
    watching.told = true;
    this.#notices.fire({ kind, account: this.#account(), record });
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
