// What is rented without a question for the next attempt at a run, within what was agreed to at its summary.
import { AppError } from "../../../domain/base/error.ts";
import { getPhase } from "../../../domain/instance/instance.ts";
import type { LaunchPlan } from "../../../domain/launch/launch-plan.ts";
import { findLimitsLeft } from "../../../domain/run/attempt.ts";
import type { RunLimits } from "../../../domain/run/run-limits.ts";
import { canContinueAutomatically, type RunRecord } from "../../../domain/run/run-record.ts";
import type { Clock } from "../../../lib/clock.ts";
import { t, toLabel } from "../../../lib/text.ts";
import { isOfAccount } from "../../core/account-mark.ts";
import type { SessionService, SignedIn } from "../../core/session.ts";
import { findLatestOrder, type IdleJournal } from "../../instance/idle/idle-journal.ts";
import type { InstanceActions } from "../../instance/instance-actions.ts";
import type { OrderJournal } from "../../instance/order-journal.ts";
import type { RentalTerms, ReplacementService } from "../../launch/replacement.ts";
import type { NextAttempt } from "./next-attempt.ts";

export interface ProposingParts {
  readonly session: SessionService;
  readonly actions: InstanceActions;
  readonly orderJournal: Pick<OrderJournal, "wasGiven">;
  readonly idleJournal: Pick<IdleJournal, "readAll">;
  readonly replacements: Pick<ReplacementService, "proposeForRun">;
  readonly clock: Clock;
}

/** What was agreed to: the terms of the first instance, and the $/h that none may exceed. */
export interface AgreedTerms extends RentalTerms {
  readonly most: number;
}

/** A next attempt that needs no question. `limits`: what is left of the run's. */
export interface AgreedAttempt {
  readonly next: NextAttempt;
  readonly plan: LaunchPlan;
  readonly limits: RunLimits;
}

/** @throws AppError `rejected` if someone ended it from here, or it may have ended itself, which is no loss; the disk's error. */
export async function assertNotEnded(
  { orderJournal, idleJournal }: Pick<ProposingParts, "orderJournal" | "idleJournal">,
  account: SignedIn,
  { instance }: RunRecord,
): Promise<void> {
  // By any clock: it was rented for this run.
  if (await orderJournal.wasGiven(instance, (order) => isOfAccount(order, account), 0))
    throw new AppError("rejected", t("Instance {0} was stopped or destroyed from VS Code.", instance));
  const idle = findLatestOrder(await idleJournal.readAll(account), instance);
  const { ending, orDestroy } = idle?.order.wish ?? {};
  if (idle?.isDoubted || ending === "destroy" || orDestroy)
    throw new AppError("rejected", t("Instance {0} may have been destroyed by its idle timeout.", instance));
}

/**
 * Only what waits for its GPU was stopped by the service. One that isn't listed may still be there, until `prepare` has asked once more.
 * @throws AppError `rejected` if it isn't lost; why the service can't be asked.
 */
export async function assertLost(parts: ProposingParts, account: SignedIn, run: RunRecord): Promise<void> {
  await assertNotEnded(parts, account, run);
  const row = await parts.actions.reread(account, run.instance);
  parts.session.assertStill(account);
  if (row === undefined || getPhase(row.value) === "scheduling") return;
  throw new AppError("rejected", t("Instance {0} is still in your account.", run.instance));
}

export const describeContinued = ({ plan, instance }: RunRecord): string =>
  t("“{0}” is already continued on instance {1}.", toLabel(plan.name, 60), instance);

/** @throws AppError `rejected` if it needs the person; why the service can't be asked. */
export async function proposeAttempt(
  parts: ProposingParts,
  account: SignedIn,
  given: Pick<RunRecord, "id">,
  next: NextAttempt,
  { most, ...terms }: AgreedTerms,
): Promise<AgreedAttempt> {
  const { run, attempts, before } = next;
  if (given.id !== run.id) throw new AppError("rejected", describeContinued(run));
  await assertNotEnded(parts, account, run);
  // Only an instance that waits for its GPU was stopped by the service.
  if (before === "stopped" || !canContinueAutomatically(run))
    throw new AppError("rejected", t("Instance {0} was stopped.", run.instance));
  const last = attempts.at(-1);
  const limits = last && findLimitsLeft(run.plan.limits ?? {}, last, { now: parts.clock.now(), most });
  if (!limits) throw new AppError("rejected", t("Too little is left of the run's limit."));
  const plan = await parts.replacements.proposeForRun(
    account,
    terms,
    { id: run.instance, label: run.rented?.token },
    most,
  );
  if (!plan) throw new AppError("rejected", t("No offer of the same kind is within what you agreed to."));
  return { next, plan, limits };
}
