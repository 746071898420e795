// Tells of an instance that was rented for a run which didn't come to its end: it costs money until somebody ends it.
import type { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { priceNow } from "../../domain/instance/instance.ts";
import type { RunRecord } from "../../domain/run/run-record.ts";
import { commands } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { keptMessage, stoppedText, strandedText } from "../../present/run/rental-text.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { destroyById } from "../instance/instance-commands.ts";
import { showError } from "../kit/errors.ts";
import { tellWarning } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";
import { rowsOf } from "../list/targets.ts";
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
  const text = keptMessage(name, id, message, { price: row && priceNow(row), isGone });
  tellWarning(text, ...(isGone ? [] : [destroy]))
    .then(async (answer) => {
      if (answer === destroy) await destroyById(services, account, id);
    })
    .catch((error) => showError(error, log));
}

/** Tells of an instance that was rented for a run which never began, until the person has seen it. */
export async function tellStranded(services: RunServices, account: SignedIn, run: RunRecord): Promise<void> {
  const { session, instances, runs } = services;
  await instances.collection.known();
  session.assertStill(account);
  const row = instances.find(run.instance);
  const destroy = t("Destroy Instance…");
  const answer = await tellWarning(strandedText(run, row && priceNow(row)), destroy);
  await runs.giveUp(run, run.state.kind === "ended" ? (run.state.why ?? "") : "");
  if (answer === destroy) await destroyById(services, account, run.instance);
}

/** Tells of an instance that was rented for a run, and has stopped: by itself, or because somebody stopped it. */
export async function tellStopped(services: RunServices, account: SignedIn, run: RunRecord): Promise<void> {
  const { session, instances } = services;
  await instances.collection.known();
  session.assertStill(account);
  const row = instances.find(run.instance);
  const [start, destroy] = [t("Start Instance…"), t("Destroy Instance…")];
  const answer = await tellWarning(stoppedText(run, row && priceNow(row)), start, destroy);
  if (answer === destroy) await destroyById(services, account, run.instance);
  if (answer === start) await startById(services, account, run.instance);
}

/** Asks first. */
export async function startById({ session }: RunServices, account: SignedIn, id: InstanceId): Promise<void> {
  await runCommand(commands.instanceStart, rowsOf(session, account, [{ id }])[0]);
}
