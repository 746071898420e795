// Connects runs that were left to the person at this window: notifications, and what they lead to.
import { commands } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { describeStopped, describeStranded } from "../../present/run/rental-text.ts";
import { describeLeftRun, describeRunEnd } from "../../present/run/run-text.ts";
import { renewAccount } from "../../services/core/renew-account.ts";
import type { LeftRunAction, LeftRunMessage, LeftRunPerson } from "../../services/run/left-runs.ts";
import { destroyById } from "../instance/instance-commands.ts";
import { showError } from "../kit/errors.ts";
import { tellInfo, tellWarning } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";
import { isOfThisWindow } from "./run-folder.ts";
import type { RunServices } from "./run-services.ts";
import { continueLater, startById } from "./tell-kept.ts";

export function createLeftRunPerson(services: RunServices): LeftRunPerson {
  return {
    isOfThisWindow,
    tell: async (message, actions) => {
      const { tell, text } = say(message);
      const buttons = actions.map(actionText);
      const chosen = await tell(text, ...buttons);
      return chosen === undefined ? undefined : actions[buttons.indexOf(chosen)];
    },
    carryOut: async (account, action, run) => {
      const { id, instance } = run;
      switch (action) {
        case "reattach":
          // In another account the run isn't found, which would read as if someone had removed it.
          services.session.assertStill(renewAccount(services.session, account));
          return await runCommand(commands.runReattach, id);
        case "continue":
          return await continueLater(services, account, run);
        case "start":
          return await startById(services, account, instance);
        case "destroy":
          return await destroyById(services, account, instance);
      }
    },
    tellError: (error) => void showError(error, services.log),
  };
}

function say(message: LeftRunMessage): { readonly tell: typeof tellInfo; readonly text: string } {
  switch (message.kind) {
    case "left":
      return { tell: tellInfo, text: describeLeftRun(message.run) };
    case "lost":
      return { tell: tellWarning, text: describeRunEnd(message.run, undefined).text };
    case "stranded":
      return { tell: tellWarning, text: describeStranded(message.run, message.price) };
    case "stopped":
      return { tell: tellWarning, text: describeStopped(message.run, message.price) };
    case "over":
      return { tell: tellInfo, text: describeRunEnd(message.run, message.price).text };
  }
}

function actionText(action: LeftRunAction): string {
  switch (action) {
    case "reattach":
      return t("Reattach");
    case "continue":
      return t("Continue on Another Instance…");
    case "start":
      return t("Start Instance…");
    case "destroy":
      return t("Destroy Instance…");
  }
}
