// Destroys what a group was decided not to keep, as it was agreed when it was rented.
import type { InstanceId } from "../../domain/base/id.ts";
import type { GroupRecord } from "../../domain/group/group-record.ts";
import type { Clock } from "../../lib/clock.ts";
import type { SignedIn } from "../core/session.ts";
import type { InstanceOrders } from "../instance/instance-orders.ts";
import type { InstancesService } from "../instance/instances.ts";
import type { OrderEnd } from "../instance/order-notices.ts";
import type { LaunchWatch } from "../launch/launch-watch.ts";
import { findLaunchToken } from "./read-groups.ts";

interface Parts {
  readonly instances: InstancesService;
  readonly watch: LaunchWatch;
  readonly orders: InstanceOrders;
  readonly clock: Clock;
}

/** Milliseconds until what failed is tried again. */
const AGAIN_MS = 60_000;

export class UnwantedMembers {
  readonly #parts: Parts;
  /** By instance, when this window last tried, in monotonic milliseconds. */
  readonly #tried = new Map<InstanceId, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Another account: its numbers mean something else. */
  forget(): void {
    this.#tried.clear();
  }

  /** Listed instances of launches that nobody wants that way, and of the group's own only: a file may have been changed by hand. */
  listed({ decided, launches }: GroupRecord): readonly InstanceId[] {
    const { instances, watch } = this.#parts;
    const own = new Set(launches.flat());
    const tokens = new Set((decided?.unwanted ?? []).filter((token) => own.has(token)));
    return instances.rows
      .filter(({ value, gone }) => !gone && tokens.has(findLaunchToken(watch.records, value) ?? ""))
      .map(({ value }) => value.id);
  }

  /** Destroys them, those that were found later as well. @returns what became of those that it tried now. */
  async carryOut(account: SignedIn, record: GroupRecord): Promise<readonly OrderEnd[]> {
    const { orders, clock } = this.#parts;
    const now = clock.elapsed();
    const due = this.listed(record).filter(
      (id) => orders.stageOf(id) === undefined && now - (this.#tried.get(id) ?? -Infinity) >= AGAIN_MS,
    );
    if (due.length === 0) return [];
    for (const id of due) this.#tried.set(id, now);
    const rows = due.map((id) => ({ value: { id } }));
    return await orders.carryOut(account, "destroy", rows);
  }
}
