// Shows the current account in the status bar, but only if there is more than one.
import * as vscode from "vscode";
import { commands } from "../../ids.ts";
import { Bag } from "../../lib/disposable.ts";
import { t, toPlainText } from "../../lib/text.ts";
import type { SessionService } from "../../services/core/session.ts";
import { setStatusItem } from "../kit/messages.ts";

export function createAccountItem(session: SessionService): Bag {
  const bag = new Bag();
  const item = bag.add(vscode.window.createStatusBarItem("cloudGpu.account", vscode.StatusBarAlignment.Left, 9));
  item.name = t("Cloud GPU: account");
  item.command = commands.switchAccount;
  const draw = () => {
    const now = session.current;
    if (now.kind === "signed-out" || session.profiles.list().length + (now.sandbox ? 1 : 0) < 2) return item.hide();
    const name = session.profiles.nameOf(now);
    const tooltip = t("{0} at {1}. Click to switch accounts.", toPlainText(name, 60), now.address.host);
    setStatusItem(item, { icon: "account", text: toPlainText(name, 30), tooltip });
    item.accessibilityInformation = { label: t("Cloud GPU account: {0}", toPlainText(name, 60)), role: "button" };
    item.show();
  };
  bag.add(session.onDidChange(draw));
  bag.add(session.profiles.onDidChange(draw));
  draw();
  return bag;
}
