// In a window on an instance, the status bar says when that instance ends. A click extends the end or changes it.
import * as vscode from "vscode";
import type { SshMachine } from "../../domain/connection/ssh-machine.ts";
import { commands } from "../../ids.ts";
import type { Bag } from "../../lib/disposable.ts";
import { t } from "../../lib/text.ts";
import { describeAutoStop, formatAutoStop } from "../../present/instance/auto-stop-text.ts";
import { formatInstanceTitle } from "../../present/instance/instances.ts";
import { setStatusItem } from "../kit/messages.ts";
import { toRowArguments } from "../list/targets.ts";
import type { ConnectionServices } from "./connection-services.ts";
import { isOwnMachine, type WindowMachine } from "./window-machine.ts";

/** Milliseconds before an end from which on the item is yellow. */
const SOON = 10 * 60_000;

export function showWindowEnd(services: ConnectionServices, machine: WindowMachine, bag: Bag): void {
  const item = bag.add(vscode.window.createStatusBarItem("cloudGpu.end", vscode.StatusBarAlignment.Left, 9));
  item.name = t("Cloud GPU: auto-stop of this instance");
  const draw = () => drawEnd(item, services, machine.current);
  const { instances, autoStops, session } = services;
  bag.add(instances.collection.store.onDidChange(draw));
  bag.add(autoStops.onDidChange(draw));
  bag.add(session.onDidChange(draw));
  bag.add(machine.onDidChange(draw));
  draw();
}

function drawEnd(item: vscode.StatusBarItem, services: ConnectionServices, machine: SshMachine | undefined): void {
  if (!machine) return;
  const { id } = machine;
  const { session, instances, autoStops, scheduler } = services;
  const { current } = session;
  const row = instances.find(id);
  const end = autoStops.findAutoStop({ id });
  const now = scheduler.clock.now();
  const words = formatAutoStop(end, now);
  const isShown = isOwnMachine(machine, current) && row && !row.gone;
  if (current.kind !== "signed-in" || !isShown || !end || words === undefined) {
    item.hide();
    return;
  }
  const tooltip = `${formatInstanceTitle(row.value)}: ${describeAutoStop(end, now)}`;
  setStatusItem(item, { icon: "clock", text: words, tooltip });
  item.accessibilityInformation = { label: tooltip, role: "button" };
  item.backgroundColor = end.until - now < SOON ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
  const [target] = toRowArguments(session, current, [{ id }]);
  item.command = { command: commands.instanceSetAutoStop, title: t("Set Auto-Stop…"), arguments: [target] };
  item.show();
}
