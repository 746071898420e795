// Tells of an instance that was rented for a run which didn't come to its end: it costs money until someone ends it.
import type { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { billsOnlyDisk, getCurrentPrice } from "../../domain/instance/instance.ts";
import type { RunRecord } from "../../domain/run/run-record.ts";
import { commands } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { describeKeptInstance } from "../../present/run/rental-text.ts";
import { renewAccount } from "../../services/core/renew-account.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { destroyById } from "../instance/instance-commands.ts";
import { showError } from "../kit/errors.ts";
import { tellWarning } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";
import { toRowArguments } from "../list/targets.ts";
import { isOfThisWindow } from "./run-folder.ts";
import type { RunServices } from "./run-services.ts";

export function tellKept(
  services: RunServices,
  account: SignedIn,
  name: string,
  id: InstanceId,
  { message, kind }: AppError,
  run?: RunRecord,
): void {
  const { session, instances, log } = services;
  const row = session.current === account ? instances.find(id) : undefined;
  const [destroy, goOn] = [t("Destroy Instance…"), t("Continue on Another Instance…")];
  const isStopped = row !== undefined && billsOnlyDisk(row.value);
  const mayGoOn = run !== undefined && isOfThisWindow(run) && isStopped;
  const isGone = kind === "gone";
  const text = describeKeptInstance(name, id, message, { price: row && getCurrentPrice(row), isGone });
  tellWarning(text, ...(mayGoOn ? [goOn] : []), ...(isGone ? [] : [destroy]))
    .then(async (answer) => {
      if (answer === goOn && run) await continueLater(services, account, run);
      if (answer === destroy) await destroyById(services, account, id);
    })
    .catch((error) => showError(error, log));
}

/** The account may be another one by the time someone answers. */
export async function continueLater({ session }: RunServices, account: SignedIn, { id }: RunRecord): Promise<void> {
  session.assertStill(renewAccount(session, account));
  await runCommand(commands.runContinue, id);
}

/** Asks first. */
export async function startById({ session }: RunServices, account: SignedIn, id: InstanceId): Promise<void> {
  await runCommand(commands.instanceStart, toRowArguments(session, account, [{ id }])[0]);
}
