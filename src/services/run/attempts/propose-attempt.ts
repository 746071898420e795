// What is rented without a question for the next attempt at a run, within what was agreed to at its summary.
import { AppError } from "../../../domain/base/error.ts";
import { getPhase } from "../../../domain/instance/instance.ts";
import type { LaunchPlan } from "../../../domain/launch/launch-plan.ts";
import { findLimitsLeft } from "../../../domain/run/attempt.ts";
import type { RunLimits } from "../../../domain/run/run-limits.ts";
import { canContinueAutomatically, type RunRecord } from "../../../domain/run/run-record.ts";
import type { Clock } from "../../../lib/clock.ts";
import { t } from "../../../lib/text.ts";
import { isOfAccount } from "../../core/account-mark.ts";
import type { SessionService, SignedIn } from "../../core/session.ts";
import type { InstanceActions } from "../../instance/instance-actions.ts";
import type { OrderJournal } from "../../instance/order-journal.ts";
import type { RentalTerms, ReplacementService } from "../../launch/replacement.ts";
import type { NextAttempt } from "./next-attempt.ts";

export interface ProposingParts {
  readonly session: SessionService;
  readonly actions: InstanceActions;
  readonly orderJournal: Pick<OrderJournal, "wasGiven">;
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

/** @throws AppError `rejected` if someone ended it from here, which isn't a loss; the disk's error. */
async function assertNotEnded(
  { orderJournal }: Pick<ProposingParts, "orderJournal">,
  account: SignedIn,
  run: RunRecord,
): Promise<void> {
  const isOwn = (order: Parameters<typeof isOfAccount>[0]) => isOfAccount(order, account);
  if (!(await orderJournal.wasGiven(run.instance, isOwn, run.rented?.at ?? run.at))) return;
  throw new AppError("rejected", t("Instance {0} was stopped or destroyed from VS Code.", run.instance));
}

/** Only what waits for its GPU was stopped by the service. One that isn't there may still be, until `prepare` has asked once more. */
export async function mayBeLost(parts: ProposingParts, account: SignedIn, run: RunRecord): Promise<boolean> {
  await assertNotEnded(parts, account, run);
  const row = await parts.actions.reread(account, run.instance);
  parts.session.assertStill(account);
  return row === undefined || getPhase(row.value) === "scheduling";
}

/** @throws AppError `rejected` if it needs the person; why the service can't be asked. */
export async function proposeAttempt(
  parts: ProposingParts,
  account: SignedIn,
  next: NextAttempt,
  { most, ...terms }: AgreedTerms,
): Promise<AgreedAttempt> {
  const { run, attempts, before } = next;
  await assertNotEnded(parts, account, run);
  // Only an instance that waits for its GPU was stopped by the service.
  if (before === "stopped" || !canContinueAutomatically(run))
    throw new AppError("rejected", t("Instance {0} was stopped.", run.instance));
  const last = attempts.at(-1);
  const limits = last && findLimitsLeft(run.plan.limits ?? {}, last, { now: parts.clock.now(), most });
  if (!limits) throw new AppError("rejected", t("Too little is left of the run's limit."));
  const plan = await parts.replacements.proposeForRun(account, terms, { id: run.instance }, most);
  if (!plan) throw new AppError("rejected", t("No offer of the same kind is within what you agreed to."));
  return { next, plan, limits };
}
