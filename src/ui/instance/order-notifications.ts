// Notifications about orders that an earlier window left unfinished: machines to be destroyed or stopped when it
// closed.
import { commands } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { describeFinishedOrders, describeStaleOrders } from "../../present/instance/orders.ts";
import type { OrderNotice } from "../../services/instance/order-notices.ts";
import { tellInfo, tellWarning } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";
import { toRowArguments } from "../list/targets.ts";
import type { InstanceServices } from "./instance-services.ts";

/** Shown to the person at this window. Orders that are too old must be confirmed again with the same question. */
export async function tellOrderNotice(services: InstanceServices, notice: OrderNotice): Promise<void> {
  if (notice.kind === "finished") {
    await tellInfo(describeFinishedOrders(notice.ends), t("OK"));
    return await notice.acknowledge();
  }
  const { orders, account } = notice;
  const isDestroy = orders.some(({ kind }) => kind === "destroy");
  const again = isDestroy ? t("Destroy…") : t("Stop…");
  const chosen = await tellWarning(describeStaleOrders(orders), again);
  await notice.acknowledge();
  if (chosen !== again) return;
  const rows = toRowArguments(services.session, account, orders);
  const command = isDestroy ? commands.instanceDestroy : commands.instanceStop;
  await runCommand(command, rows[0], rows);
}
