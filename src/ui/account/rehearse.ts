// Rehearsing in the embedded sandbox: what goes wrong on rented machines, when someone wants to see it.
import { AppError } from "../../domain/base/error.ts";
import { getPhase, isStoppable } from "../../domain/instance/instance.ts";
import { t } from "../../lib/text.ts";
import type { InstanceRow } from "../../services/instance/instances.ts";
import { type Choosable, findOneTarget } from "../instance/instance-commands.ts";
import { pickOne } from "../kit/ask/pick.ts";
import { BACK } from "../kit/ask/steps.ts";
import { tellInfo } from "../kit/messages.ts";
import type { AccountServices, Rehearsal, RehearsedFailure } from "./account-services.ts";

const HOUR = 3600;

const CAN_FAIL: Choosable = {
  accepts: ({ value }) => isStoppable(value),
  none: () => t("There is no instance that can fail."),
};
const CAN_BE_OUTBID: Choosable = {
  accepts: ({ value }) => value.is_bid === true && getPhase(value) === "running",
  none: () => t("There is no running interruptible instance."),
};

/** @throws AppError `rejected` outside of the embedded sandbox: other extensions may run any command. */
function requireRehearsal({ session, rehearsal }: AccountServices): Rehearsal {
  session.requireSignedIn();
  const found = rehearsal();
  if (found) return found;
  throw new AppError("rejected", t("This works only in the sandbox that Try the Sandbox starts. Nothing was changed."));
}

export async function failInstance(services: AccountServices, args: readonly unknown[]): Promise<void> {
  requireRehearsal(services);
  const row = await findOneTarget(services, args, t("Fail Instance"), CAN_FAIL);
  if (!row) return;
  const status = await pickOne<RehearsedFailure>({
    title: t("Fail Instance"),
    placeholder: t("How does it fail?"),
    choices: [
      { label: t("Its container exits"), value: "exited" },
      { label: t("Its host loses the connection"), value: "offline" },
      { label: t("Its machine goes silent"), value: "unknown" },
    ],
  });
  if (status === undefined || status === BACK) return;
  const done = requireRehearsal(services).fail(row.value.id, status);
  await show(services, row, done);
}

export async function outbidInstance(services: AccountServices, args: readonly unknown[]): Promise<void> {
  requireRehearsal(services);
  const row = await findOneTarget(services, args, t("Outbid Instance"), CAN_BE_OUTBID);
  if (row) await show(services, row, requireRehearsal(services).outbid(row.value.id));
}

/** @throws AppError `rejected` if it couldn't be done. */
async function show({ instances }: AccountServices, { value }: InstanceRow, done: boolean): Promise<void> {
  await instances.collection.refresh();
  if (!done)
    throw new AppError("rejected", t("Instance {0} isn't in a state for this. Nothing was changed.", value.id));
}

export async function skipHour(services: AccountServices): Promise<void> {
  requireRehearsal(services).skip(HOUR);
  await services.refresh();
  void tellInfo(
    t(
      "The sandbox is an hour ahead: bills have grown, bids may have changed, and its machines show the new time. Timers of this window, such as auto-stops that it carries out, keep real time.",
    ),
  );
}
