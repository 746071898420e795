// What can be done to an instance: its state is read just before, one call is sent, and success is what the service says then.
import type { StateChange } from "../api/client.ts";
import { AppError } from "../domain/error.ts";
import type { InstanceId } from "../domain/id.ts";
import { type Instance, launchToken, phase } from "../domain/instance.ts";
import type { Row } from "../domain/wire.ts";
import { type Clock, realClock } from "../lib/clock.ts";
import { t } from "../lib/text.ts";
import type { InstancesService } from "./instances.ts";
import type { SessionService, SignedIn } from "./session.ts";

/** Milliseconds between looks for what a call has brought about; about ten seconds in all. */
const LOOKS = [0, 1500, 3000, 6000];

export class InstanceActions {
  readonly #session: SessionService;
  readonly #instances: InstancesService;
  readonly #clock: Clock;

  constructor(session: SessionService, instances: InstancesService, clock: Clock = realClock) {
    this.#session = session;
    this.#instances = instances;
    this.#clock = clock;
  }

  /** What the service says of one instance right now; undefined where it is gone. */
  reread(id: InstanceId): Promise<Row<Instance> | undefined> {
    return this.#session.signedIn().client.getInstance(id);
  }

  /**
   * Ends a rental: one call, then looks until the service no longer lists it.
   * @returns whether it is gone; false means it may still be there and be billed.
   * @throws AppError where the service refused, or `outcome-unknown` where nobody can tell.
   */
  async destroy(id: InstanceId): Promise<boolean> {
    const session = this.#session.signedIn();
    await session.client.destroyInstance(id);
    const gone = (await this.#until(session, id, (now) => now === undefined)) === "seen";
    if (gone && this.#session.current === session) this.#instances.untrack(id);
    return gone;
  }

  /**
   * Billed from then on. `queued`: its GPU is rented by somebody else, and it starts by itself when that ends.
   * @returns undefined where the service took the request and does not show it wanted running.
   */
  async start(id: InstanceId): Promise<StateChange | undefined> {
    const session = await this.#present(id);
    const change = await session.client.setInstanceState(id, "running");
    const seen = await this.#until(session, id, (now) => now?.intended_status === "running");
    return change === "queued" ? "queued" : seen === "seen" ? "done" : undefined;
  }

  /** Its disk is billed on. @returns whether the service shows it stopped, or on the way there. */
  async stop(id: InstanceId): Promise<boolean> {
    const session = await this.#present(id);
    await session.client.setInstanceState(id, "stopped");
    const isStopped = (now: Instance | undefined) => now !== undefined && ["stopping", "stopped"].includes(phase(now));
    return (await this.#until(session, id, isStopped)) === "seen";
  }

  /** Keeps the machine; what runs on it starts anew. */
  async reboot(id: InstanceId): Promise<void> {
    const session = await this.#present(id);
    await session.client.rebootInstance(id);
    await this.#instances.collection.refresh();
  }

  /**
   * Changes what stands after the launch token of a label: the token is how a rental is found again.
   * @returns whether the service shows the new label.
   */
  async rename(id: InstanceId, name: string): Promise<boolean> {
    const session = this.#session.signedIn();
    const before = await session.client.getInstance(id);
    if (!before) throw gone(id);
    const label = [launchToken(before.value.label), name].filter(Boolean).join(" ");
    await session.client.labelInstance(id, label);
    return (await this.#until(session, id, (now) => (now?.label ?? "") === label)) === "seen";
  }

  /** Dollars an hour for the whole machine. @throws AppError `rejected` where it is not interruptible. */
  async changeBid(id: InstanceId, price: number): Promise<void> {
    const session = this.#session.signedIn();
    const before = await session.client.getInstance(id);
    if (!before) throw gone(id);
    if (before.value.is_bid === false)
      throw new AppError("rejected", t("Instance {0} is on-demand: its price is fixed.", id));
    await session.client.changeBid(id, price);
    await this.#instances.collection.refresh();
  }

  /** The session, once the instance is known to be there. @throws AppError `not-found`. */
  async #present(id: InstanceId): Promise<SignedIn> {
    const session = this.#session.signedIn();
    if (!(await session.client.getInstance(id))) throw gone(id);
    if (this.#session.current !== session)
      throw new AppError("cancelled", t("The account changed in the meantime. Nothing was done."));
    return session;
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
