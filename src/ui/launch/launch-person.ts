// Connects a launch to the person at this window: notifications, modals, progress, and what they want next.
import type { LaunchNews, LaunchStage, LaunchWay } from "../../domain/launch/launch-news.ts";
import { machineName } from "../../domain/offer/offer.ts";
import { commands, views } from "../../ids.ts";
import { plain, t } from "../../lib/text.ts";
import { launchMessage, launchQuestion, stageText, wayText } from "../../present/launch/launch-news.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { LaunchPerson, NextStep } from "../../services/launch/run-launch.ts";
import { destroyById } from "../instance/instance-commands.ts";
import { confirm } from "../kit/confirm.ts";
import { tellError, tellInfo, tellWarning, withNotification, withViewProgress } from "../kit/messages.ts";
import { runCommand, showView } from "../kit/run-command.ts";
import type { LaunchServices } from "./launch-services.ts";

export const launchPerson: LaunchPerson = {
  confirm: (question) => confirm(launchQuestion(question)),
  tell: tellNews,
  wait: (work) => withViewProgress(views.instances, work),
  accompany: (plan, work) =>
    withNotification(t("Renting {0}", plain(machineName(plan.offer), 60)), true, async (show, cancelled) => {
      const started = performance.now();
      let stage: LaunchStage = "sending";
      const say = () => show(stageText(stage, performance.now() - started));
      const ticking = setInterval(say, 1000);
      try {
        return await work((next) => {
          // Shows the row of the new rental.
          if (stage === "sending" && next !== "sending") void showView(views.instances, true);
          stage = next;
          say();
        }, cancelled);
      } finally {
        clearInterval(ticking);
      }
    }),
};

async function tellNews(news: LaunchNews, ways: readonly LaunchWay[]): Promise<LaunchWay | undefined> {
  const { severity, text } = launchMessage(news);
  const tell = { info: tellInfo, warning: tellWarning, error: tellError }[severity];
  const buttons = ways.map((way) => wayText(way, news));
  const isToAcknowledge = news.kind === "not-destroyed";
  const chosen = await tell(text, ...(isToAcknowledge ? [t("OK")] : buttons));
  return chosen === undefined ? undefined : ways[buttons.indexOf(chosen)];
}

/** Does what the person wants after a launch. `chooseAgain` asks for another offer for the same plan. */
export async function takeNextStep(
  services: LaunchServices,
  account: SignedIn,
  step: NextStep | undefined,
  chooseAgain: () => Promise<void>,
): Promise<void> {
  switch (step?.kind) {
    case "show":
      return await runCommand(commands.instanceShow, step.id);
    case "review":
      return await runCommand(commands.launchReview, step.token);
    case "choose-again":
      return await chooseAgain();
    case "destroy":
      return await destroyById(services, account, step.id);
  }
}
