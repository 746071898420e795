// Blocks the machine of an instance, or its host, so that it's never rented again, or takes that back.
import { AppError } from "../../domain/base/error.ts";
import { settings } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { formatInstanceTitle } from "../../present/instance/instances.ts";
import { findOneTarget } from "../instance/instance-commands.ts";
import { type Choice, pickOne } from "../kit/ask/pick.ts";
import { BACK } from "../kit/ask/steps.ts";
import { showError } from "../kit/errors.ts";
import { tellInfo } from "../kit/messages.ts";
import { runEditorCommand } from "../kit/run-command.ts";
import { changeListed } from "../kit/settings.ts";
import type { LaunchServices } from "./launch-services.ts";
import { readLimits } from "./launch-settings.ts";

interface Change {
  readonly setting: string;
  readonly number: number;
  readonly isBlocked: boolean;
  readonly done: string;
}

export async function blockMachine(services: LaunchServices, args: readonly unknown[]): Promise<void> {
  const row = await findOneTarget(services, args, t("Block Machine"));
  if (!row) return;
  const { machine_id: machine, host_id: host } = row.value;
  const choices = [
    ...(machine === undefined ? [] : [machineChoice(machine)]),
    ...(host === undefined ? [] : [hostChoice(host)]),
  ];
  if (choices.length === 0)
    throw new AppError(
      "rejected",
      t("The service doesn't say which machine {0} is on.", formatInstanceTitle(row.value)),
    );
  const chosen = await pickOne<Change>({
    title: t("Block Machine of {0}", formatInstanceTitle(row.value)),
    placeholder: t("What should never be rented again? Rented instances aren't changed."),
    choices,
  });
  if (chosen === undefined || chosen === BACK) return;
  await changeListed(chosen.setting, chosen.number, chosen.isBlocked);
  const open = t("Open Setting");
  tellInfo(chosen.done, open)
    .then((answer) =>
      answer === open ? runEditorCommand("workbench.action.openSettings", `@id:${chosen.setting}`) : undefined,
    )
    .catch((error) => showError(error, services.log));
}

function machineChoice(machine: number): Choice<Change> {
  const isBlocked = readLimits().blockedMachines?.includes(machine) === true;
  const change = { setting: settings.limitBlockedMachines, number: machine, isBlocked: !isBlocked };
  return isBlocked
    ? {
        label: t("Unblock Machine {0}", machine),
        value: { ...change, done: t("Machine {0} can be rented again.", machine) },
      }
    : {
        label: t("Machine {0}", machine),
        detail: t("Its offers are marked and refused."),
        value: { ...change, done: t("Machine {0} won't be rented again.", machine) },
      };
}

function hostChoice(host: number): Choice<Change> {
  const isBlocked = readLimits().blockedHosts?.includes(host) === true;
  const change = { setting: settings.limitBlockedHosts, number: host, isBlocked: !isBlocked };
  return isBlocked
    ? {
        label: t("Unblock Host {0}", host),
        value: { ...change, done: t("Machines of host {0} can be rented again.", host) },
      }
    : {
        label: t("Host {0}", host),
        detail: t("The offers of all its machines are marked and refused."),
        value: { ...change, done: t("Machines of host {0} won't be rented again.", host) },
      };
}
