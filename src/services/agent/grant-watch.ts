// What agents rented from a budget ends without VS Code, or at once: an instance that doesn't show that it ends itself is destroyed.
import type { InstanceId } from "../../domain/base/id.ts";
import { getPhase, type Instance } from "../../domain/instance/instance.ts";
import { Bag, type Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import type { ScheduledJob, Scheduler } from "../core/scheduler.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { AutoStopsService } from "../instance/auto-stops/auto-stops.ts";
import type { InstanceActions } from "../instance/instance-actions.ts";
import type { InstanceOrders } from "../instance/instance-orders.ts";
import type { InstancesService } from "../instance/instances.ts";
import type { OrderEnd } from "../instance/order-notices.ts";
import { destroyPaid } from "./destroy-paid.ts";
import type { Grants } from "./grants.ts";

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly actions: Pick<InstanceActions, "reread">;
  readonly orders: InstanceOrders;
  readonly autoStops: Pick<AutoStopsService, "findAutoStop" | "onDidChange">;
  readonly grants: Pick<Grants, "findGranted" | "isLeftToAgents" | "onDidChange">;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

/** Call `acknowledge` once the person has seen it. */
interface UnprovenNotice {
  readonly end: OrderEnd;
  readonly acknowledge: () => Promise<void>;
}

/** Milliseconds between two looks. */
const LOOK_EVERY = 30_000;
/** Looks in a row that find it running and not proven: ten minutes in which this window was awake. */
const MOST_LOOKS = 20;

export class GrantWatch implements Disposable {
  readonly #parts: Parts;
  readonly #bag = new Bag();
  readonly #job: ScheduledJob;
  readonly #notices = this.#bag.add(new Emitter<UnprovenNotice>());
  /** Fires for each instance that was to be destroyed because it wasn't proven. */
  readonly onNotice = this.#notices.event;
  /** How often in a row each was found so, before it is destroyed. */
  readonly #looks = new Map<InstanceId, number>();
  /** When it looks again, in monotonic milliseconds: each list that arrives would put it off otherwise. */
  #nextAt = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { session, instances, autoStops, grants, scheduler } = parts;
    this.#job = this.#bag.add(
      scheduler.add({
        id: "budget",
        wait: () =>
          this.#listUnproven().length > 0 ? Math.max(0, this.#nextAt - scheduler.clock.elapsed()) : undefined,
        run: () => this.#look(),
      }),
    );
    const plan = () => this.#job.plan();
    this.#bag.add(instances.collection.store.onDidChange(plan));
    this.#bag.add(autoStops.onDidChange(plan));
    this.#bag.add(grants.onDidChange(plan));
    this.#bag.add(
      session.onDidChange(() => {
        this.#looks.clear();
        plan();
      }),
    );
  }

  #listUnproven(): readonly InstanceId[] {
    const { session, instances } = this.#parts;
    if (session.current.kind !== "signed-in") return [];
    return instances.rows
      .filter(({ gone }) => !gone)
      .flatMap(({ value }) => (this.#isUnproven(value) ? [value.id] : []));
  }

  #isUnproven(instance: Instance): boolean {
    const { autoStops, grants, orders } = this.#parts;
    const { id } = instance;
    if (getPhase(instance) !== "running" || !grants.findGranted(id) || orders.getStage(id) !== undefined) return false;
    return autoStops.findAutoStop({ id })?.guard?.kind === "unverified";
  }

  async #look(): Promise<void> {
    const { session, scheduler, log } = this.#parts;
    this.#nextAt = scheduler.clock.elapsed() + LOOK_EVERY;
    const account = session.current;
    if (account.kind !== "signed-in") return;
    const unproven = new Set(this.#listUnproven());
    for (const id of this.#looks.keys()) if (!unproven.has(id)) this.#looks.delete(id);
    for (const id of unproven) {
      const looks = (this.#looks.get(id) ?? 0) + 1;
      this.#looks.set(id, looks);
      if (looks < MOST_LOOKS) continue;
      // One that couldn't be destroyed is tried again after as long.
      this.#looks.delete(id);
      await this.#destroy(account, id).catch((error) => log.error(`Instance ${id} couldn't be destroyed.`, error));
    }
  }

  async #destroy(account: SignedIn, id: InstanceId): Promise<void> {
    const { session, actions, orders, grants, log } = this.#parts;
    if (!(await grants.isLeftToAgents(id))) return;
    const row = await actions.reread(account, id);
    // It may have been proven, or be the person's, since.
    if (!row || !this.#isUnproven(row.value) || !(await grants.isLeftToAgents(id))) return;
    session.assertStill(account);
    log.warn(`Instance ${id}, which an agent rented, never showed that it ends itself.`);
    const end = await destroyPaid(orders, account, id, () => grants.isLeftToAgents(id));
    if (!end) return;
    this.#notices.fire({ end, acknowledge: () => orders.acknowledge([end]) });
  }

  dispose(): void {
    this.#bag.dispose();
  }
}
