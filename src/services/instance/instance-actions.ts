// What can be done to an instance beside destroying and stopping it: its state is read just before, one call is sent, in the
// account whose row was chosen, and success is what the service says then.
import type { StateChange } from "../../api/client.ts";
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import type { Row } from "../../domain/base/wire.ts";
import { type Instance, launchToken } from "../../domain/instance/instance.ts";
import { type Clock, realClock } from "../../lib/clock.ts";
import { t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstanceOrders } from "./instance-orders.ts";
import type { InstancesService } from "./instances.ts";

/** Milliseconds between looks for what a call has brought about; about ten seconds in all. */
const LOOKS = [0, 1500, 3000, 6000];

export class InstanceActions {
  readonly #session: SessionService;
  readonly #instances: InstancesService;
  readonly #orders: InstanceOrders;
  readonly #clock: Clock;

  constructor(session: SessionService, instances: InstancesService, orders: InstanceOrders, clock: Clock = realClock) {
    this.#session = session;
    this.#instances = instances;
    this.#orders = orders;
    this.#clock = clock;
  }

  /** What the service says of one instance right now; undefined where it is gone. */
  reread({ client }: SignedIn, id: InstanceId): Promise<Row<Instance> | undefined> {
    return client.getInstance(id);
  }

  /**
   * Billed from then on. `queued`: its GPU is rented by somebody else, and it starts by itself when that ends.
   * @returns undefined where the service took the request and does not show it wanted running.
   */
  async start(session: SignedIn, id: InstanceId): Promise<StateChange | undefined> {
    await this.#present(session, id);
    await this.#orders.revoke(session, id);
    const change = await session.client.setInstanceState(id, "running");
    const seen = await this.#until(session, id, (now) => now?.intended_status === "running");
    if (change === "queued") return "queued";
    return seen === "seen" ? "done" : undefined;
  }

  /** Keeps the machine; what runs on it starts anew. */
  async reboot(session: SignedIn, id: InstanceId): Promise<void> {
    await this.#present(session, id);
    await session.client.rebootInstance(id);
    await this.#instances.collection.refresh();
  }

  /**
   * Changes what stands after the launch token of a label: the token is how a rental is found again.
   * @returns whether the service shows the new label.
   */
  async rename(session: SignedIn, id: InstanceId, name: string): Promise<boolean> {
    this.#session.assertStill(session);
    const before = await session.client.getInstance(id);
    if (!before) throw gone(id);
    const label = [launchToken(before.value.label), name].filter(Boolean).join(" ");
    this.#session.assertStill(session);
    await session.client.labelInstance(id, label);
    return (await this.#until(session, id, (now) => (now?.label ?? "") === label)) === "seen";
  }

  /** Dollars an hour for the whole machine. @throws AppError `rejected` where it is not interruptible. */
  async changeBid(session: SignedIn, id: InstanceId, price: number): Promise<void> {
    this.#session.assertStill(session);
    const before = await session.client.getInstance(id);
    if (!before) throw gone(id);
    if (before.value.is_bid === false)
      throw new AppError("rejected", t("Instance {0} is on-demand: its price is fixed.", id));
    this.#session.assertStill(session);
    await session.client.changeBid(id, price);
    await this.#instances.collection.refresh();
  }

  /** @throws AppError `not-found` where the instance is gone, `rejected` where the account is no longer this one. */
  async #present(session: SignedIn, id: InstanceId): Promise<void> {
    this.#session.assertStill(session);
    if (!(await session.client.getInstance(id))) throw gone(id);
    this.#session.assertStill(session);
  }

  /** Looks a few times for what was asked for, then has the list read anew. */
  async #until(
    session: SignedIn,
    id: InstanceId,
    holds: (now: Instance | undefined) => boolean,
  ): Promise<"seen" | "not yet"> {
    for (const wait of LOOKS) {
      await this.#clock.sleep(wait);
      // A look that fails says nothing; the next one may.
      const now = await session.client.getInstance(id).catch(() => "unknown" as const);
      if (now === "unknown" || !holds(now?.value)) continue;
      if (this.#session.current === session) await this.#instances.collection.refresh();
      return "seen";
    }
    if (this.#session.current === session) await this.#instances.collection.refresh();
    return "not yet";
  }
}

function gone(id: InstanceId): AppError {
  return new AppError("not-found", t("Instance {0} is no longer in your account. Nothing was done.", id));
}
