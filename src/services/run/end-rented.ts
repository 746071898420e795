// What becomes of an instance that a run rented, once the run is over.
import { launchToken } from "../../domain/instance/instance.ts";
import type { RentalEnd, RunRecord } from "../../domain/run/run-record.ts";
import type { Clock } from "../../lib/clock.ts";
import { plain, t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstanceActions } from "../instance/instance-actions.ts";
import type { InstanceOrders } from "../instance/instance-orders.ts";

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
  readonly onDestroy: () => void;
  readonly signal: AbortSignal;
}

/**
 * Destroys the instance, unless anything that speaks against it is found, or can't be ruled out: then it is kept, and the result says
 * why. What may change in the meantime is asked last.
 * @throws AppError if the service or the machine can't be asked, or if the account was left; the signal's reason.
 */
export async function endRented(
  { session, actions, orders, clock }: Parts,
  account: SignedIn,
  run: RunRecord,
  { findOthers, isBusy, verify, agree, onDestroy, signal }: Checks,
): Promise<RentalEnd> {
  const kept = (why: string): RentalEnd => ({ kind: "kept", why });
  const isThere = async (): Promise<boolean | "another"> => {
    const now = await actions.reread(account, run.instance);
    session.assertStill(account);
    return now !== undefined && (launchToken(now.value.label) === run.rented?.token || "another");
  };
  const first = await isThere();
  if (!first) return { kind: "gone" };
  const objection = findObjection(run);
  if (objection !== undefined) return kept(objection);
  if (!(await agree())) return kept(t("You chose to keep it."));
  session.assertStill(account);
  if (!(await verify())) return kept(t("What was downloaded isn't all that is on the instance."));
  const last = await isThere();
  if (!last) return { kind: "gone" };
  if (last === "another") return kept(t("Its label no longer says that this run rented it."));
  if ((await findOthers()).length > 0 || (await isBusy()))
    return kept(t("Another run is still in progress there, or its results weren't downloaded."));
  signal.throwIfAborted();
  session.assertStill(account);
  onDestroy();
  const [end] = await orders.carryOut(account, "destroy", [{ value: { id: run.instance } }]);
  if (end?.outcome === "done") return { kind: "destroyed", at: clock.now() };
  // It is told with the run's end.
  if (end) await orders.acknowledge([end]);
  return {
    kind: "unconfirmed",
    why: end?.reason ?? t("The service hasn't confirmed that the instance was destroyed."),
  };
}

function findObjection({ state }: RunRecord): string | undefined {
  if (state.kind !== "ended" || state.exit === undefined) return t("It isn't known how the command ended.");
  if (state.hasLeft === true) return t("Something that the command started is still running there.");
  const { results } = state;
  if (results?.kind !== "fetched") return t("Its results couldn't be downloaded.");
  if (!results.isWhole) return t("Some of its files couldn't be downloaded.");
  const unmatched = results.unmatched?.map((glob) => `“${plain(glob, 60)}”`).slice(0, 3) ?? [];
  return unmatched.length === 0
    ? undefined
    : t("No file that it created or changed matches {0}.", unmatched.join(", "));
}
