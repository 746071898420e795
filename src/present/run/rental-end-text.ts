// What becomes of the instance of a run, in the terminal and in messages.
import type { InstanceId } from "../../domain/base/id.ts";
import { formatHourlyPrice } from "../../domain/base/money.ts";
import type { RunFacts } from "../../domain/run/run-facts.ts";
import type { RentalEnd, RunGuard, RunRecord } from "../../domain/run/run-record.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { formatAutoStop } from "../instance/auto-stop-text.ts";

/** About an instance that no run destroys. `price`: $/h. */
export function describeKept(price: number | undefined, autoStop: RunFacts["autoStop"]): string {
  const { end, now = 0 } = autoStop ?? {};
  // Nothing else is sure to end it.
  if (end && end.ending !== "remind" && !end.isDoubted && !end.isLeft && end.until > now)
    return t("Auto-stop: {0}.", formatAutoStop(end, now) ?? "");
  return price === undefined
    ? t("The instance keeps running and costs money until you stop or destroy it.")
    : t("The instance keeps running at {0} until you stop or destroy it.", formatHourlyPrice(price));
}

/** Whether the machine ends the bill without a window. */
export function describeGuard(guard: RunGuard, isStop: boolean): string {
  if (guard.kind === "armed")
    return isStop
      ? t("If VS Code doesn't stop it, the instance stops itself 1 hour after the command ends.")
      : t("If VS Code doesn't destroy it, the instance stops itself 1 hour after the command ends.");
  return t(
    "The instance can't stop itself: {0}. If VS Code is closed when the command ends, the instance keeps running.",
    toPlainText(guard.why, 200),
  );
}

/** On a machine that an earlier run has stop itself. */
export const describeEarlierGuard = (): string =>
  t("An earlier run set this instance to stop itself 1 hour after its last command ends.");

/** What an instance that should be gone costs, whether it runs or not. */
export const describeStillCosts = (id: InstanceId, price: number | undefined): string =>
  price === undefined
    ? t("Instance {0} costs money until you destroy it.", id)
    : t("Instance {0} costs {1} until you destroy it.", id, formatHourlyPrice(price));

type StoppedRental = Extract<RentalEnd, { kind: "stopped" }>;

export const findRentalEnd = (state: RunRecord["state"]) => (state.kind === "ended" ? state.rental : undefined);

/** What became of the instance. */
export function describeRental(run: RunRecord, price: number | undefined, autoStop?: RunFacts["autoStop"]): string {
  const { state, instance, rented, guard } = run;
  const rental = findRentalEnd(state);
  const isStop = rented?.whenDone === "stop";
  const stops = guard?.kind === "armed" ? ` ${t("The instance stops itself 1 hour after the command ends.")}` : "";
  switch (rental?.kind) {
    case "destroyed":
      return t("Instance {0} was destroyed.", instance);
    case "stopped":
      return stoppedAfterText(run, rental);
    case "gone":
      return t("Instance {0} no longer exists.", instance);
    case "kept":
      return `${isStop ? t("The instance wasn't stopped.") : t("The instance wasn't destroyed.")} ${toPlainText(rental.why, 300)} ${describeStillCosts(instance, price)}${stops}`;
    case "unconfirmed":
      if (isStop)
        return `${t("Instance {0} may still be running at {1}.", instance, formatHourlyPrice(price ?? rented.price))} ${toPlainText(rental.why, 300)}`;
      return `${t("Instance {0} may still exist and cost money.", instance)} ${toPlainText(rental.why, 300)}`;
    default:
      return rented || stops !== "" ? `${describeStillCosts(instance, price)}${stops}` : describeKept(price, autoStop);
  }
}

/** Its disk is billed. What isn't on this computer is on it. */
function stoppedAfterText({ state, instance }: RunRecord, { price, onlyThere }: StoppedRental): string {
  const stopped =
    price === undefined
      ? t("Instance {0} was stopped. You pay for its disk until you destroy the instance.", instance)
      : t(
          "Instance {0} was stopped. Its disk costs {1} until you destroy the instance.",
          instance,
          formatHourlyPrice(price),
        );
  if (onlyThere === undefined) return stopped;
  const hasFailed = state.kind === "ended" && state.results?.kind === "failed";
  const way = hasFailed
    ? t("To download the results, start the instance, run Show Runs, and choose Download Results.")
    : t("Files that aren't on this computer are on its disk. Start the instance to download them.");
  return `${stopped} ${toPlainText(onlyThere, 300)} ${way}`;
}

/** Whether the instance may still run. */
export function mayStillRun({ state }: RunRecord): boolean {
  const rental = findRentalEnd(state);
  return rental === undefined || rental.kind === "kept" || rental.kind === "unconfirmed";
}

/** Whether the instance may still cost money: also a stopped one, for its disk. */
export const mayStillCost = (run: RunRecord): boolean =>
  mayStillRun(run) || findRentalEnd(run.state)?.kind === "stopped";

/** Whether it was stopped with something on its disk that isn't here. */
export function isOnlyOnDisk({ state }: RunRecord): boolean {
  const rental = findRentalEnd(state);
  return rental?.kind === "stopped" && rental.onlyThere !== undefined;
}
