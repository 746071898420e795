// What lists showed of the instances of an account, and when: rows alone say nothing of that, since they stay while the next list is under
// way, or has gaps.
import type { InstanceId } from "../../domain/base/id.ts";
import { ITSELF_FIRST, type SelfStopProof } from "../../domain/instance/auto-stop.ts";
import { getPhase, type Instance, type Phase } from "../../domain/instance/instance.ts";
import type { Clock } from "../../lib/clock.ts";
import type { SessionService } from "../core/session.ts";
import type { Listing } from "./instances.ts";

/** Times are epoch milliseconds, of the requests of the lists. */
interface Sighting {
  /** As it was listed last. */
  readonly value: Instance;
  /** When the last list was asked, on the clock that no one sets. */
  readonly askedAt: number;
  /** When it was last seen to run. */
  readonly ranAt: number;
  /** When it was first, and last, seen not to run after that, or to be missing. */
  readonly idle: { readonly since: number; readonly last: number } | undefined;
  /** When it was last seen to be stopped. */
  readonly stoppedAt: number;
  /** When it was last seen to run after it was seen to be stopped. */
  readonly restartedAt: number;
}

export class Sightings {
  readonly #byId = new Map<InstanceId, Sighting>();
  readonly #session: SessionService;
  readonly #clock: Clock;

  constructor(session: SessionService, clock: Clock) {
    this.#session = session;
    this.#clock = clock;
  }

  take({ session, rows, askedAt, complete }: Listing): void {
    if (session !== this.#session.current) return;
    const listed = new Map(rows.map(({ value }) => [value.id, value]));
    if (complete) for (const [id, { value }] of this.#byId) if (!listed.has(id)) this.#note(value, "missing", askedAt);
    for (const value of listed.values()) this.#note(value, getPhase(value), askedAt);
  }

  #note(value: Instance, seen: Phase | "missing", askedAt: number): void {
    const before = this.#byId.get(value.id);
    // An answer that was slow says less than the one that overtook it.
    if (before && before.askedAt > askedAt) return;
    const at = this.#clock.now() - (this.#clock.elapsed() - askedAt);
    // What a list before it showed wasn't later, whatever the clock said then.
    const upToNow = (time: number) => Math.min(time, at);
    const { ranAt = 0, stoppedAt = 0, restartedAt = 0, idle } = before ?? {};
    const isRunning = seen === "running";
    const isStopped = seen === "stopping" || seen === "stopped";
    this.#byId.set(value.id, {
      ...{ value, askedAt },
      ranAt: isRunning ? at : upToNow(ranAt),
      idle: isRunning ? undefined : { since: upToNow(idle?.since ?? at), last: at },
      stoppedAt: isStopped ? at : upToNow(stoppedAt),
      restartedAt: isRunning && stoppedAt > ranAt ? at : upToNow(restartedAt),
    });
  }

  find(id: InstanceId): Instance | undefined {
    return this.#byId.get(id)?.value;
  }

  /**
   * Whether an instance that doesn't run any longer may have ended itself at `until`: it ran after that end was set, and wasn't seen idle
   * well before it came. `proof`: what it last answered over SSH; one that wasn't read is no answer.
   */
  mayHaveEndedItself(
    id: InstanceId,
    proof: SelfStopProof | undefined,
    end: { readonly at: number; readonly until: number },
  ) {
    const { ranAt = 0, idle } = this.#byId.get(id) ?? {};
    const provenAt = proof === undefined || proof.doubt === "unread" ? 0 : proof.at;
    const wasIdle = [idle?.since, idle?.last].some(
      (at) => at !== undefined && at > provenAt && at < end.until - ITSELF_FIRST,
    );
    return Math.max(ranAt, provenAt) >= end.at && !wasIdle;
  }

  /** Whether it was seen to be stopped at that time, in epoch milliseconds, or later, and runs again. */
  wasStartedAgain(id: InstanceId, since: number): boolean {
    const { ranAt = 0, stoppedAt = 0, idle } = this.#byId.get(id) ?? {};
    return stoppedAt >= since && ranAt > stoppedAt && idle === undefined;
  }

  /** Whether it was seen to be stopped, and later to run, after that time in epoch milliseconds. Whatever it does by now. */
  wasRestartedSince(id: InstanceId, since: number): boolean {
    return (this.#byId.get(id)?.restartedAt ?? 0) > since;
  }

  clear(): void {
    this.#byId.clear();
  }
}
