// Renting: one confirmation sends one create request, and what became of it is found out, never guessed.
import { AppError, asAppError } from "../domain/error.ts";
import type { InstanceId } from "../domain/id.ts";
import { type Instance, isDead, launchToken, phase } from "../domain/instance.ts";
import { type LaunchPlan, launchRequest, planPrice } from "../domain/launch-plan.ts";
import { perHour } from "../domain/money.ts";
import type { OfferSearch } from "../domain/offer-search.ts";
import type { Log } from "../lib/log.ts";
import { sleep } from "../lib/task.ts";
import { t } from "../lib/text.ts";
import type { InstancesService } from "./instances.ts";
import { type Intent, labelFor } from "./intent.ts";
import type { OffersService } from "./offers.ts";
import type { SessionService, SignedIn } from "./session.ts";

export type Outcome =
  /** `ids` holds more than one where the network repeated the request: each of them is billed. */
  | { readonly kind: "rented"; readonly ids: readonly InstanceId[] }
  /** `proven` where no byte left this machine; otherwise the service said no and no rental was found. */
  | { readonly kind: "not-rented"; readonly proven: boolean; readonly error: AppError }
  /** Nobody knows: the request may have been carried out. */
  | { readonly kind: "unknown"; readonly error: AppError; readonly token: string };

/** What a rental was found with, so that another like it can be found. */
export interface Found {
  readonly plan: LaunchPlan;
  readonly search: OfferSearch;
}

export type LaunchEnd = "running" | "dead" | "gone" | "signed-out";

/** Seconds between looks for a rental whose answer was lost; about two minutes in all, then it is called unknown. */
const LOOKS = [0, 2, 4, 8, 15, 30, 60];

export class LaunchService {
  readonly #session: SessionService;
  readonly #offers: OffersService;
  readonly #instances: InstancesService;
  readonly #log: Log;
  readonly #used = new Set<string>();
  /** Offers tried here: a host that died or an offer that was gone is never suggested again. */
  readonly tried = new Set<number>();

  constructor(parts: {
    readonly session: SessionService;
    readonly offers: OffersService;
    readonly instances: InstancesService;
    readonly log: Log;
  }) {
    this.#session = parts.session;
    this.#offers = parts.offers;
    this.#instances = parts.instances;
    this.#log = parts.log;
    // Offer ids mean nothing to another service.
    parts.session.onDidChange(() => this.tried.clear());
  }

  /**
   * The offer of a plan as it stands now.
   * @throws AppError `gone` where it was taken, `rejected` where it costs more than was shown or names no price.
   */
  async recheck(plan: LaunchPlan, signal?: AbortSignal): Promise<LaunchPlan> {
    const offer = await this.#offers.reread(plan.offer.id, plan.type, plan.diskGb, signal);
    if (!offer) throw new AppError("gone", t("That offer was just taken. Nothing was rented."));
    const now = { ...plan, offer };
    const [before, price] = [planPrice(plan), planPrice(now)];
    // A bid's own amount cannot change under us; only the price of its disk may be unknown.
    if (price === undefined && plan.type === "bid") return now;
    if (price === undefined)
      throw new AppError("rejected", t("The service names no price for this offer, so it cannot be rented from here."));
    if (before === undefined || price > before + 1e-9) {
      throw new AppError(
        "rejected",
        t("The price went from {0} to {1}. Nothing was rented; review it again.", perHour(before), perHour(price)),
      );
    }
    return now;
  }

  /**
   * Sends the one create request of an intent and finds out what became of it. Call only after the person confirmed
   * exactly this plan; a second call with the same intent is refused. Never rejects once the request may have left.
   * @throws AppError where it stopped before sending.
   */
  async rent(plan: LaunchPlan, intent: Intent): Promise<Outcome> {
    const session = this.#session.signedIn();
    if (this.#used.has(intent.token))
      throw new AppError("rejected", t("This launch was already sent. Look for it under Instances."));
    this.#used.add(intent.token);
    let checked: LaunchPlan;
    try {
      checked = await this.recheck(plan);
    } catch (error) {
      if (error instanceof AppError && error.kind === "gone") this.tried.add(plan.offer.id);
      return { kind: "not-rented", proven: true, error: asAppError(error) };
    }
    if (this.#session.current !== session)
      throw new AppError("cancelled", t("The account changed in the meantime. Nothing was rented."));
    this.tried.add(plan.offer.id);
    return this.#send(session, checked, intent);
  }

  async #send(session: SignedIn, plan: LaunchPlan, intent: Intent): Promise<Outcome> {
    const label = labelFor(intent, plan.label);
    const found = (instance: Instance) => {
      if (this.#session.current === session) this.#instances.expect(instance, planPrice(plan));
    };
    try {
      const { instanceId } = await session.client.createInstance(plan.offer.id, launchRequest(plan, label));
      const instance = instanceId && (await this.#confirm(session, instanceId, label));
      if (instance) {
        found(instance);
        return { kind: "rented", ids: [instance.id] };
      }
      const error = new AppError("outcome-unknown", t("The service's answer did not say what was rented."));
      return await this.#look(session, intent, error, LOOKS, found);
    } catch (thrown) {
      const error = asAppError(thrown);
      this.#log.warn(`The create request of ${intent.token} ended with ${error.kind}.`);
      if (error.facts.notSent) return { kind: "not-rented", proven: true, error };
      // A refusal is likely true but no proof: where the network repeated the request, the first copy may have rented.
      const looks = error.kind === "outcome-unknown" ? LOOKS : [0];
      return await this.#look(session, intent, error, looks, found);
    }
  }

  /** The instance, once the service shows it under our label; reading may lag a little behind creating. */
  async #confirm(session: SignedIn, id: InstanceId, label: string): Promise<Instance | undefined> {
    for (const wait of [0, 1, 2]) {
      await sleep(wait * 1000);
      const row = await session.client.getInstance(id).catch(() => undefined);
      if (row?.value.label === label) return row.value;
    }
    return undefined;
  }

  /** Looks for rentals with our token. Only a complete listing says anything, and an empty one never sends again. */
  async #look(
    session: SignedIn,
    intent: Intent,
    error: AppError,
    looks: readonly number[],
    found: (instance: Instance) => void,
  ): Promise<Outcome> {
    let complete = false;
    for (const wait of looks) {
      await sleep(wait * 1000);
      const listing = await session.client.listInstances(undefined).catch(() => undefined);
      const ours = listing?.rows.filter((row) => launchToken(row.value.label) === intent.token) ?? [];
      if (ours.length > 0) {
        for (const row of ours) found(row.value);
        return { kind: "rented", ids: ours.map((row) => row.value.id) };
      }
      complete ||= listing?.complete === true;
    }
    if (error.kind !== "outcome-unknown" && complete) return { kind: "not-rented", proven: false, error };
    return { kind: "unknown", error, token: intent.token };
  }

  /**
   * Another machine like the one that died: same search, same GPUs, never an offer that was tried nor the same host
   * under another offer; the cheapest of them. A bid rises to what the machine asks for at least. Undefined where there is none.
   */
  async replacement({ plan, search }: Found): Promise<LaunchPlan | undefined> {
    const dead = plan.offer;
    const { offers } = await this.#offers.search({ ...search, sort: "price", diskGb: plan.diskGb });
    const offer = offers.find(
      (other) =>
        !this.tried.has(other.id) &&
        (other.machine_id === undefined || other.machine_id !== dead.machine_id) &&
        other.gpu_name === dead.gpu_name &&
        other.num_gpus === dead.num_gpus &&
        (other.disk_space === undefined || other.disk_space >= plan.diskGb),
    );
    return (
      offer && { ...plan, offer, bid: plan.bid === undefined ? undefined : Math.max(plan.bid, offer.min_bid ?? 0) }
    );
  }

  /**
   * Waits until a rental runs or never will. Telling through `onStage` what the service says; leaving the wait by
   * `signal` leaves the rental as it is.
   */
  async settle(id: InstanceId, onStage: (instance: Instance) => void, signal?: AbortSignal): Promise<LaunchEnd> {
    const session = this.#session.current;
    const unwatch = this.#instances.watch(id);
    const store = this.#instances.collection.store;
    let stop = () => {};
    try {
      return await new Promise<LaunchEnd>((resolve, reject) => {
        const look = () => {
          if (this.#session.current !== session) return resolve("signed-out");
          const row = this.#instances.find(id);
          if (row) onStage(row.value);
          if (row && phase(row.value) === "running") resolve("running");
          else if (row && isDead(row.value)) resolve("dead");
          else if (!row && store.current.state === "ready" && store.current.last.value.complete) resolve("gone");
        };
        const listening = store.onDidChange(look);
        const leave = () => reject(new AppError("cancelled", t("No longer waiting. The rental goes on.")));
        if (signal?.aborted) return leave();
        signal?.addEventListener("abort", leave, { once: true });
        stop = () => {
          listening.dispose();
          signal?.removeEventListener("abort", leave);
        };
        look();
        void this.#instances.collection.refresh();
      });
    } finally {
      stop();
      unwatch();
    }
  }
}
