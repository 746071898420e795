// Takes a confirmed launch from its one request to a running instance: reports the outcome and replaces machines that
// die.
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { getCurrentPrice, hasSsh, type Instance, type SshState } from "../../domain/instance/instance.ts";
import type { LaunchAction, LaunchStage, ShownInstance } from "../../domain/launch/launch-messages.ts";
import { tellListener } from "../../lib/event.ts";
import type { ReadinessService } from "../connection/readiness.ts";
import type { InstanceOrders } from "../instance/instance-orders.ts";
import { chooseAgain, type DeadMachineServices, DeadMachines } from "./dead-machines.ts";
import type { LaunchService } from "./launch.ts";
import { type LaunchPerson, type NextStep, NOTHING_MORE, type Rental, type Turn } from "./launch-steps.ts";
import type { Outcome } from "./outcome/launch-outcome.ts";
import { type LaunchEnd, waitUntilReady } from "./wait-until-ready.ts";

interface Services extends DeadMachineServices {
  readonly orders: InstanceOrders;
  readonly readiness: ReadinessService;
  readonly launches: LaunchService;
}

/** What may follow once it can be logged in to. */
const CONNECTING = ["connect", "open-project", "show"] as const satisfies readonly LaunchAction[];

export class LaunchRunner {
  readonly #services: Services;
  readonly deadMachines: DeadMachines;

  constructor(services: Services) {
    this.#services = services;
    this.deadMachines = new DeadMachines(services);
  }

  /**
   * Rents what was confirmed and waits until it runs or the person leaves. Replaces machines that die in the meantime,
   * if the person or their settings agree. Leaving never ends a rental.
   */
  async run(person: LaunchPerson, confirmed: Rental): Promise<NextStep | undefined> {
    let rental = confirmed;
    for (;;) {
      const turn = await this.#launch(person, rental);
      if ("next" in turn) return turn.next;
      rental = turn.rental;
    }
  }

  /**
   * Replaces a machine that its row shows as dead, and continues with the replacement. Where the launch that rented it asks about it here,
   * this answers: that launch knows what the machine is for.
   */
  async replace(person: LaunchPerson, rental: Rental, dead: InstanceId): Promise<NextStep | undefined> {
    if (this.deadMachines.answer(rental.account, dead, "replace")) return undefined;
    const turn = await this.deadMachines.replaceAsked(person, rental, dead);
    if (turn === "declined") return undefined;
    return "next" in turn ? turn.next : await this.run(person, turn.rental);
  }

  async #launch(person: LaunchPerson, rental: Rental): Promise<Turn> {
    const { outcome, id, end } = await person.accompany(rental.plan, (onStage, cancelled) =>
      this.#rent(rental, (stage) => tellListener(onStage, stage), cancelled),
    );
    if (outcome.kind === "not-rented") return await this.#tellNotRented(person, rental, outcome);
    if (outcome.kind === "unknown") return await this.#tellUnknown(person, rental, outcome);
    return id === undefined || end === undefined ? NOTHING_MORE : await this.#conclude(person, rental, id, end);
  }

  async #rent(
    rental: Rental,
    onStage: (stage: LaunchStage) => void,
    cancelled: AbortSignal,
  ): Promise<{ outcome: Outcome; id?: InstanceId; end?: LaunchEnd | "left" }> {
    const { account, plan, intent, withoutTracking, insteadOf, byAgent } = rental;
    onStage("sending");
    const options = { withoutTracking, insteadOf, signal: cancelled, ...byAgent };
    const outcome = await this.#services.launches.rent(account, plan, intent, options);
    const id = outcome.kind === "rented" ? outcome.ids[0] : undefined;
    if (id === undefined) return { outcome };
    onStage({ id, instance: undefined, ssh: undefined });
    const onInstance = (instance: Instance, ssh?: SshState) => onStage({ id, instance, ssh });
    const end = await waitUntilReady(this.#services, account, id, onInstance, cancelled).catch(leftOnly);
    return { outcome, id, end };
  }

  async #conclude(person: LaunchPerson, rental: Rental, id: InstanceId, end: LaunchEnd | "left"): Promise<Turn> {
    switch (end) {
      case "running":
      case "silent": {
        const actions: readonly LaunchAction[] = this.#hasSsh(id) ? CONNECTING : ["show"];
        const action = await person.tell({ kind: end, id, row: this.#shown(id), plan: rental.plan }, actions);
        const kind = CONNECTING.find((one) => one === action);
        return { next: kind && { kind, id } };
      }
      case "left":
        if (this.#services.session.current !== rental.account)
          return await this.#conclude(person, rental, id, "signed-out");
        return await this.#askAboutRented(person, rental, id);
      case "dead":
        return await this.deadMachines.settle(person, rental, id);
      case "stopped":
        return { next: await this.#tellStopped(person, rental, id) };
      case "gone":
        void person.tell({ kind: "gone", id }, []);
        return NOTHING_MORE;
      case "signed-out":
        void person.tell({ kind: "left-account", id, plan: rental.plan }, []);
        return NOTHING_MORE;
    }
  }

  async #tellStopped(person: LaunchPerson, { plan }: Rental, id: InstanceId): Promise<NextStep | undefined> {
    const isMeant = plan.configuration?.target_state === "stopped";
    const action = await person.tell({ kind: "stopped", id, isMeant }, ["show"]);
    return action === "show" ? { kind: action, id } : undefined;
  }

  /** Unless it is known that it has none. */
  #hasSsh(id: InstanceId): boolean {
    return hasSsh(this.#services.instances.find(id)?.value ?? { image_runtype: undefined });
  }

  #shown(id: InstanceId): ShownInstance | undefined {
    const row = this.#services.instances.find(id);
    return row && { price: getCurrentPrice(row) };
  }

  /** A person who stops waiting may want to destroy the machine. It is rented and billed by now, so they are asked. */
  async #askAboutRented(person: LaunchPerson, rental: Rental, id: InstanceId): Promise<Turn> {
    const { orders } = this.#services;
    const { plan, account } = rental;
    if (await person.confirm({ kind: "destroy-rented", id, row: this.#shown(id), plan })) {
      const ends = await person.wait(() => orders.carryOut(account, "destroy", [{ value: { id } }]));
      if (ends.some(({ outcome }) => outcome !== "done"))
        void person.tell({ kind: "not-destroyed", ends }, []).then(() => orders.acknowledge(ends));
      return NOTHING_MORE;
    }
    const end = await waitUntilReady(this.#services, account, id, () => {});
    return await this.#conclude(person, rental, id, end);
  }

  async #tellNotRented(
    person: LaunchPerson,
    rental: Rental,
    { error, proven }: Outcome & { kind: "not-rented" },
  ): Promise<Turn> {
    if (proven && error.kind === "cancelled") {
      void person.tell({ kind: "cancelled" }, []);
      return NOTHING_MORE;
    }
    // Another offer doesn't help an account without credit.
    const actions: readonly LaunchAction[] = error.kind === "no-credit" ? [] : ["choose-again"];
    if ((await person.tell({ kind: "not-rented", error, proven }, actions)) === undefined) return NOTHING_MORE;
    return chooseAgain(this.#services.session, rental);
  }

  async #tellUnknown(
    person: LaunchPerson,
    { account, withoutTracking }: Rental,
    { error, token }: Outcome & { kind: "unknown" },
  ): Promise<Turn> {
    const message = { kind: "unknown", reason: error.message, token, tracked: !withoutTracking } as const;
    if ((await person.tell(message, ["review"])) === undefined) return NOTHING_MORE;
    this.#services.session.assertStill(account);
    return { next: { kind: "review", token } };
  }
}

/** Cancelling is the only way to leave the wait. Any other error is rethrown. */
function leftOnly(error: unknown): "left" {
  if (error instanceof AppError && error.kind === "cancelled") return "left";
  throw error;
}
