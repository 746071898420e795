// What becomes of an instance that a run rented, once the run is over.

import { toPrice } from "../../domain/base/money.ts";
import { type Instance, readLaunchToken } from "../../domain/instance/instance.ts";
import type { RentalEnd, RunRecord } from "../../domain/run/run-record.ts";
import type { Clock } from "../../lib/clock.ts";
import { t, toPlainText } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstanceActions } from "../instance/instance-actions.ts";
import type { InstanceOrders } from "../instance/instance-orders.ts";
import type { OrderEnd } from "../instance/order-notices.ts";

interface Parts {
  readonly session: SessionService;
  readonly actions: InstanceActions;
  readonly orders: InstanceOrders;
  readonly clock: Clock;
}

interface Checks {
  /** Other runs on the instance that aren't over, or whose results aren't here. */
  readonly findOthers: () => Promise<readonly RunRecord[]>;
  /** Whether any run is in progress there, also one of another computer. */
  readonly isBusy: () => Promise<boolean>;
  /** Whether everything that the run left there is on this computer. */
  readonly verify: () => Promise<boolean>;
  /** Whether the person still wants it. */
  readonly agree: () => Promise<boolean>;
  /** The last moment before the instance is stopped or destroyed. */
  readonly onEnd: () => void;
  readonly signal: AbortSignal;
}

/**
 * Stops or destroys the instance, unless anything that speaks against it is found, or can't be ruled out: then it is kept, and the
 * result says why. A stop ends what still runs there, but loses no file, so it doesn't wait for results that can't be downloaded. What may
 * change in the meantime is asked last.
 * @throws AppError if the service or the machine can't be asked, or if the account was left; the signal's reason.
 */
export async function endRented(
  parts: Parts,
  account: SignedIn,
  run: RunRecord,
  { findOthers, isBusy, verify, agree, onEnd, signal }: Checks,
): Promise<RentalEnd> {
  const { session, actions } = parts;
  const isStop = run.rented?.whenDone === "stop";
  const reread = async (): Promise<Instance | undefined> => {
    const now = await actions.reread(account, run.instance);
    session.assertStill(account);
    return now?.value;
  };
  if (!(await reread())) return { kind: "gone" };
  const missing = findMissing(run);
  const objection = findRunning(run) ?? (isStop ? undefined : missing);
  if (objection !== undefined) return kept(objection);
  if (!(await agree())) return kept(t("You chose to keep the instance."));
  session.assertStill(account);
  const onlyThere = missing ?? ((await verify()) ? undefined : t("Not everything on the instance was downloaded."));
  if (onlyThere !== undefined && !isStop) return kept(onlyThere);
  const last = await reread();
  if (!last) return { kind: "gone" };
  if (readLaunchToken(last.label) !== run.rented?.token)
    return kept(t("The instance's label has changed, so Cloud GPU can't be sure that this run rented it."));
  const others = (await findOthers()).filter(({ state }) => !isStop || state.kind !== "ended");
  if (others.length > 0 || (await isBusy()))
    return kept(
      isStop
        ? t("Another run is in progress on the instance.")
        : t("Another run is in progress on the instance, or its results weren't downloaded."),
    );
  signal.throwIfAborted();
  session.assertStill(account);
  onEnd();
  return isStop ? await stop(parts, account, last, onlyThere) : await destroy(parts, account, last);
}

const kept = (why: string): RentalEnd => ({ kind: "kept", why });

async function destroy({ orders, clock }: Parts, account: SignedIn, { id }: Instance): Promise<RentalEnd> {
  const [end] = await orders.carryOut(account, "destroy", [{ value: { id } }]);
  if (end?.outcome === "done") return { kind: "destroyed", at: clock.now() };
  return await unconfirmed(orders, end, t("The service hasn't confirmed that the instance was destroyed."));
}

async function stop(
  { orders, actions, clock }: Parts,
  account: SignedIn,
  last: Instance,
  onlyThere: string | undefined,
): Promise<RentalEnd> {
  const [end] = await orders.carryOut(account, "stop", [{ value: { id: last.id } }]);
  if (end?.outcome !== "done")
    return await unconfirmed(orders, end, t("The service hasn't confirmed that the instance stopped."));
  // One that someone destroyed in the meantime doesn't run, either.
  const now = await actions.reread(account, last.id).catch(() => ({ value: last }));
  if (!now) return { kind: "gone" };
  const price = toPrice(now.value.storage_total_cost);
  return {
    ...{ kind: "stopped", at: clock.now() },
    ...(price === undefined ? {} : { price }),
    ...(onlyThere === undefined ? {} : { onlyThere }),
  };
}

async function unconfirmed(orders: InstanceOrders, end: OrderEnd | undefined, why: string): Promise<RentalEnd> {
  // It is told with the run's end.
  if (end) await orders.acknowledge([end]);
  return { kind: "unconfirmed", why: end?.reason ?? why };
}

/** What may still run there, and would end with a stop as well. */
export function findRunning({ state }: Pick<RunRecord, "state">): string | undefined {
  if (state.kind !== "ended" || state.exit === undefined)
    return t("Cloud GPU couldn't determine how the command ended.");
  return state.hasLeft === true ? t("A process that the command started is still running on the instance.") : undefined;
}

/** Why its results may be only there. */
export function findMissing({ state }: Pick<RunRecord, "state">): string | undefined {
  const results = state.kind === "ended" ? state.results : undefined;
  if (results?.kind !== "fetched") return t("The run's results couldn't be downloaded.");
  if (!results.isWhole) return t("Some of the run's files couldn't be downloaded.");
  const unmatched = results.unmatched?.map((glob) => `“${toPlainText(glob, 60)}”`).slice(0, 3) ?? [];
  return unmatched.length === 0 ? undefined : t("No new or changed file matches {0}.", unmatched.join(", "));
}
