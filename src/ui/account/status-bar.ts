// The status bar item: money being spent now, and money at risk. It follows the stores and asks no server.
import * as vscode from "vscode";
import { isOverdue } from "../../domain/instance/auto-stop.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import { commands, views } from "../../ids.ts";
import { Bag } from "../../lib/disposable.ts";
import { t } from "../../lib/text.ts";
import { buildSignedOutView, buildStatusView, type StatusView } from "../../present/account/status.ts";
import type { AccountReadings } from "../../services/account/account-readings.ts";
import type { Balances } from "../../services/account/balances.ts";
import type { Ledger } from "../../services/account/ledger.ts";
import { getError, getLast } from "../../services/core/loaded.ts";
import type { Scheduler } from "../../services/core/scheduler.ts";
import type { Session, SessionService } from "../../services/core/session.ts";
import type { AutoStopsService } from "../../services/instance/auto-stops/auto-stops.ts";
import type { InstancesService } from "../../services/instance/instances.ts";
import type { LaunchWatch } from "../../services/launch/outcome/launch-watch.ts";
import type { PriceWatches } from "../../services/offer/price-watches.ts";
import { setStatusItem } from "../kit/messages.ts";

interface Services {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly watch: LaunchWatch;
  readonly readings: AccountReadings;
  readonly balances: Balances;
  readonly ledger: Ledger;
  readonly autoStops: AutoStopsService;
  readonly priceWatches: PriceWatches;
  readonly scheduler: Scheduler;
}

export function createStatusBar(services: Services): Bag {
  const { session, instances, watch, readings, balances, ledger, autoStops, priceWatches, scheduler } = services;
  const bag = new Bag();
  const item = bag.add(vscode.window.createStatusBarItem("cloudGpu.status", vscode.StatusBarAlignment.Left, 10));
  item.name = t("Cloud GPU: rentals");
  const draw = () => {
    const now = session.current;
    const loaded = instances.collection.store.current;
    const view =
      now.kind === "signed-in"
        ? buildStatusView({
            rows: instances.rows,
            atRisk: watch.doubted,
            doubled: watch.doubled,
            sandbox: now.sandbox,
            at: getLast(loaded)?.at,
            stale: getError(loaded) !== undefined,
            isWhole: getLast(loaded)?.value.complete === true,
            others: readings.others,
            balance: balances.current,
            today: ledger.today,
            passed: findPassed(services),
            watchedPrices: priceWatches.count,
            now: scheduler.clock.now(),
          })
        : buildSignedOutView(readings.others);
    if (!view) return item.hide();
    setStatusItem(item, view);
    item.accessibilityInformation = { label: view.accessible, role: "button" };
    item.backgroundColor =
      view.warning || view.isUrgent ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    item.command = commandOf(now, view);
    item.show();
  };
  bag.add(instances.collection.store.onDidChange(draw));
  bag.add(watch.onDidChange(draw));
  bag.add(balances.onDidChange(draw));
  bag.add(ledger.onDidChange(draw));
  bag.add(autoStops.onDidChange(draw));
  bag.add(priceWatches.onDidChange(draw));
  bag.add(readings.onDidChange(draw));
  bag.add(session.onDidChange(draw));
  draw();
  return bag;
}

/** Those with an end that no one could carry out. */
function findPassed({ instances, autoStops, scheduler }: Services): readonly Instance[] {
  const now = scheduler.clock.now();
  const hasPassed = (instance: Instance) => {
    const end = autoStops.findAutoStop(instance);
    return end !== undefined && end.ending !== "remind" && isOverdue(end.until, now);
  };
  return instances.rows.filter(({ gone }) => !gone).flatMap(({ value }) => (hasPassed(value) ? [value] : []));
}

function commandOf({ kind }: Session, { warning, bills }: StatusView): string {
  if (kind === "signed-out") return commands.switchAccount;
  if (warning) return commands.launchReview;
  return bills ? commands.costsShow : `${views.instances}.focus`;
}
