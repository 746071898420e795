// The account: signing in and out, its keys and webhooks, and its status bar items.
import { commands } from "../../ids.ts";
import type { Bag } from "../../lib/disposable.ts";
import { signOut } from "../../services/account/sign-out.ts";
import type { Module } from "../kit/module.ts";
import { chosenAddress } from "../kit/settings.ts";
import { createAccountItem } from "./account-item.ts";
import type { AccountServices } from "./account-services.ts";
import { deleteApiKey } from "./api-key-commands.ts";
import { signIn } from "./sign-in.ts";
import { signOutPerson } from "./sign-out.ts";
import { createStatusBar } from "./status-bar.ts";
import { switchAccount } from "./switch-account.ts";
import { copyWebhookUrl, showWebhook } from "./webhook-commands.ts";
import { createWebhooksView } from "./webhooks-view.ts";

export function createAccountModule(services: AccountServices, bag: Bag): Module {
  const { session, instances, watch, readings, enterSandbox, refresh } = services;
  bag.add(createStatusBar(session, instances, watch, readings));
  bag.add(createAccountItem(session));
  return {
    commands: {
      [commands.signIn]: async () => {
        if ((await signIn(session, chosenAddress())) === "sandbox") await enterSandbox();
      },
      [commands.signOut]: () => signOut(services, signOutPerson),
      [commands.switchAccount]: (args) => switchAccount(services, args),
      [commands.tryDemo]: enterSandbox,
      [commands.refresh]: async () => {
        session.retryMissingEndpoints();
        await refresh();
      },
      [commands.webhookShow]: (args) => showWebhook(services, args),
      [commands.webhookCopyUrl]: (args) => copyWebhookUrl(services, args),
      [commands.deleteApiKey]: () => deleteApiKey(services),
    },
    views: [bag.add(createWebhooksView(services))],
  };
}
