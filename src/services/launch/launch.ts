// Renting: one confirmation sends at most one create request. Its outcome is verified, never guessed.
import type { Created } from "../../api/client.ts";
import { AppError, asAppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import { calculatePlanPrice, type LaunchPlan, toLaunchRequest } from "../../domain/launch/launch-plan.ts";
import { toBefore, toLoginNote } from "../../domain/launch/launch-record.ts";
import { assertWithinLimits, type Limits } from "../../domain/launch/limits.ts";
import { formatMachineName } from "../../domain/offer/offer.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import { t, toPlainText } from "../../lib/text.ts";
import type { Liveness } from "../core/heartbeat.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { AutoStopsService } from "../instance/auto-stops/auto-stops.ts";
import type { IdleOrders } from "../instance/idle/idle-orders.ts";
import type { InstancesService, Listing } from "../instance/instances.ts";
import type { OffersService } from "../offer/offers.ts";
import { type About, readCommitments } from "./commitments.ts";
import type { LaunchForms } from "./configure/launch-forms.ts";
import type { LaunchVolumes } from "./configure/launch-volumes.ts";
import { formatLaunchLabel, type Intent } from "./intent.ts";
import { createAlreadySentError, type LaunchJournal, wasSentBefore } from "./launch-journal.ts";
import { assertWanted, confirmRental, type Outcome, type RentOptions } from "./outcome/launch-outcome.ts";
import type { LaunchWatch } from "./outcome/launch-watch.ts";
import { assertNoTwin, readWholeList, recheckPlan } from "./recheck-plan.ts";
import { assertCanEnd, withFixedEnd } from "./self-stop-plan.ts";

/** Seconds between checks for a rental with a lost response while the person waits. The watch goes on after that. */
const LOOKS = [0, 2, 4, 8, 15];
/** After a refusal, one complete list is enough for the person to continue. */
const LOOKS_AFTER_NO = [0, 2, 4];

interface Parts {
  readonly session: SessionService;
  readonly offers: OffersService;
  readonly instances: InstancesService;
  readonly journal: LaunchJournal;
  readonly watch: LaunchWatch;
  readonly autoStops: AutoStopsService;
  readonly idleOrders: Pick<IdleOrders, "setOfLaunch">;
  readonly launchForms: Pick<LaunchForms, "forget">;
  readonly launchVolumes: Pick<LaunchVolumes, "recheck">;
  readonly limits: () => Limits;
  readonly clock: Clock;
  readonly log: Log;
  readonly liveness: Liveness;
  /** The name of the folder that is open. */
  readonly project?: (() => string | undefined) | undefined;
}

/** What is sent, and the account it is sent for: the one that showed the confirmed summary. */
interface Launch {
  readonly account: SignedIn;
  readonly plan: LaunchPlan;
  readonly intent: Intent;
  readonly tracked: boolean;
}

export class LaunchService {
  readonly #parts: Parts;
  readonly #used = new Set<string>();
  /** Offers tried here. An offer that was gone, or from a host that died, is never suggested again. */
  readonly tried = new Set<number>();

  constructor(parts: Parts) {
    this.#parts = parts;
    // Offer IDs mean nothing to another service.
    parts.session.onDidChange(() => this.tried.clear());
  }

  /**
   * Whether this may be rented at all, checked before the person is asked: the limits against a fresh list, and whether
   * a lost rental could be found. `insteadOf` is destroyed first.
   * @throws AppError `rejected` that names the limit, or says why the service can't be asked.
   */
  mayRent(account: SignedIn, plan: LaunchPlan, insteadOf?: InstanceId): Promise<{ readonly withoutTracking: boolean }> {
    return this.mayRentTogether(account, [plan], insteadOf);
  }

  /** The same for several that are confirmed at once. @throws AppError. */
  async mayRentTogether(
    account: SignedIn,
    plans: readonly LaunchPlan[],
    insteadOf?: InstanceId,
  ): Promise<{ readonly withoutTracking: boolean }> {
    const listing = await readWholeList(this.#parts.watch, account).catch((error) => {
      if (error instanceof AppError && error.kind === "unsupported") return undefined;
      throw error;
    });
    for (const plan of plans) assertCanEnd(account, plan, this.#parts.clock.now());
    await this.#guard(account, { plans, listing, insteadOf, own: undefined });
    return { withoutTracking: listing === undefined };
  }

  /**
   * Sends the one create request of an intent, in the account that showed the confirmed summary, and determines its
   * outcome. A second call with the same intent is refused. Never rejects once the request may have been sent.
   * @throws AppError if this intent was sent before.
   */
  async rent(account: SignedIn, plan: LaunchPlan, intent: Intent, options: RentOptions = {}): Promise<Outcome> {
    if (this.#used.has(intent.token)) throw createAlreadySentError();
    this.#used.add(intent.token);
    this.#parts.watch.await(intent.token);
    let outcome: Outcome | undefined;
    try {
      outcome = await this.#rent(account, plan, intent, options);
      // An end that is left behind would be waited for in all windows.
      if (plan.end && outcome.kind === "not-rented" && outcome.proven)
        await this.#parts.autoStops.set(account, { token: intent.token }, undefined).catch(() => undefined);
      // What takes the place of a dead one isn't what is being configured. A storage may never answer, and what was rented is known already.
      if (outcome.kind === "rented" && options.insteadOf === undefined)
        void this.#parts.launchForms.forget(account, plan.template);
      return outcome;
    } finally {
      const open = outcome?.kind === "unknown" || (outcome?.kind === "not-rented" && !outcome.proven);
      this.#parts.watch.leave(intent.token, open);
    }
  }

  async #rent(account: SignedIn, plan: LaunchPlan, intent: Intent, options: RentOptions): Promise<Outcome> {
    const tracked = options.withoutTracking !== true;
    let checked: LaunchPlan;
    try {
      const ready = await this.#preflight(account, plan, options);
      checked = ready.plan;
      await this.#prepare({ account, plan: checked, intent, tracked }, ready.listing, options.note);
      await this.#claim(intent, async () => {
        await this.#guard(account, { ...ready, plans: [checked], insteadOf: options.insteadOf, own: intent.token });
        await assertWanted(options);
        this.#parts.session.assertStill(account);
      });
    } catch (thrown) {
      if (wasSentBefore(thrown)) throw thrown;
      const error = asAppError(thrown);
      if (error.kind === "gone") this.tried.add(plan.offer.id);
      return { kind: "not-rented", proven: true, error };
    }
    this.tried.add(plan.offer.id);
    return await this.#send({ account, plan: checked, intent, tracked }, options);
  }

  /** Everything that can be checked before a request that costs money. @throws AppError: nothing was sent. */
  async #preflight(
    account: SignedIn,
    plan: LaunchPlan,
    options: RentOptions,
  ): Promise<{ readonly plan: LaunchPlan; readonly listing: Listing | undefined }> {
    const { session, watch } = this.#parts;
    session.assertStill(account);
    const listing = options.withoutTracking ? undefined : await readWholeList(watch, account);
    assertNoTwin(await watch.reread(), plan);
    assertCanEnd(account, plan, this.#parts.clock.now());
    await this.#parts.launchVolumes.recheck(account, plan);
    const checked = withFixedEnd(
      await recheckPlan(this.#parts.offers, account, plan, options.signal),
      this.#parts.clock.now(),
    );
    options.signal?.throwIfAborted();
    session.assertStill(account);
    return { plan: checked, listing };
  }

  /** Enforces the person's own limits. Every way to launch goes through here. @throws AppError `rejected`. */
  async #guard(
    account: SignedIn,
    { plans, ...about }: { readonly plans: readonly LaunchPlan[] } & About,
  ): Promise<void> {
    assertWithinLimits(this.#parts.limits(), plans, await readCommitments(this.#parts, account, about));
  }

  async #prepare(
    { account, plan, intent: { token }, tracked }: Launch,
    listing: Listing | undefined,
    note: RentOptions["note"],
  ): Promise<void> {
    const { journal, autoStops, idleOrders, clock, liveness } = this.#parts;
    const project = this.#parts.project?.();
    const user = tracked ? ((await account.account().catch(() => undefined))?.id ?? account.user()) : undefined;
    const before = toBefore(listing?.rows);
    // Before anything is sent: what is rented may outlive this window, and its end must not be forgotten.
    if (plan.end) await autoStops.set(account, { token, ...before }, plan.end);
    if (plan.idle) await idleOrders.setOfLaunch(account, { token, ...before }, plan.idle);
    await journal.prepare(token, {
      version: 1,
      ...{ origin: account.address.base, account: account.tag, user },
      offer: plan.offer.id,
      machine: toPlainText(formatMachineName(plan.offer), 100),
      price: calculatePlanPrice(plan) ?? plan.bid,
      at: clock.now(),
      tracked,
      ...(project === undefined ? {} : { project: toPlainText(project, 100) }),
      owner: liveness.id,
      ...before,
      ...toLoginNote(plan),
      ...note,
    });
  }

  /**
   * Whoever makes the claim sends the request, unless the check afterward fails: two windows that launch at the same
   * moment see each other's claims, and both respect the limits. If this fails halfway, the claim may exist, so the
   * launch is recorded as not sent.
   */
  async #claim(intent: Intent, check: () => Promise<void>): Promise<void> {
    try {
      await this.#parts.journal.claim(intent.token);
      await check();
    } catch (error) {
      if (!wasSentBefore(error)) await this.#note(intent, "not-sent");
      throw error;
    }
  }

  /** The `try` contains only the call itself: no later failure can change the reported outcome. */
  async #send(launch: Launch, options: RentOptions): Promise<Outcome> {
    const { account, plan, intent } = launch;
    const body = toLaunchRequest(plan, formatLaunchLabel(intent, plan.label), this.#parts.clock.now());
    let answer: Created | AppError;
    let why: AppError | undefined;
    // Other requests may leave first, and it may be minutes until its turn has come.
    const recheck = async () => {
      why = await assertWanted(options).then(() => undefined, asAppError);
      return why === undefined;
    };
    try {
      this.#parts.session.assertStill(account);
      const mayLeave = () => options.signal?.aborted !== true && options.mayLeave?.() !== false;
      answer = await account.client.createInstance(plan.offer.id, body, { recheck, mayLeave });
    } catch (thrown) {
      answer = why ? new AppError(why.kind, why.message, { ...why.facts, notSent: true }) : asAppError(thrown);
    }
    return answer instanceof AppError ? await this.#failed(launch, answer) : await this.#answered(launch, answer);
  }

  async #answered(launch: Launch, { instanceId, refusal }: Created): Promise<Outcome> {
    const instance = instanceId && (await confirmRental(this.#parts.clock, launch, instanceId));
    if (instance) return await this.#rented(launch, instance);
    if (refusal) return await this.#refused(launch, refusal);
    const reason =
      instanceId === undefined
        ? t("The service's response didn't say what was rented.")
        : t("The service said that instance {0} is rented, but doesn't list it yet.", instanceId);
    const error = new AppError("outcome-unknown", reason);
    return await this.#find(launch, error, launch.tracked ? LOOKS : []);
  }

  async #failed(launch: Launch, error: AppError): Promise<Outcome> {
    const { intent, tracked } = launch;
    this.#parts.log.warn(`The create request of ${intent.token} ended with ${error.kind}.`);
    if (error.facts.notSent) {
      await this.#note(intent, "not-sent");
      return { kind: "not-rented", proven: true, error };
    }
    if (error.kind === "outcome-unknown") return await this.#find(launch, error, tracked ? LOOKS : []);
    return await this.#refused(launch, error);
  }

  /** A refusal is probably true but not proof: if the network repeated the request, the first copy may have rented. */
  async #refused(launch: Launch, error: AppError): Promise<Outcome> {
    await this.#note(launch.intent, "refused");
    if (!launch.tracked) return { kind: "not-rented", proven: false, error };
    return await this.#find(launch, error, LOOKS_AFTER_NO);
  }

  /** A fact that can't be written must not hide the outcome: the claim stays, and the watch continues. */
  async #note(intent: Intent, fact: Parameters<LaunchJournal["note"]>[1]): Promise<void> {
    const { journal, log } = this.#parts;
    await journal.note(intent.token, fact).catch((error) => log.error("The launch journal failed.", error));
  }

  async #rented({ account, plan, intent }: Launch, instance: Instance): Promise<Outcome> {
    await this.#note(intent, ["rented", instance.id]);
    await this.#note(intent, "told");
    this.#parts.instances.expect(account, instance, calculatePlanPrice(plan));
    await this.#parts.watch.reread().catch(() => undefined);
    return { kind: "rented", ids: [instance.id] };
  }

  /**
   * Searches for rentals with our token. Only a complete list is conclusive, and an empty one never causes a second
   * request.
   */
  async #find({ account, intent }: Launch, error: AppError, looks: readonly number[]): Promise<Outcome> {
    const { session, watch, clock } = this.#parts;
    for (const wait of looks) {
      await clock.sleep(wait * 1000);
      if (session.current !== account) break;
      const listing = await watch.list(account).catch(() => undefined);
      const record = watch.records.find(({ token }) => token === intent.token);
      if (record && record.ids.length > 0) {
        await this.#note(intent, "told");
        return { kind: "rented", ids: record.ids };
      }
      if (listing?.complete && error.kind !== "outcome-unknown") return { kind: "not-rented", proven: false, error };
    }
    await watch.reread().catch(() => undefined);
    return { kind: "unknown", error, token: intent.token };
  }
}
