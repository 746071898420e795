// Tells of an instance that was rented for a run which didn't come to its end: it costs money until someone ends it.
import type { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { getCurrentPrice } from "../../domain/instance/instance.ts";
import { commands } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { describeKeptInstance } from "../../present/run/rental-text.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { destroyById } from "../instance/instance-commands.ts";
import { showError } from "../kit/errors.ts";
import { tellWarning } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";
import { toRowArguments } from "../list/targets.ts";
import type { RunServices } from "./run-services.ts";

export function tellKept(
  services: RunServices,
  account: SignedIn,
  name: string,
  id: InstanceId,
  { message, kind }: AppError,
): void {
  const { session, instances, log } = services;
  const row = session.current === account ? instances.find(id) : undefined;
  const destroy = t("Destroy Instance…");
  const isGone = kind === "gone";
  const text = describeKeptInstance(name, id, message, { price: row && getCurrentPrice(row), isGone });
  tellWarning(text, ...(isGone ? [] : [destroy]))
    .then(async (answer) => {
      if (answer === destroy) await destroyById(services, account, id);
    })
    .catch((error) => showError(error, log));
}

/** Asks first. */
export async function startById({ session }: RunServices, account: SignedIn, id: InstanceId): Promise<void> {
  await runCommand(commands.instanceStart, toRowArguments(session, account, [{ id }])[0]);
}
