// What the services need from the editor: its secrets, settings, network settings and log.
import * as vscode from "vscode";
import type { Network } from "../../api/transport.ts";
import { CHANNEL, settings, splitSetting, stored } from "../../ids.ts";
import { createLog, type Log } from "../../lib/log.ts";
import type { KeyStore } from "../../services/core/profiles.ts";

/**
 * Stores keys in the editor's SecretStorage, one per profile, named by origin: a key is never offered to another
 * address.
 */
export function createKeyStore(secrets: vscode.SecretStorage): KeyStore {
  return {
    read: async (profile) => await secrets.get(stored.apiKey(profile)),
    store: async (profile, key) => await secrets.store(stored.apiKey(profile), key),
    remove: async (profile) => await secrets.delete(stored.apiKey(profile)),
  };
}

export async function chooseAddress(baseUrl: string): Promise<void> {
  const [section, key] = splitSetting(settings.baseUrl);
  await vscode.workspace.getConfiguration(section).update(key, baseUrl, vscode.ConfigurationTarget.Global);
}

/** The editor's proxy settings. They only affect its own network modules, so the extension must apply them itself. */
export function readNetwork(): Network {
  const http = vscode.workspace.getConfiguration("http");
  const value = <T>(name: string) => http.inspect<T>(name)?.globalValue;
  if (value<string>("proxySupport") === "off") return {};
  const env = process.env;
  const proxy = value<string>("proxy") || env.HTTPS_PROXY || env.https_proxy;
  const noProxy = [...(value<string[]>("noProxy") ?? []), env.NO_PROXY ?? env.no_proxy ?? ""].filter(Boolean).join(",");
  return proxy ? { proxy, noProxy } : {};
}

export function createChannel(): { log: Log; channel: vscode.LogOutputChannel } {
  const channel = vscode.window.createOutputChannel(CHANNEL, { log: true });
  return { channel, log: createLog((level, line) => channel[level](line)) };
}
