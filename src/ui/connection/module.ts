// Connecting to running instances, and reading what they log.
import type { TerminalOptions, TerminalProfile } from "vscode";
import { commands, contexts } from "../../ids.ts";
import type { Bag } from "../../lib/disposable.ts";
import { t } from "../../lib/text.ts";
import { describeNoTmux } from "../../present/connection/preparation.ts";
import { showError } from "../kit/errors.ts";
import { tellInfo } from "../kit/messages.ts";
import type { Module } from "../kit/module.ts";
import { setContext } from "../kit/run-command.ts";
import { copySshCommand, openTerminal, prepareTerminal } from "./connection-commands.ts";
import type { ConnectionServices } from "./connection-services.ts";
import { showWindowEnd } from "./end-status.ts";
import { LogTerminals, openLog, showLog } from "./log-commands.ts";
import { followLostWindow } from "./lost-window.ts";
import { followPerson } from "./person-at-machine.ts";
import { forgetRemotePlatform } from "./remote-platform.ts";
import { openRemoteWindow } from "./remote-window.ts";
import { removeFromConfig } from "./ssh-include.ts";
import { createTerminalProfile } from "./terminal-profile.ts";
import { WindowMachine } from "./window-machine.ts";

interface ConnectionModule extends Module {
  /** The terminal of the editor's own list: the person chooses the instance. Errors are shown. */
  createTerminalProfile(): Promise<TerminalProfile>;
}

export function createConnectionModule(services: ConnectionServices, bag: Bag): ConnectionModule {
  const terminals = bag.add(new LogTerminals(services));
  const machine = bag.add(new WindowMachine(services));
  followPerson(services, machine, bag);
  showWindowEnd(services, machine, bag);
  followLostWindow(services, machine, bag);
  bag.add(services.endedMachines.onDidEnd((name) => void forgetRemotePlatform(name, services.log)));
  bag.add(services.sharedConnections.onDidKeepOutTmux((id) => void tellInfo(describeNoTmux(id), t("OK"))));
  const tellLine = () => {
    const tell = (isThere: boolean) => setContext(contexts.sshLine, isThere);
    services.remoteWindows.person.includesOurs().then(tell, () => tell(true));
  };
  tellLine();
  return {
    createTerminalProfile: () => createTerminalProfile(() => prepareOrTell(services)),
    commands: {
      [commands.instanceOpenTerminal]: (args) => openTerminal(services, args),
      [commands.instanceOpenPersistentTerminal]: (args) => openTerminal(services, args, "persistent"),
      [commands.instanceCopySshCommand]: (args) => copySshCommand(services, args),
      [commands.instanceShowLogs]: (args) => showLog(services, terminals, "container", args),
      [commands.instanceShowDaemonLog]: (args) => showLog(services, terminals, "daemon", args),
      [commands.instanceOpenLog]: (args) => openLog(services, args),
      [commands.instanceOpenRemoteWindow]: (args) => openRemoteWindow(services, args).finally(tellLine),
      [commands.sshRemoveFromConfig]: () => removeFromConfig(services).finally(tellLine),
    },
    views: [],
  };
}

async function prepareOrTell(services: ConnectionServices): Promise<TerminalOptions | undefined> {
  try {
    return await prepareTerminal(services, []);
  } catch (error) {
    await showError(error, services.log);
    return undefined;
  }
}
