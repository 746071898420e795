// Tells once that the balance is almost used up, and again only after it was more in between.
import { commands } from "../../ids.ts";
import type { Disposable } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";
import { t } from "../../lib/text.ts";
import { balanceView } from "../../present/account/balance-text.ts";
import { knownBurn } from "../../present/account/status.ts";
import type { Balances } from "../../services/account/balances.ts";
import type { Scheduler } from "../../services/core/scheduler.ts";
import type { InstancesService } from "../../services/instance/instances.ts";
import { showError } from "../kit/errors.ts";
import { tellWarning } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";

interface Services {
  readonly balances: Balances;
  readonly instances: InstancesService;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

export function warnOfLowBalance({ balances, instances, scheduler, log }: Services): Disposable {
  let isTold = false;
  const tell = async (text: string) => {
    const show = t("What Am I Paying For?");
    if ((await tellWarning(text, show)) === show) await runCommand(commands.payingFor);
  };
  return balances.onDidChange(() => {
    const rows = instances.rows.filter(({ gone }) => !gone);
    const { isLow, lines } = balanceView(balances.current, knownBurn(rows), scheduler.clock.now());
    const isNews = isLow && !isTold;
    isTold = isLow;
    if (isNews) tell(lines.join(" ")).catch((error) => showError(error, log));
  });
}
