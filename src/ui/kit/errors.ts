// Shows an error after something the person did: one sentence, and at most one remedy.
import { type AppError, asAppError } from "../../domain/base/error.ts";
import { commands } from "../../ids.ts";
import type { Log } from "../../lib/log.ts";
import { t } from "../../lib/text.ts";
import { tellError } from "./messages.ts";
import { runCommand, runEditorCommand } from "./run-command.ts";

interface Remedy {
  readonly label: string;
  readonly run: () => Promise<unknown>;
}

function remedy(error: AppError): Remedy | undefined {
  if (error.kind === "signed-out" || error.kind === "key-refused")
    return { label: t("Sign In…"), run: () => runCommand(commands.signIn) };
  const { limit } = error.facts;
  if (limit !== undefined)
    return {
      label: t("Open Setting"),
      run: () => runEditorCommand("workbench.action.openSettings", `@id:cloudGpu.limits.${limit}`),
    };
  if (error.kind === "outcome-unknown") return { label: t("Refresh"), run: () => runCommand(commands.refresh) };
  return undefined;
}

/** Characters of a message that fit beside its icon. */
const ONE_LINE = 50;

export async function showError(thrown: unknown, log: Log): Promise<void> {
  const error = asAppError(thrown);
  if (error.kind === "cancelled") return;
  const cause = error.kind === "defect" && error.cause instanceof Error ? error.cause.stack : undefined;
  log.error(`${error.kind}: ${error.message}`, cause);
  const way = remedy(error);
  const chosen = await tellError(error.message, ...buttonsFor(error, way));
  if (way && chosen === way.label) await way.run();
}

function buttonsFor(error: AppError, way: Remedy | undefined): readonly string[] {
  if (way) return [way.label];
  // A message without a button stays one line high and would be cut off before its end, which states the reason.
  return error.message.length > ONE_LINE ? [t("OK")] : [];
}
