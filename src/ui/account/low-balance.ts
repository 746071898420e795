// Says that the balance is almost used up, and leads to what is paid for.
import { commands } from "../../ids.ts";
import type { Disposable } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";
import { t } from "../../lib/text.ts";
import { buildBalanceView } from "../../present/account/balance-text.ts";
import type { LowBalance } from "../../services/account/low-balance.ts";
import { renewAccount } from "../../services/core/renew-account.ts";
import type { Scheduler } from "../../services/core/scheduler.ts";
import type { SessionService, SignedIn } from "../../services/core/session.ts";
import { showError } from "../kit/errors.ts";
import { tellWarning } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";

interface Services {
  readonly session: SessionService;
  readonly lowBalance: LowBalance;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

export function warnOfLowBalance({ session, lowBalance, scheduler, log }: Services): Disposable {
  const tell = async (account: SignedIn, text: string) => {
    const show = t("Show Current Costs");
    if ((await tellWarning(text, show)) !== show) return;
    session.assertStill(renewAccount(session, account));
    await runCommand(commands.costsShow);
  };
  return lowBalance.onNotice(({ account, balance, burn }) => {
    const { lines } = buildBalanceView(balance, burn, scheduler.clock.now());
    tell(account, lines.join(" ")).catch((error) => showError(error, log));
  });
}
