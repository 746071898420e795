// Connects a launch to the person at this window: notifications, modals, progress, and what they want next.
import * as vscode from "vscode";
import type { LaunchAction, LaunchMessage, LaunchStage } from "../../domain/launch/launch-messages.ts";
import { formatMachineName } from "../../domain/offer/offer.ts";
import { commands, views } from "../../ids.ts";
import { t, toPlainText } from "../../lib/text.ts";
import {
  buildLaunchQuestion,
  describeLaunchMessage,
  describeLaunchStage,
  formatLaunchAction,
} from "../../present/launch/launch-messages.ts";
import type { WhenReady } from "../../present/launch/when-ready.ts";
import { renewAccount } from "../../services/core/renew-account.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { LaunchAgain, LaunchPerson, NextStep } from "../../services/launch/launch-steps.ts";
import { connectById } from "../connection/connection-commands.ts";
import { destroyById } from "../instance/instance-commands.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { tellError, tellInfo, tellWarning, withNotification, withViewProgress } from "../kit/messages.ts";
import { runCommand, showView } from "../kit/run-command.ts";
import { toRowArguments } from "../list/targets.ts";
import type { LaunchServices } from "./launch-services.ts";
import { showLaunchTimer } from "./launch-timer.ts";

/** `whenReady`: what is opened then without another question. */
export function createLaunchPerson({ scheduler }: LaunchServices, whenReady: WhenReady = "tell"): LaunchPerson {
  return {
    confirm: (question) => confirm(buildLaunchQuestion(question)),
    tell: async (message, actions) => {
      // A project is asked about, and a question in a window that is out of sight would only be in the way later.
      const isWanted = message.kind === "running" && (whenReady === "connect" || vscode.window.state.focused);
      const chosen = isWanted ? actions.find((one) => one === whenReady) : undefined;
      if (chosen === undefined) return await tellMessage(message, actions);
      void tellMessage(message, []);
      return chosen;
    },
    wait: (work) => withViewProgress(views.instances, work),
    accompany: (plan, work) => {
      const title = t("Renting {0}", toPlainText(formatMachineName(plan.offer), 60));
      return withNotification(title, true, async (show, cancelled) => {
        const timer = showLaunchTimer(scheduler, title);
        let [stage, said]: [LaunchStage, string] = ["sending", ""];
        // Saying the same again would have it read aloud again.
        const say = () => {
          const text = describeLaunchStage(stage);
          if (text !== said) show(text);
          said = text;
        };
        say();
        try {
          return await work((next) => {
            // Shows the row of the new rental.
            if (stage === "sending" && next !== "sending") void showView(views.instances, true);
            stage = next;
            say();
          }, cancelled);
        } finally {
          timer.dispose();
        }
      });
    },
  };
}

async function tellMessage(
  message: LaunchMessage,
  offered: readonly LaunchAction[],
): Promise<LaunchAction | undefined> {
  const actions = offered.filter((action) => action !== "open-project" || isProjectOpen());
  const { severity, text } = describeLaunchMessage(message);
  const tell = { info: tellInfo, warning: tellWarning, error: tellError }[severity];
  const buttons = actions.map((action) => formatLaunchAction(action, message));
  const isToAcknowledge = message.kind === "not-destroyed";
  const chosen = await tell(text, ...(isToAcknowledge ? [t("OK")] : buttons));
  return chosen === undefined ? undefined : actions[buttons.indexOf(chosen)];
}

export const isProjectOpen = (): boolean =>
  vscode.workspace.isTrusted && (vscode.workspace.workspaceFolders ?? []).some(({ uri }) => uri.scheme === "file");

/** Does what the person wants after a launch. `launchAgain` asks for another offer for the same plan, which may have to be corrected first. */
export async function takeNextStep(
  services: LaunchServices,
  account: SignedIn,
  step: NextStep | undefined,
  launchAgain: (how: LaunchAgain) => Promise<void>,
): Promise<void> {
  if (!step) return;
  // The message may be hours old, and what it names means something else in another account.
  services.session.assertStill(renewAccount(services.session, account));
  switch (step.kind) {
    case "connect":
      return await connectById(services, account, step.id);
    case "open-project":
      return await runCommand(
        commands.instanceOpenProject,
        toRowArguments(services.session, account, [{ id: step.id }])[0],
      );
    case "show":
      return await runCommand(commands.instanceShow, step.id);
    case "review":
      return await runCommand(commands.launchReview, step.token);
    case "choose-again":
    case "reconfigure":
      return await launchAgain(step.kind);
    case "edit-template":
      return await runCommand(commands.templateEdit, step.hash);
    case "destroy":
      return await destroyById(services, account, step.id);
  }
}
