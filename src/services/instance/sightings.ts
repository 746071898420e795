// What lists showed of the instances of an account, and when: rows alone say nothing of that, since they stay while the next list is under
// way, or has gaps.
import type { InstanceId } from "../../domain/base/id.ts";
import { type Instance, phase } from "../../domain/instance/instance.ts";
import { type EndProof, ITSELF_FIRST } from "../../domain/instance/lease.ts";
import type { Clock } from "../../lib/clock.ts";
import type { SessionService } from "../core/session.ts";
import type { Listing } from "./instances.ts";

/** Times are epoch milliseconds, of the requests of the lists. */
interface Sighting {
  /** As it was listed last. */
  readonly value: Instance;
  /** When it was last seen to run. */
  readonly ranAt: number;
  /** When it was first seen not to run after that. */
  readonly idleSince: number | undefined;
}

export class Sightings {
  readonly #byId = new Map<InstanceId, Sighting>();
  readonly #session: SessionService;
  readonly #clock: Clock;

  constructor(session: SessionService, clock: Clock) {
    this.#session = session;
    this.#clock = clock;
  }

  take({ session, rows, askedAt }: Listing): void {
    if (session !== this.#session.current) return;
    const at = this.#clock.now() - (this.#clock.elapsed() - askedAt);
    for (const { value } of rows) {
      const { ranAt = 0, idleSince = at } = this.#byId.get(value.id) ?? {};
      const isRunning = phase(value) === "running";
      this.#byId.set(value.id, { value, ...(isRunning ? { ranAt: at, idleSince: undefined } : { ranAt, idleSince }) });
    }
  }

  find(id: InstanceId): Instance | undefined {
    return this.#byId.get(id)?.value;
  }

  /**
   * Whether an instance that doesn't run any more may have ended itself at `until`: it ran after that end was set, and wasn't seen idle
   * well before it came. `proof`: what it last answered over SSH; one that wasn't read is no answer.
   */
  mayHaveEndedItself(
    id: InstanceId,
    proof: EndProof | undefined,
    end: { readonly at: number; readonly until: number },
  ) {
    const { ranAt = 0, idleSince } = this.#byId.get(id) ?? {};
    const provenAt = proof === undefined || proof.doubt === "unread" ? 0 : proof.at;
    const wasIdle = idleSince !== undefined && idleSince < end.until - ITSELF_FIRST;
    return Math.max(ranAt, provenAt) >= end.at && !wasIdle;
  }

  clear(): void {
    this.#byId.clear();
  }
}
