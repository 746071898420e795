// Renting: one confirmation sends one create request at most, and what became of it is found out, never guessed.
import { AppError, asAppError } from "../domain/error.ts";
import type { InstanceId } from "../domain/id.ts";
import { type Instance, launchToken, priceNow } from "../domain/instance.ts";
import { type LaunchPlan, launchRequest, planPrice } from "../domain/launch-plan.ts";
import { isUnresolved, type LaunchRecord, priceAtRisk } from "../domain/launch-record.ts";
import { guard, type Limits } from "../domain/limits.ts";
import { perHour } from "../domain/money.ts";
import { machineName } from "../domain/offer.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { plain, t } from "../lib/text.ts";
import type { InstancesService } from "./instances.ts";
import { type Intent, labelFor } from "./intent.ts";
import { alreadySent, type Journal, wasSentBefore } from "./journal.ts";
import type { LaunchWatch } from "./launch-watch.ts";
import type { OffersService } from "./offers.ts";
import type { SessionService, SignedIn } from "./session.ts";

export type Outcome =
  /** `ids` holds more than one where the network repeated the request: each of them is billed. */
  | { readonly kind: "rented"; readonly ids: readonly InstanceId[] }
  /** `proven` where no byte left this machine; otherwise the service said no and no rental was found. */
  | { readonly kind: "not-rented"; readonly proven: boolean; readonly error: AppError }
  /** Nobody knows: the request may have been carried out. It is watched on. */
  | { readonly kind: "unknown"; readonly error: AppError; readonly token: string };

export interface RentOptions {
  /** The person agreed to rent although this service has no list by which a lost rental could be found. */
  readonly withoutTracking: boolean;
}

const TRACKED: RentOptions = { withoutTracking: false };
/** Seconds between looks for a rental whose answer was lost, while the person waits; then it is watched in the background. */
const LOOKS = [0, 2, 4, 8, 15];
/** After a refusal one complete listing is enough to let the person go on. */
const LOOKS_AFTER_NO = [0, 2, 4];

export class LaunchService {
  readonly #session: SessionService;
  readonly #offers: OffersService;
  readonly #instances: InstancesService;
  readonly #journal: Journal;
  readonly #watch: LaunchWatch;
  readonly #limits: () => Limits;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #used = new Set<string>();
  /** Offers tried here: a host that died or an offer that was gone is never suggested again. */
  readonly tried = new Set<number>();

  constructor(parts: {
    readonly session: SessionService;
    readonly offers: OffersService;
    readonly instances: InstancesService;
    readonly journal: Journal;
    readonly watch: LaunchWatch;
    readonly limits: () => Limits;
    readonly clock: Clock;
    readonly log: Log;
  }) {
    this.#session = parts.session;
    this.#offers = parts.offers;
    this.#instances = parts.instances;
    this.#journal = parts.journal;
    this.#watch = parts.watch;
    this.#limits = parts.limits;
    this.#clock = parts.clock;
    this.#log = parts.log;
    // Offer ids mean nothing to another service.
    parts.session.onDidChange(() => this.tried.clear());
  }

  /** Whether a lost rental could be found again here. @throws AppError where the service cannot say so now. */
  async canTrack(): Promise<boolean> {
    try {
      await this.#complete();
      return true;
    } catch (error) {
      if (error instanceof AppError && error.kind === "unsupported") return false;
      throw error;
    }
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
   * Refuses what goes beyond the person's own limits; every way to launch comes through here. `insteadOf` is destroyed
   * before. @throws AppError `rejected` that names the limit.
   */
  guard(plan: LaunchPlan, insteadOf?: InstanceId): void {
    const rented = this.#instances.rows
      .filter((row) => !row.gone && row.value.id !== insteadOf)
      .map((row) => priceNow(row));
    const open = this.#watch.atRisk.map(priceAtRisk);
    guard(this.#limits(), plan, { prices: [...rented, ...open] });
  }

  /**
   * Sends the one create request of an intent and finds out what became of it. Call only after the person confirmed
   * exactly this plan; a second call with the same intent is refused. Never rejects once the request may have left.
   * @throws AppError where this intent was sent before.
   */
  async rent(plan: LaunchPlan, intent: Intent, { withoutTracking }: RentOptions = TRACKED): Promise<Outcome> {
    const session = this.#session.signedIn();
    if (this.#used.has(intent.token)) throw alreadySent();
    this.#used.add(intent.token);
    this.#watch.await(intent.token);
    let outcome: Outcome | undefined;
    try {
      const checked = await this.#preflight(session, plan, withoutTracking);
      await this.#prepare(session, checked, intent, !withoutTracking);
      await this.#claim(intent);
      this.tried.add(plan.offer.id);
      outcome = await this.#send(session, checked, intent, !withoutTracking);
      return outcome;
    } catch (thrown) {
      if (wasSentBefore(thrown)) throw thrown;
      const error = asAppError(thrown);
      if (error.kind === "gone") this.tried.add(plan.offer.id);
      return { kind: "not-rented", proven: true, error };
    } finally {
      this.#watch.leave(intent.token, outcome?.kind === "unknown");
    }
  }

  /** Everything that can be known before a byte that costs money. @throws AppError: then nothing was sent. */
  async #preflight(session: SignedIn, plan: LaunchPlan, withoutTracking: boolean): Promise<LaunchPlan> {
    if (!withoutTracking) await this.#complete();
    const twin = (await this.#watch.reread()).find(
      (record) => isUnresolved(record) && !record.facts.has("refused") && record.prepared?.offer === plan.offer.id,
    );
    if (twin) {
      throw new AppError(
        "rejected",
        t("A launch of this very offer is still open, and may have been rented. Settle that one first; see Instances."),
      );
    }
    const checked = await this.recheck(plan);
    this.guard(checked);
    if (this.#session.current !== session)
      throw new AppError("cancelled", t("The account changed in the meantime. Nothing was rented."));
    return checked;
  }

  /** Without a list that answers completely a lost rental could not be found again. @throws AppError. */
  async #complete(): Promise<void> {
    this.#session.signedIn();
    if (await this.#watch.look()) return;
    throw new AppError(
      "unexpected-reply",
      t(
        "The service's list of instances has gaps right now, so a rental could get lost. Nothing was rented; try again.",
      ),
    );
  }

  async #prepare(session: SignedIn, plan: LaunchPlan, intent: Intent, tracked: boolean): Promise<void> {
    const user = tracked ? (await session.account().catch(() => undefined))?.id : undefined;
    const price = planPrice(plan) ?? plan.bid;
    await this.#journal.prepare(intent.token, {
      version: 1,
      origin: session.address.origin,
      account: session.tag,
      ...(user === undefined ? {} : { user }),
      offer: plan.offer.id,
      machine: plain(machineName(plan.offer), 100),
      ...(price === undefined ? {} : { price }),
      at: this.#clock.now(),
      tracked,
    });
  }

  /** Whoever makes the claim sends. Where it fails half way the file may be there, so it is said that nothing was sent. */
  async #claim(intent: Intent): Promise<void> {
    try {
      await this.#journal.claim(intent.token);
    } catch (error) {
      if (!wasSentBefore(error)) await this.#note(intent, "not-sent");
      throw error;
    }
  }

  async #send(session: SignedIn, plan: LaunchPlan, intent: Intent, tracked: boolean): Promise<Outcome> {
    if (this.#session.current !== session) {
      await this.#note(intent, "not-sent");
      const error = new AppError("cancelled", t("The account changed in the meantime. Nothing was rented."));
      return { kind: "not-rented", proven: true, error };
    }
    const label = labelFor(intent, plan.label);
    try {
      const { instanceId } = await session.client.createInstance(plan.offer.id, launchRequest(plan, label));
      const instance = instanceId && (await this.#confirm(session, instanceId, intent));
      if (instance) return await this.#rented(session, plan, intent, instance);
      const error = new AppError("outcome-unknown", t("The service's answer did not say what was rented."));
      return await this.#find(session, intent, error, tracked ? LOOKS : []);
    } catch (thrown) {
      const error = asAppError(thrown);
      this.#log.warn(`The create request of ${intent.token} ended with ${error.kind}.`);
      if (error.facts.notSent) {
        await this.#note(intent, "not-sent");
        return { kind: "not-rented", proven: true, error };
      }
      if (error.kind === "outcome-unknown") return this.#find(session, intent, error, tracked ? LOOKS : []);
      // A refusal is likely true but no proof: where the network repeated the request, the first copy may have rented.
      await this.#note(intent, "refused");
      if (!tracked) return { kind: "not-rented", proven: false, error };
      return this.#find(session, intent, error, LOOKS_AFTER_NO);
    }
  }

  /** A fact that cannot be written is no reason to lose the outcome: the claim stands, and the watch goes on. */
  async #note(intent: Intent, fact: "not-sent" | "refused" | `rented-${number}`): Promise<void> {
    await this.#journal.note(intent.token, fact).catch((error) => this.#log.error("The launch journal failed.", error));
  }

  /** The instance, once the service shows it under our label; reading may lag a little behind creating. */
  async #confirm(session: SignedIn, id: InstanceId, intent: Intent): Promise<Instance | undefined> {
    for (const wait of [0, 1, 2]) {
      await this.#clock.sleep(wait * 1000);
      const row = await session.client.getInstance(id).catch(() => undefined);
      if (row && launchToken(row.value.label) === intent.token) return row.value;
    }
    return undefined;
  }

  async #rented(session: SignedIn, plan: LaunchPlan, intent: Intent, instance: Instance): Promise<Outcome> {
    await this.#note(intent, `rented-${instance.id}`);
    if (this.#session.current === session) this.#instances.expect(instance, planPrice(plan));
    await this.#watch.reread().catch(() => undefined);
    return { kind: "rented", ids: [instance.id] };
  }

  /** Looks for rentals with our token. Only a complete listing says anything, and an empty one never sends again. */
  async #find(session: SignedIn, intent: Intent, error: AppError, looks: readonly number[]): Promise<Outcome> {
    for (const wait of looks) {
      await this.#clock.sleep(wait * 1000);
      if (this.#session.current !== session) break;
      const complete = await this.#watch.look().catch(() => false);
      const record = this.#watch.records.find(({ token }) => token === intent.token);
      if (record && record.ids.length > 0) return { kind: "rented", ids: record.ids };
      if (complete && error.kind !== "outcome-unknown") return { kind: "not-rented", proven: false, error };
    }
    await this.#watch.reread().catch(() => undefined);
    return { kind: "unknown", error, token: intent.token };
  }

  /**
   * The person saw the rental and says its id.
   * @throws AppError where the service does not show it, or not under this launch's label.
   */
  async settleAs(record: LaunchRecord, id: InstanceId): Promise<void> {
    const row = await this.#session.signedIn().client.getInstance(id);
    if (!row) throw new AppError("not-found", t("The service knows no instance {0} of this account.", id));
    if (launchToken(row.value.label) !== record.token)
      throw new AppError(
        "rejected",
        t("Instance {0} was not rented by this launch: it does not bear its mark {1}.", id, record.token),
      );
    await this.#journal.note(record.token, `rented-${id}`);
    this.#instances.expect(row.value, record.prepared?.price);
    await this.#watch.reread();
  }

  /** The person says that nothing was created, or that both machines of a doubled launch are wanted. */
  async dismiss(record: LaunchRecord): Promise<void> {
    await this.#journal.note(record.token, "dismissed");
    await this.#watch.reread();
  }
}
