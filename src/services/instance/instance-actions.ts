// Actions on an instance other than destroying and stopping it: its state is read first, one call is sent in the
// account that showed the row, and success is whatever the service then reports.
import type { StateChange } from "../../api/client.ts";
import { AppError, asAppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import type { Row } from "../../domain/base/wire.ts";
import { type Instance, readLaunchToken } from "../../domain/instance/instance.ts";
import type { Clock } from "../../lib/clock.ts";
import { t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstanceOrders } from "./instance-orders.ts";
import type { InstancesService } from "./instances.ts";

/** Milliseconds between checks for the effect of a call; about ten seconds in all. */
const LOOKS = [0, 1500, 3000, 6000];

/** Keeps what no longer holds for an instance that someone starts. A start isn't kept from being sent by either. */
export interface StartFollower {
  /** It is about to be sent, and may be refused. */
  interrupt(account: SignedIn, id: InstanceId): Promise<void>;
  /** It was sent, or may have been. */
  callOff(account: SignedIn, id: InstanceId): Promise<void>;
}

export class InstanceActions {
  readonly #session: SessionService;
  readonly #instances: InstancesService;
  readonly #orders: InstanceOrders;
  readonly #clock: Clock;
  starts: StartFollower | undefined;

  constructor(session: SessionService, instances: InstancesService, orders: InstanceOrders, clock: Clock) {
    this.#session = session;
    this.#instances = instances;
    this.#orders = orders;
    this.#clock = clock;
  }

  /** The current state of one instance according to the service; undefined if it is gone. */
  reread(account: SignedIn, id: InstanceId): Promise<Row<Instance> | undefined> {
    return this.#instances.whereabouts.ask(account, id);
  }

  /**
   * Billed from then on. `queued`: someone else rents its GPU, and it starts automatically when that rental ends.
   * @returns undefined if the service accepted the request but doesn't show the instance as intended to run.
   */
  async start(session: SignedIn, id: InstanceId): Promise<StateChange | undefined> {
    await this.#present(session, id);
    await this.starts?.interrupt(session, id).catch(() => undefined);
    await this.#orders.revoke(session, id);
    const change = await this.#sendStart(session, id);
    const seen = await this.#until(session, id, (now) => now?.intended_status === "running");
    if (change === "queued") return "queued";
    return seen === "seen" ? "done" : undefined;
  }

  async #sendStart(session: SignedIn, id: InstanceId): Promise<StateChange> {
    let mayRun = true;
    try {
      return await session.client.setInstanceState(id, "running");
    } catch (error) {
      mayRun = asAppError(error).kind === "outcome-unknown";
      throw error;
    } finally {
      if (mayRun) await this.starts?.callOff(session, id).catch(() => undefined);
    }
  }

  /** Keeps the machine; its container restarts. */
  async reboot(session: SignedIn, id: InstanceId): Promise<void> {
    await this.#present(session, id);
    // It may have been stopped since it was chosen.
    await this.starts?.interrupt(session, id).catch(() => undefined);
    await session.client.rebootInstance(id);
    await this.#instances.collection.refresh();
  }

  /**
   * Changes the part of the label after the launch token: the token identifies the rental.
   * @returns whether the service shows the new label.
   */
  async rename(session: SignedIn, id: InstanceId, name: string): Promise<boolean> {
    this.#session.assertStill(session);
    const before = await this.reread(session, id);
    if (!before) throw gone(id);
    const label = [readLaunchToken(before.value.label), name].filter(Boolean).join(" ");
    this.#session.assertStill(session);
    await session.client.labelInstance(id, label);
    return (await this.#until(session, id, (now) => (now?.label ?? "") === label)) === "seen";
  }

  /** Dollars per hour for the whole machine. @throws AppError `rejected` if it isn't interruptible. */
  async changeBid(session: SignedIn, id: InstanceId, price: number): Promise<void> {
    this.#session.assertStill(session);
    const before = await this.reread(session, id);
    if (!before) throw gone(id);
    if (before.value.is_bid === false)
      throw new AppError("rejected", t("Instance {0} is on-demand: its price is fixed.", id));
    this.#session.assertStill(session);
    await session.client.changeBid(id, price);
    await this.#instances.collection.refresh();
  }

  /** @throws AppError `not-found` if the instance is gone, `rejected` if the account has changed. */
  async #present(session: SignedIn, id: InstanceId): Promise<void> {
    this.#session.assertStill(session);
    if (!(await this.reread(session, id))) throw gone(id);
    this.#session.assertStill(session);
  }

  /** Checks a few times for the expected state, then refreshes the list. */
  async #until(
    session: SignedIn,
    id: InstanceId,
    holds: (now: Instance | undefined) => boolean,
  ): Promise<"seen" | "not yet"> {
    for (const wait of LOOKS) {
      await this.#clock.sleep(wait);
      // A failed check says nothing. The next one may succeed.
      const found = await this.#instances.whereabouts.find(session, id);
      if (found.kind === "unknown" || !holds(found.row?.value)) continue;
      if (this.#session.current === session) await this.#instances.collection.refresh();
      return "seen";
    }
    if (this.#session.current === session) await this.#instances.collection.refresh();
    return "not yet";
  }
}

function gone(id: InstanceId): AppError {
  return new AppError("not-found", t("Instance {0} is no longer in your account. Nothing was changed.", id));
}
