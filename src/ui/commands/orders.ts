// What an earlier window left: machines that were to be destroyed or stopped when it closed.
import * as vscode from "vscode";
import { commands } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { finishedText, staleText } from "../../present/orders.ts";
import type { OrderNotice } from "../../services/instance-orders.ts";
import { tellInfo, tellWarning } from "../messages.ts";
import type { Services } from "../services.ts";

/** Told to whoever is in front of this window. What is too old is asked for again, by the same question as before. */
export async function tellOrderNotice({ session }: Services, notice: OrderNotice): Promise<void> {
  if (notice.kind === "finished") return void tellInfo(finishedText(notice.ends), t("OK"));
  const { orders, account } = notice;
  const isDestroy = orders.some(({ kind }) => kind === "destroy");
  const again = isDestroy ? t("Destroy…") : t("Stop…");
  if ((await tellWarning(staleText(orders), again)) !== again) return;
  session.assertStill(account);
  const ids = orders.filter(({ kind }) => (kind === "destroy") === isDestroy).map(({ id }) => id);
  const command = isDestroy ? commands.instanceDestroy : commands.instanceStop;
  await vscode.commands.executeCommand(command, ids[0], ids);
}
