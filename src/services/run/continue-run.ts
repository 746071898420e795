// What has to be true before a run goes on with another instance, and what its next attempt begins with. No two instances work on one run.

import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { getPhase, getReportedPrice } from "../../domain/instance/instance.ts";
import { getLaunchState, isRefused } from "../../domain/launch/launch-record.ts";
import { getPastPrice } from "../../domain/launch/past-rental.ts";
import { type Attempt, MOST_ATTEMPTS } from "../../domain/run/attempt.ts";
import { canContinue, type RunRecord } from "../../domain/run/run-record.ts";
import type { Clock } from "../../lib/clock.ts";
import { t, toLabel } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstanceActions } from "../instance/instance-actions.ts";
import type { InstanceOrders } from "../instance/instance-orders.ts";
import type { InstancesService } from "../instance/instances.ts";
import type { LaunchJournal } from "../launch/launch-journal.ts";
import type { LaunchWatch } from "../launch/outcome/launch-watch.ts";
import type { PastRentals } from "../launch/past-rentals.ts";
import type { Before, NextAttempt } from "./next-attempt.ts";
import { listEarlier } from "./results/earlier-results.ts";
import type { RunJournal } from "./run-journal.ts";
import type { RunsService } from "./runs.ts";

export interface ContinueParts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly actions: InstanceActions;
  readonly orders: InstanceOrders;
  readonly runs: RunsService;
  readonly runJournal: RunJournal;
  readonly journal: Pick<LaunchJournal, "claim" | "note">;
  readonly watch: Pick<LaunchWatch, "reread">;
  readonly pastRentals: Pick<PastRentals, "findInstance">;
  readonly clock: Clock;
}

export class RunContinuations {
  readonly #parts: ContinueParts;

  constructor(parts: ContinueParts) {
    this.#parts = parts;
  }

  /**
   * Makes sure that no instance works on a run, and writes down that its last attempt is over.
   * @throws AppError `rejected` if one may, or if the run is of a kind that can't go on; why the service can't be asked.
   */
  prepare(account: SignedIn, run: RunRecord): Promise<NextAttempt> {
    return prepareNext(this.#parts, account, run);
  }

  /**
   * The launch that rents for the next attempt at a run: every window takes the same, of which the service gets one request. An instance
   * that would start on its own is stopped first. @returns its token.
   * @throws AppError `rejected` if a launch for it may have gone through, or did, or if the instance before can't be stopped; why the
   * service can't be asked.
   */
  async claim(account: SignedIn, next: NextAttempt, token: string): Promise<string> {
    const chosen = await claimNext(this.#parts, account, next, token);
    await stopBefore(this.#parts, account, next);
    return chosen;
  }
}

async function prepareNext(parts: ContinueParts, account: SignedIn, given: RunRecord): Promise<NextAttempt> {
  const { runJournal, session, clock } = parts;
  const found = await runJournal.findLatest(account, given);
  session.assertStill(account);
  assertContinuable(found);
  const { before, price } = await findBefore(parts, account, found);
  session.assertStill(account);
  const run = await close(parts, found, before, price);
  session.assertStill(account);
  const attempts = [...(run.earlier ?? []), toAttempt(run, findPrice(parts, account, run), clock.now())];
  if (attempts.length > MOST_ATTEMPTS)
    throw new AppError("rejected", t("“{0}” has been tried too often to continue it.", nameOf(run)));
  const results = run.state.kind === "ended" && run.state.results?.kind === "fetched" ? run.state.results : undefined;
  const here = results && {
    place: results.place,
    at: results.until ?? clock.now(),
    files: results.files,
    bytes: results.bytes,
  };
  const early = run.early ?? here;
  const upload = await listEarlier(early?.place, await runJournal.readFetched(run.id));
  const { remote: _, ...draft } = run.plan;
  return { run, draft, attempts, before, diskPrice: price, early, upload };
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

/** @throws AppError `rejected` if the instance may still work on it. */
async function findBefore(
  { instances, actions, session }: ContinueParts,
  account: SignedIn,
  { instance, state }: RunRecord,
): Promise<{ readonly before: Before; readonly price: number | undefined }> {
  const rental = state.kind === "ended" ? state.rental?.kind : undefined;
  const row = await actions.reread(account, instance);
  session.assertStill(account);
  if (!row) {
    const isKnown = rental === "destroyed" || rental === "gone";
    if (!isKnown) await assertGone(instances, account, instance);
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

/** Writes down that the attempt is over, unless that is known. */
async function close(
  { runs, runJournal }: ContinueParts,
  run: RunRecord,
  before: Before,
  price: number | undefined,
): Promise<RunRecord> {
  if (run.state.kind === "ended") return run;
  if (before === "gone") await runs.noteGone(run, t("Instance {0} no longer exists.", run.instance));
  else await runs.noteStoppedEarly(run, price);
  return (await runJournal.find(run.id)) ?? run;
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

/** It cost money until it ended, or what it rented did. */
function toAttempt({ id, instance, at, rented, state }: RunRecord, price: number | undefined, now: number): Attempt {
  const rental = state.kind === "ended" ? state.rental : undefined;
  const ended = state.kind === "ended" ? state.at : now;
  const end = rental?.kind === "destroyed" || rental?.kind === "stopped" ? rental.at : ended;
  return { run: id, instance, at: rented?.at ?? at, end, ...(price === undefined ? {} : { price }) };
}

async function claimNext(
  parts: ContinueParts,
  account: SignedIn,
  { run }: NextAttempt,
  token: string,
): Promise<string> {
  const { runJournal, session } = parts;
  const latest = await runJournal.findLatest(account, run);
  if (latest.id !== run.id)
    throw new AppError("rejected", t("“{0}” is already continued on instance {1}.", nameOf(run), latest.instance));
  const before = (await runJournal.find(run.id))?.next;
  const free = before !== undefined && (await isFree(parts, account, before)) ? before : undefined;
  session.assertStill(account);
  const chosen = await runJournal.chooseNext(run.id, token, free);
  if (chosen === undefined) throw new AppError("not-found", t("This run is no longer in the list."));
  return chosen;
}

/** A window that was closed before it sent the request may only sleep: it can't send it any longer. @throws AppError if it just has. */
async function forestall({ journal }: ContinueParts, token: string): Promise<void> {
  await journal.claim(token);
  await journal.note(token, "not-sent");
}

/** Whether nothing came of a launch, so another one may take its place. One that wasn't sent is used by whoever comes first. */
async function isFree(parts: ContinueParts, account: SignedIn, token: string): Promise<boolean> {
  const record = (await parts.watch.reread()).find((one) => one.token === token);
  if (!record) return false;
  switch (getLaunchState(record)) {
    case "prepared":
      await forestall(parts, token);
      return true;
    case "unresolved":
      if (isRefused(record)) return true;
      throw new AppError(
        "rejected",
        t("An instance may have been rented to continue this run. Use Review Unresolved Launch… to find out."),
      );
    case "rented":
    case "doubled":
      for (const id of record.ids) await assertNotRented(parts, account, id);
      return true;
    default:
      return true;
  }
}

/** @throws AppError `rejected` as long as it may be there: one answer may be behind. */
async function assertGone({ whereabouts }: InstancesService, account: SignedIn, id: InstanceId): Promise<void> {
  if (await whereabouts.isGone(account, id)) return;
  throw new AppError(
    "rejected",
    t("The service doesn't list instance {0} now, but it may still be there. Try again in a minute.", id),
  );
}

/** @throws AppError `rejected` if it is there, or may be. */
async function assertNotRented({ instances }: ContinueParts, account: SignedIn, id: InstanceId): Promise<void> {
  if (!(await instances.whereabouts.ask(account, id))) return await assertGone(instances, account, id);
  throw new AppError(
    "rejected",
    t("Instance {0} was rented to continue this run. Destroy it first, or choose Run Again on a GPU.", id),
  );
}

/** One that starts on its own once it has its GPU is stopped. @throws AppError `rejected` if the service doesn't confirm it. */
async function stopBefore(
  { orders, session }: ContinueParts,
  account: SignedIn,
  { run, before }: NextAttempt,
): Promise<void> {
  if (before !== "queued") return;
  const [end] = await orders.carryOut(account, "stop", [{ value: { id: run.instance } }]);
  session.assertStill(account);
  if (end?.outcome === "done") return;
  if (end) await orders.acknowledge([end]);
  throw new AppError(
    "rejected",
    t("Instance {0} couldn't be stopped, so nothing was rented. {1}", run.instance, end?.reason ?? ""),
  );
}
