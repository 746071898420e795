// What has to be true before a run goes on with another instance, and what its next attempt begins with. No two instances work on one run.

import { AppError } from "../../../domain/base/error.ts";
import type { InstanceId } from "../../../domain/base/id.ts";
import { getPhase, getReportedPrice } from "../../../domain/instance/instance.ts";
import { getLaunchState, isRefused } from "../../../domain/launch/launch-record.ts";
import { getPastPrice } from "../../../domain/launch/past-rental.ts";
import { MOST_ATTEMPTS } from "../../../domain/run/attempt.ts";
import { canContinue, canContinueAutomatically, type RunRecord, toRunDraft } from "../../../domain/run/run-record.ts";
import { t, toLabel } from "../../../lib/text.ts";
import type { Liveness } from "../../core/heartbeat.ts";
import type { SessionService, SignedIn } from "../../core/session.ts";
import type { InstanceActions } from "../../instance/instance-actions.ts";
import type { InstanceOrders } from "../../instance/instance-orders.ts";
import type { InstancesService } from "../../instance/instances.ts";
import type { LaunchJournal } from "../../launch/launch-journal.ts";
import type { LaunchWatch } from "../../launch/outcome/launch-watch.ts";
import type { PastRentals } from "../../launch/past-rentals.ts";
import type { LaunchRunner } from "../../launch/run-launch.ts";
import { listEarlier } from "../results/earlier-results.ts";
import type { RunJournal } from "../run-journal.ts";
import type { RunsService } from "../runs.ts";
import { type Before, type NextAttempt, toAttempt } from "./next-attempt.ts";
import {
  type AgreedAttempt,
  type AgreedTerms,
  assertLost,
  assertNotEnded,
  describeContinued,
  type ProposingParts,
  proposeAttempt,
} from "./propose-attempt.ts";

export interface ContinueParts extends ProposingParts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly actions: InstanceActions;
  readonly orders: InstanceOrders;
  readonly runs: RunsService;
  readonly runJournal: RunJournal;
  readonly journal: Pick<LaunchJournal, "claim" | "note">;
  readonly runner: Pick<LaunchRunner, "deadMachines">;
  readonly watch: Pick<LaunchWatch, "reread">;
  readonly pastRentals: Pick<PastRentals, "findInstance">;
  readonly liveness: Pick<Liveness, "id">;
}

export class RunContinuations {
  readonly #parts: ContinueParts;

  constructor(parts: ContinueParts) {
    this.#parts = parts;
    parts.runner.deadMachines.onWillReplace.push((dead, token) => noteReplacement(parts, dead, token));
  }

  /**
   * Makes sure that no instance works on a run, which can take a minute.
   * @throws AppError `rejected` if one may, or if the run is of a kind that can't go on; why the service can't be asked; the signal's reason.
   */
  prepare(account: SignedIn, run: RunRecord, signal: AbortSignal): Promise<NextAttempt> {
    return prepareNext(this.#parts, account, run, signal);
  }

  /** @throws AppError `rejected` if its instance isn't taken away, as far as one look shows; why the service can't be asked. */
  assertLost(account: SignedIn, run: RunRecord): Promise<void> {
    return assertLost(this.#parts, account, run);
  }

  /** A next attempt that needs no question. @throws as `prepare`; AppError `rejected` if it isn't within what was agreed to. */
  async propose(account: SignedIn, run: RunRecord, terms: AgreedTerms, signal: AbortSignal): Promise<AgreedAttempt> {
    const next = await this.prepare(account, run, signal);
    return await proposeAttempt(this.#parts, account, run, next, terms);
  }

  /**
   * Notes the launch that is to rent for the next attempt at a run. Those that were to do so before it can't any longer, and an instance that
   * would start on its own is stopped.
   * @throws AppError `rejected` if another launch for it may have gone through, or did, or if the instance before works again or can't be
   * stopped; why the service can't be asked; the signal's reason.
   */
  claim(account: SignedIn, next: NextAttempt, token: string, signal: AbortSignal): Promise<void> {
    return claimNext(this.#parts, account, next, token, signal);
  }
}

async function prepareNext(
  parts: ContinueParts,
  account: SignedIn,
  given: RunRecord,
  signal: AbortSignal,
): Promise<NextAttempt> {
  const { runs, runJournal, session, clock } = parts;
  const found = await runJournal.findLatest(account, given);
  session.assertStill(account);
  assertContinuable(found);
  const { before, price } = await findBefore(parts, account, found, signal);
  session.assertStill(account);
  if (before === "gone" && found.state.kind === "started")
    await runs.noteGone(found, t("Instance {0} no longer exists.", found.instance));
  const run = (await runJournal.find(found.id)) ?? found;
  // It may have ended well in the meantime.
  assertContinuable(run);
  session.assertStill(account);
  const attempts = [...(run.earlier ?? []), toAttempt(run, findPrice(parts, account, run), clock.now())];
  if (attempts.length > MOST_ATTEMPTS)
    throw new AppError("rejected", t("“{0}” has been tried too often to continue it.", nameOf(run)));
  const results = await findResults(parts, run);
  return { run, draft: toRunDraft(run), attempts, before, diskPrice: price, ...results };
}

/** What is here of its results, and what of it is known to be. */
async function findResults(
  { runJournal }: ContinueParts,
  { id, state, early }: RunRecord,
): Promise<Pick<NextAttempt, "early" | "upload">> {
  const results = state.kind === "ended" && state.results?.kind === "fetched" ? state.results : undefined;
  const place = results?.place ?? early?.place;
  if (place === undefined) return { early: undefined, upload: undefined };
  const at = results?.until ?? (state.kind === "ended" && results ? state.at : (early?.at ?? 0));
  const upload = await listEarlier(place, await runJournal.readFetched(id));
  return { early: { place, at, files: upload?.files.length ?? 0, bytes: upload?.bytes ?? 0 }, upload };
}

const nameOf = ({ plan }: RunRecord): string => toLabel(plan.name, 60);

function assertContinuable(run: RunRecord): void {
  if (canContinue(run)) return;
  const name = nameOf(run);
  if (run.member) throw new AppError("rejected", t("“{0}” ran on a group, so it can't be continued.", name));
  throw new AppError(
    "rejected",
    run.state.kind === "ended"
      ? t("“{0}” has finished. To run it once more, choose Run Again on a GPU.", name)
      : t("“{0}” is being prepared on instance {1}.", name, run.instance),
  );
}

/** @throws AppError `rejected` if the instance may still work on it; the signal's reason. */
async function findBefore(
  parts: ContinueParts,
  account: SignedIn,
  { instance, state }: RunRecord,
  signal: AbortSignal,
): Promise<{ readonly before: Before; readonly price: number | undefined }> {
  const row = await parts.actions.reread(account, instance);
  parts.session.assertStill(account);
  if (!row) {
    const isDestroyed = state.kind === "ended" && state.rental?.kind === "destroyed";
    if (!isDestroyed) await parts.instances.whereabouts.assertGone(account, instance, signal);
    return { before: "gone", price: undefined };
  }
  const [phase, price] = [getPhase(row.value), getReportedPrice(row.value)];
  if (phase === "scheduling") return { before: "queued", price };
  if (phase === "stopped") return { before: "stopped", price };
  throw new AppError(
    "rejected",
    t("Instance {0} may still be working on this run. Stop or destroy it first.", instance),
  );
}

/** $/h of the instance while it ran, as far as it was ever seen. */
function findPrice(
  { pastRentals }: ContinueParts,
  account: SignedIn,
  { instance, rented }: RunRecord,
): number | undefined {
  const past = pastRentals.findInstance(account, instance);
  return rented?.price ?? (past && getPastPrice({ record: past, seen: 0 }));
}

async function claimNext(
  parts: ContinueParts,
  account: SignedIn,
  { run, before, agreed }: NextAttempt,
  token: string,
  signal: AbortSignal,
): Promise<void> {
  const { runJournal, runs, session } = parts;
  const latest = await runJournal.findLatest(account, run);
  if (latest.id !== run.id) throw new AppError("rejected", describeContinued(latest));
  // The summary may have been open for hours.
  const now = await findBefore(parts, account, latest, signal);
  session.assertStill(account);
  if (now.before !== before && now.before !== "gone")
    throw new AppError("rejected", t("Instance {0} has changed since you reviewed this. Try again.", run.instance));
  const former = latest.next;
  if (former !== undefined) await assertUnused(parts, account, former, signal);
  session.assertStill(account);
  signal.throwIfAborted();
  const chosen = await runJournal.chooseNext(run.id, token, former);
  if (chosen === undefined) throw new AppError("not-found", t("This run is no longer in the list."));
  if (chosen !== token) throw new AppError("rejected", t("Another window is continuing this run."));
  // Nothing is asked of the person, so what they did in the meantime counts.
  if (agreed) {
    await assertNotEnded(parts, account, latest);
    if (!canContinueAutomatically(latest)) throw new AppError("cancelled", t("Canceled."));
  }
  signal.throwIfAborted();
  if (now.before === "queued") await stopBefore(parts, account, run.instance);
  if (now.before !== "gone" && latest.state.kind !== "ended") await runs.noteStoppedEarly(latest, now.price);
}

/** @throws AppError if anything came of a launch, or may still. From now on, nothing does. */
async function assertUnused(
  parts: ContinueParts,
  account: SignedIn,
  token: string,
  signal: AbortSignal,
): Promise<void> {
  const record = (await parts.watch.reread()).find((one) => one.token === token);
  const state = record && getLaunchState(record);
  if (!record || state === "prepared") return await forestall(parts, token);
  if (state === "unresolved" && !isRefused(record))
    throw new AppError(
      "rejected",
      t("An instance may have been rented to continue this run. Use Review Unresolved Launch… to find out."),
    );
  for (const id of record.ids) await assertNotRented(parts, account, id, signal);
}

/** A window that is still to send the request can't any longer, whether it is closed or only sleeps. @throws AppError if it has. */
async function forestall({ journal }: ContinueParts, token: string): Promise<void> {
  await journal.claim(token);
  await journal.note(token, "not-sent");
}

/** @throws AppError `rejected` if it is there, or may be; the signal's reason. */
async function assertNotRented(
  parts: ContinueParts,
  account: SignedIn,
  id: InstanceId,
  signal: AbortSignal,
): Promise<void> {
  const { whereabouts } = parts.instances;
  if (!(await whereabouts.ask(account, id))) return await whereabouts.assertGone(account, id, signal);
  throw new AppError(
    "rejected",
    t("Instance {0} was rented to continue this run. Destroy it first, or choose Run Again on a GPU.", id),
  );
}

/** @throws AppError `rejected` if the service doesn't confirm it. */
async function stopBefore({ orders, session }: ContinueParts, account: SignedIn, id: InstanceId): Promise<void> {
  const [end] = await orders.carryOut(account, "stop", [{ value: { id } }]);
  session.assertStill(account);
  if (end?.outcome === "done") return;
  if (end) await orders.acknowledge([end]);
  throw new AppError(
    "rejected",
    t("Instance {0} couldn't be stopped, so nothing was rented. {1}", id, end?.reason ?? ""),
  );
}

/** What takes the place of an instance that was rented for the next attempt, and died, rents for the same. */
async function noteReplacement(
  { runJournal, liveness }: ContinueParts,
  dead: InstanceId,
  token: string,
): Promise<void> {
  const of = await runJournal.findEarlier(dead, liveness.id);
  if (of !== undefined) await runJournal.change(of, { next: token });
}
