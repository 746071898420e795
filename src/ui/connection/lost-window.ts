// Tells in a window on an instance that the instance is gone, with what can be done about it.
import { commands } from "../../ids.ts";
import type { Bag } from "../../lib/disposable.ts";
import { t } from "../../lib/text.ts";
import { describeLostWindow } from "../../present/connection/lost-window.ts";
import type { LostWindow } from "../../services/connection/lost-window.ts";
import { renewAccount } from "../../services/core/renew-account.ts";
import { showError } from "../kit/errors.ts";
import { tellWarning } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";
import { toRowArguments } from "../list/targets.ts";
import type { ConnectionServices } from "./connection-services.ts";
import type { WindowMachine } from "./window-machine.ts";

export function followLostWindow(services: ConnectionServices, machine: WindowMachine, bag: Bag): void {
  const { lostWindow, log } = services;
  bag.add(lostWindow.onNotice((notice) => void tellLost(services, notice).catch((error) => showError(error, log))));
  const follow = () => lostWindow.follow(machine.current);
  bag.add(machine.onDidChange(follow));
  follow();
}

type LostNotice = Parameters<Parameters<LostWindow["onNotice"]>[0]>[0];

/** Another one like it is proposed where what it was rented with is known. */
async function tellLost({ session, pastRentals }: ConnectionServices, notice: LostNotice): Promise<void> {
  const { account, machine } = notice;
  const known = pastRentals.findInstance(account, machine.id);
  const isKept = known?.template_hash_id !== undefined || known?.image_uuid !== undefined;
  const launch = isKept ? t("Launch Similar Instance…") : t("Launch Instance from Template…");
  const answer = await tellWarning(describeLostWindow(machine, known), launch);
  notice.noteSeen();
  if (answer !== launch) return;
  session.assertStill(renewAccount(session, account));
  const [row] = toRowArguments(session, account, [machine]);
  await (isKept ? runCommand(commands.instanceSameAgain, row) : runCommand(commands.launchFromTemplate));
}
