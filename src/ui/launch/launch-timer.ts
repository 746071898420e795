// How long a launch has taken, in the status bar: screen readers read a notification again whenever its words change, and would read
// every second aloud.
import * as vscode from "vscode";
import { Bag } from "../../lib/disposable.ts";
import { t } from "../../lib/text.ts";
import { formatElapsed } from "../../present/launch/launch-messages.ts";
import type { Scheduler } from "../../services/core/scheduler.ts";
import { setStatusItem } from "../kit/messages.ts";

/** How often it is shown again. */
const SECOND = 1000;

/** Counts until it is disposed of. `title` says what is rented. */
export function showLaunchTimer(scheduler: Scheduler, title: string): Bag {
  const { clock } = scheduler;
  const started = clock.elapsed();
  const bag = new Bag();
  const item = bag.add(vscode.window.createStatusBarItem("cloudGpu.launch", vscode.StatusBarAlignment.Left, 8));
  item.name = t("Cloud GPU: launch timer");
  // What counts in it isn't announced.
  item.accessibilityInformation = { label: title, role: "timer" };
  const draw = () =>
    setStatusItem(item, {
      icon: "loading~spin",
      text: `${title} · ${formatElapsed(clock.elapsed() - started)}`,
      tooltip: title,
    });
  draw();
  item.show();
  bag.add(scheduler.add({ id: "launch-progress", wait: () => SECOND, run: draw })).plan();
  return bag;
}
