// Rentals made with another key at a service that has no list and doesn't identify accounts. If this key sees such a
// rental under our label, the account is the same, and the session tracks the rental from now on.
import { asAppError } from "../../../domain/base/error.ts";
import type { InstanceId } from "../../../domain/base/id.ts";
import { readLaunchToken } from "../../../domain/instance/instance.ts";
import type { LaunchRecord } from "../../../domain/launch/launch-record.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { SignedIn } from "../../core/session.ts";
import type { InstancesService } from "../../instance/instances.ts";

/** Milliseconds before the service is asked again for what it didn't answer. Each pause is twice as long as the one before. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** Those of one session. */
export class Orphans {
  readonly #instances: InstancesService;
  readonly #clock: Clock;
  readonly #answered = new Set<InstanceId>();
  #asking: Promise<void> | undefined;
  #pause = FIRST_PAUSE_MS;
  /** Monotonic milliseconds. */
  #askAgainAt = 0;

  constructor(instances: InstancesService, clock: Clock) {
    this.#instances = instances;
    this.#clock = clock;
  }

  /** What is being asked at this moment; undefined if nothing is. Never rejects. */
  get asking(): Promise<void> | undefined {
    return this.#asking;
  }

  /** Asks for those the service hasn't answered about, without making anyone wait. */
  follow(session: SignedIn, records: readonly LaunchRecord[]): void {
    if (this.#asking || this.#clock.elapsed() < this.#askAgainAt) return;
    const { base } = session.address;
    const left = records
      .filter(
        ({ prepared }) => prepared?.tracked === false && prepared.origin === base && prepared.account !== session.tag,
      )
      .flatMap((record) => record.ids.map((id) => ({ record, id })))
      .filter(({ id }) => !this.#answered.has(id));
    if (left.length === 0) return;
    this.#asking = this.#ask(session, left).finally(() => {
      this.#asking = undefined;
    });
  }

  async #ask(
    session: SignedIn,
    left: readonly { readonly record: LaunchRecord; readonly id: InstanceId }[],
  ): Promise<void> {
    for (const { record, id } of left) {
      try {
        const row = await session.client.getInstance(id);
        if (row && readLaunchToken(row.value.label) === record.token)
          this.#instances.expect(session, row.value, record.prepared?.price);
      } catch (error) {
        // What this key may not see is another account's.
        if (asAppError(error).kind !== "not-allowed") continue;
      }
      this.#answered.add(id);
    }
    if (left.every(({ id }) => this.#answered.has(id))) return;
    this.#askAgainAt = this.#clock.elapsed() + this.#pause;
    this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE_MS);
  }
}
