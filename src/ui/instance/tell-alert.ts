// Tells what happened to an instance on its own, with what can be done about it.
import { commands } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { describeAlert } from "../../present/instance/alert-text.ts";
import type { AlertNotice } from "../../services/instance/instance-alerts.ts";
import { tellWarning } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";
import { toRowArguments } from "../list/targets.ts";
import type { InstanceServices } from "./instance-services.ts";

export async function tellAlert(
  { session }: InstanceServices,
  { account, kind, instance }: AlertNotice,
): Promise<void> {
  const [row] = toRowArguments(session, account, [{ id: instance.id }]);
  const [raise, another, leave] = [t("Raise Bid…"), t("Rent Another…"), t("Keep Waiting")];
  const open = t("Open Terminal");
  const answer = await tellWarning(
    describeAlert(instance, kind),
    ...(kind === "outbid" ? [raise, another, leave] : [open]),
  );
  if (answer === raise) await runCommand(commands.instanceChangeBid, row);
  if (answer === another) await runCommand(commands.instanceSameAgain, row);
  if (answer === open) await runCommand(commands.instanceOpenTerminal, row);
}
