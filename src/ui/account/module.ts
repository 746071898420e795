// The account: signing in and out, its keys and webhooks, and its status bar items.
import type * as vscode from "vscode";
import { commands, EXTENSION, views } from "../../ids.ts";
import type { Bag } from "../../lib/disposable.ts";
import { signOut } from "../../services/account/sign-out.ts";
import type { Module } from "../kit/module.ts";
import { runCommand, runEditorCommand, runOnRow, showView } from "../kit/run-command.ts";
import { readChosenAddress } from "../kit/settings.ts";
import { RowOpener } from "../list/row-opener.ts";
import { createAccountItem } from "./account-item.ts";
import type { AccountServices } from "./account-services.ts";
import { createAccountsMenu } from "./accounts-menu.ts";
import { deleteApiKey } from "./api-key-commands.ts";
import { warnOfLowBalance } from "./low-balance.ts";
import { showPayingFor } from "./paying-for.ts";
import { failInstance, outbidInstance, skipHour } from "./rehearse.ts";
import { renameAccount } from "./rename-account.ts";
import { signIn } from "./sign-in.ts";
import { signOutPerson } from "./sign-out.ts";
import { SpendingPanel, saveCsv } from "./spending-panel.ts";
import { createStatusBar } from "./status-bar.ts";
import { switchAccount } from "./switch-account.ts";
import { tellAbsence } from "./tell-absence.ts";
import { copyWebhookUrl, showWebhook } from "./webhook-commands.ts";
import { createWebhooksView } from "./webhooks-view.ts";

export function createAccountModule(services: AccountServices, extension: vscode.Uri, bag: Bag): Module {
  const { session, enterSandbox, refresh, showLog } = services;
  bag.add(createStatusBar(services));
  bag.add(warnOfLowBalance(services));
  bag.add(tellAbsence(services));
  bag.add(createAccountItem(session));
  bag.add(
    createAccountsMenu(session, {
      signOut: () => runCommand(commands.signOut),
      switchTo: (profile) => runCommand(commands.switchAccount, profile),
    }),
  );
  const panel = bag.add(new SpendingPanel(extension, services));
  const opener = new RowOpener(services.clock, (view) => services.selections.listFor(view), runOnRow);
  return {
    commands: {
      [commands.signIn]: async () => {
        const signed = await signIn(session, readChosenAddress());
        if (signed === "sandbox") await enterSandbox();
        else if (signed !== undefined) await showView(views.instances, false);
      },
      [commands.signOut]: () => signOut(services, signOutPerson),
      [commands.switchAccount]: (args) => switchAccount(services, args),
      [commands.renameAccount]: () => renameAccount(session, session.requireSignedIn()),
      [commands.sandboxTry]: enterSandbox,
      [commands.sandboxFail]: (args) => failInstance(services, args),
      [commands.sandboxOutbid]: (args) => outbidInstance(services, args),
      [commands.sandboxSkip]: () => skipHour(services),
      [commands.refresh]: async () => {
        session.retryMissingEndpoints();
        await refresh();
      },
      [commands.helpGetStarted]: () =>
        runEditorCommand("workbench.action.openWalkthrough", `${EXTENSION}#start`, false),
      [commands.helpShowLog]: showLog,
      [commands.costsShow]: () => showPayingFor(services),
      [commands.spendingShow]: async () => panel.show(),
      [commands.spendingExport]: () => saveCsv(session.requireSignedIn(), services),
      [commands.openRow]: (args) => opener.open(args),
      [commands.webhookShow]: (args) => showWebhook(services, args),
      [commands.webhookCopyUrl]: (args) => copyWebhookUrl(services, args),
      [commands.deleteApiKey]: () => deleteApiKey(services),
    },
    views: [bag.add(createWebhooksView(services))],
  };
}
