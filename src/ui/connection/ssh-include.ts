// The one line in the person's own SSH configuration: asked for once, and never added or removed otherwise.
import * as vscode from "vscode";
import { asAppError } from "../../domain/base/error.ts";
import type { SshLogin } from "../../domain/connection/ssh-command.ts";
import { settings } from "../../ids.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { buildIncludeQuestion, buildRemoveFromConfigQuestion } from "../../present/connection/connection-questions.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { tellError, tellInfo } from "../kit/messages.ts";
import { runEditorCommand } from "../kit/run-command.ts";
import { readChoice, writeChoice } from "../kit/settings.ts";
import type { ConnectionServices } from "./connection-services.ts";

type Services = Pick<ConnectionServices, "remoteWindows">;
type Person = Services["remoteWindows"]["person"];

/**
 * Whether the line may be there: it is there already, or the person allows it now or once and for all. `instead` is what they may do
 * without it. Where it couldn't be added, no one is asked.
 */
export async function askInclude(
  { remoteWindows }: Services,
  login: SshLogin,
  instead: () => Promise<void>,
): Promise<boolean> {
  const { person } = remoteWindows;
  if (await person.includesOurs()) return true;
  const choice = readChoice(settings.connectUseSshConfig, ["ask", "always", "never"]);
  if (choice !== "never" && !(await isPossible(() => remoteWindows.check(login), person))) return false;
  if (choice === "always") return true;
  if (choice === "ask" && (await askToInclude(person))) return true;
  const [terminal, other] = [t("Open Terminal"), choice === "never" ? t("Open Setting") : t("Don't Ask Again")];
  const said =
    choice === "never"
      ? t(
          "Remote windows need one line in your SSH configuration, which your settings don't allow. Terminals work without it.",
        )
      : t("Your SSH configuration wasn't changed, and no remote window was opened. Terminals work without the line.");
  const chosen = await tellInfo(said, terminal, other);
  if (chosen === terminal) await instead();
  if (chosen !== other) return false;
  if (choice === "ask") await writeChoice(settings.connectUseSshConfig, "never");
  else await runEditorCommand("workbench.action.openSettings", `@id:${settings.connectUseSshConfig}`);
  return false;
}

async function askToInclude(person: Person): Promise<boolean> {
  const backup = (await person.isThere()) ? person.backup : undefined;
  return await confirm(buildIncludeQuestion(person.path, person.line, backup));
}

/** Adds the line and asks `ssh` whether it works. @returns whether it does; if not, the person was told why. */
export async function includeOurs({ remoteWindows }: Services, login: SshLogin): Promise<boolean> {
  const { person } = remoteWindows;
  let differing: string | undefined;
  const add = async () => {
    await remoteWindows.include(login);
    differing = await remoteWindows.findDifference(login);
  };
  if (!(await isPossible(add, person))) return false;
  if (differing === undefined) return true;
  const said = t(
    "Your SSH configuration changes “{0}” for this machine, so no remote window was opened.",
    toPlainText(differing, 60),
  );
  await tellFlaw(said, person);
  return false;
}

/** @returns false if the file is left alone, which the person was told. */
async function isPossible(work: () => Promise<void>, person: Person): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (thrown) {
    const error = asAppError(thrown);
    if (error.kind !== "rejected") throw error;
    await tellFlaw(error.message, person);
    return false;
  }
}

async function tellFlaw(said: string, { path, line }: Person): Promise<void> {
  const [copy, open] = [t("Copy Line"), t("Open File")];
  const chosen = await tellError(said, copy, open);
  if (chosen === copy) await vscode.env.clipboard.writeText(line);
  if (chosen === open) await vscode.window.showTextDocument(vscode.Uri.file(path));
}

/** Takes the line out again, and our own file away. */
export async function removeFromConfig({ remoteWindows }: Services): Promise<void> {
  const { path } = remoteWindows.person;
  if (!(await confirm(buildRemoveFromConfigQuestion(path)))) return;
  const wasThere = await remoteWindows.removeFromConfig();
  void tellInfo(
    wasThere
      ? t("Cloud GPU's line was removed from {0}.", toPlainText(path, 300))
      : t("Cloud GPU's line wasn't in {0}. Nothing in the file was changed.", toPlainText(path, 300)),
    t("OK"),
  );
}
