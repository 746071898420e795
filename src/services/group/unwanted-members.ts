// Destroys what a group was decided not to keep, as it was agreed when it was rented.
import type { InstanceId } from "../../domain/base/id.ts";
import type { GroupRecord } from "../../domain/group/group-record.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import { isRentedLongAfter } from "../../domain/launch/launch-record.ts";
import type { Clock } from "../../lib/clock.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstanceOrders } from "../instance/instance-orders.ts";
import type { InstancesService } from "../instance/instances.ts";
import type { OrderEnd } from "../instance/order-notices.ts";
import { LISTS_LAG_MS } from "../launch/commitments.ts";
import type { LaunchWatch } from "../launch/outcome/launch-watch.ts";
import { findLaunchToken } from "./read-groups.ts";

interface Parts {
  readonly instances: InstancesService;
  readonly watch: LaunchWatch;
  readonly orders: InstanceOrders;
  readonly session: SessionService;
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

  /** Instances of launches that no one wants that way, as far as they are, or may be, there. */
  find(record: GroupRecord): readonly InstanceId[] {
    return [...this.#listed(record), ...this.#unlisted(record)];
  }

  /** Of the group's own launches only: a file may have been changed by hand. */
  #tokensOf({ decided, launches }: GroupRecord): ReadonlySet<string> {
    const own = new Set(launches.flat());
    return new Set((decided?.unwanted ?? []).filter((token) => own.has(token)));
  }

  #listed(record: GroupRecord): readonly InstanceId[] {
    const { instances, watch } = this.#parts;
    const tokens = this.#tokensOf(record);
    return instances.rows
      .filter(({ value, gone }) => !gone && tokens.has(findLaunchToken(watch.records, value) ?? ""))
      .filter(({ value }) => !this.#isDoubted(value))
      .map(({ value }) => value.id);
  }

  #isDoubted(value: Instance): boolean {
    const { watch } = this.#parts;
    const token = findLaunchToken(watch.records, value);
    return watch.records.some((launch) => launch.token === token && isRentedLongAfter(value, launch));
  }

  /** Those that were rented a moment ago may not be listed yet. */
  #unlisted(record: GroupRecord): readonly InstanceId[] {
    const { instances, watch, clock, session } = this.#parts;
    const { current } = session;
    if (current.kind !== "signed-in") return [];
    const tokens = this.#tokensOf(record);
    return watch.records
      .filter(({ token, prepared }) => tokens.has(token) && clock.now() - (prepared?.at ?? 0) < LISTS_LAG_MS)
      .flatMap(({ ids }) => ids)
      .filter((id) => instances.find(id) === undefined && !instances.whereabouts.wasMissedForLong(current, id));
  }

  /** What can't be asked about now is asked about again. */
  async #isThere(account: SignedIn, id: InstanceId): Promise<boolean> {
    const { instances } = this.#parts;
    const listed = instances.find(id);
    if (listed) return !this.#isDoubted(listed.value);
    const found = await instances.whereabouts.find(account, id);
    return found.kind === "there" && !this.#isDoubted(found.row.value);
  }

  /** Destroys them, those that were found later as well. @returns what became of those that it tried now. */
  async carryOut(account: SignedIn, record: GroupRecord): Promise<readonly OrderEnd[]> {
    const { orders, clock, session } = this.#parts;
    const now = clock.elapsed();
    const due = this.find(record).filter(
      (id) => orders.getStage(id) === undefined && now - (this.#tried.get(id) ?? -Infinity) >= AGAIN_MS,
    );
    if (due.length === 0) return [];
    for (const id of due) this.#tried.set(id, now);
    const there = await Promise.all(
      due.map(async (id) => ((await this.#isThere(account, id)) ? [{ value: { id } }] : [])),
    );
    session.assertStill(account);
    const rows = there.flat();
    return rows.length > 0 ? await orders.carryOut(account, "destroy", rows) : [];
  }
}
