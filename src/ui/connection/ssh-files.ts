// Where SSH keeps what belongs to the extension on this computer.
import { dirname, isAbsolute, join } from "node:path";
import * as vscode from "vscode";
import { environment, settings } from "../../ids.ts";
import { findHome } from "../../lib/home.ts";
import type { PersonConfig, SshFiles } from "../../services/connection/ssh/ssh-files.ts";
import { readText } from "../kit/settings.ts";

/** Where a system keeps the configuration of all its users. */
const SYSTEM =
  process.platform === "win32"
    ? join(process.env.ProgramData ?? "C:\\ProgramData", "ssh", "ssh_config").replaceAll("\\", "/")
    : "/etc/ssh/ssh_config";
const USUAL = ["~/.ssh/config", SYSTEM];

/** The configuration that the editor's remote windows are opened by: their extension can be set to another one than the usual. */
function findPersonConfig(): PersonConfig {
  const home = findHome();
  const chosen = vscode.workspace.getConfiguration("remote.SSH").inspect<unknown>("configFile")?.globalValue;
  const path = typeof chosen === "string" ? chosen.trim().replace(/^~(?=[\\/])/, home) : "";
  return isAbsolute(path) ? { path, isUsual: false } : { path: join(home, ".ssh", "config"), isUsual: true };
}

export function chooseSshFiles(): SshFiles {
  return { ...placeSshFiles(), proxyCommand: () => readText(settings.connectProxyCommand) };
}

function placeSshFiles(): SshFiles {
  const { [environment.sshFolder]: named, [environment.sshConfig]: config } = process.env;
  const person = () => (config === undefined ? findPersonConfig() : { path: config, isUsual: false });
  if (named === undefined) {
    const folder = join(findHome(), ".ssh", "cloud-gpu");
    const [knownHosts, ownConfig] = ["~/.ssh/cloud-gpu/known_hosts", "~/.ssh/cloud-gpu/config"];
    return { folder, knownHosts, ownConfig, config, person, usual: config === undefined ? USUAL : [config] };
  }
  const within = (name: string) => join(named, name).replaceAll("\\", "/");
  const beside = () => ({ path: config ?? join(dirname(named), "config"), isUsual: false });
  const usual = config === undefined ? USUAL : [config];
  return {
    ...{ folder: named, knownHosts: within("known_hosts"), ownConfig: within("config") },
    ...{ config, person: beside, usual },
  };
}
