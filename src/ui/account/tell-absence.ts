// One notification after a start: what happened to the person's instances while no window was open.
import { commands } from "../../ids.ts";
import type { Disposable } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";
import { t } from "../../lib/text.ts";
import { describeAbsence } from "../../present/account/away-text.ts";
import type { WhileAway } from "../../services/account/while-away.ts";
import type { SessionService } from "../../services/core/session.ts";
import type { AutoStopsService } from "../../services/instance/auto-stops/auto-stops.ts";
import { wasToEndItself } from "../../services/instance/auto-stops/instance-auto-stop.ts";
import { showError } from "../kit/errors.ts";
import { tellInfo } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";

interface Services {
  readonly session: SessionService;
  readonly whileAway: WhileAway;
  readonly autoStops: AutoStopsService;
  readonly log: Log;
}

export function tellAbsence({ session, whileAway, autoStops, log }: Services): Disposable {
  return whileAway.onNotice(({ account, absence }) => {
    const [spending, paying] = [t("Show Spending"), t("Show Current Costs")];
    const buttons = absence.billed.length > 0 ? [spending, paying] : [spending];
    const tell = async () => {
      const { from, to } = absence;
      const text = describeAbsence(absence, ({ id }) => wasToEndItself(autoStops.listSelfStopsOf(id), id, from, to));
      const chosen = await tellInfo(text, ...buttons);
      if (chosen === undefined) return;
      session.assertStill(account);
      await runCommand(chosen === paying ? commands.costsShow : commands.spendingShow);
    };
    tell().catch((error) => showError(error, log));
  });
}
