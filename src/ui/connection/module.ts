// Connecting to running instances.
import { commands } from "../../ids.ts";
import type { Bag } from "../../lib/disposable.ts";
import type { Module } from "../kit/module.ts";
import { copySshCommand, openTerminal } from "./connection-commands.ts";
import type { ConnectionServices } from "./connection-services.ts";
import { forgetRemotePlatform } from "./remote-platform.ts";
import { openRemoteWindow } from "./remote-window.ts";
import { removeFromConfig } from "./ssh-include.ts";

export function createConnectionModule(services: ConnectionServices, bag: Bag): Module {
  bag.add(services.endedMachines.onDidEnd((alias) => void forgetRemotePlatform(alias, services.log)));
  return {
    commands: {
      [commands.instanceConnectSsh]: (args) => openTerminal(services, args),
      [commands.instanceCopySshCommand]: (args) => copySshCommand(services, args),
      [commands.instanceOpenRemoteWindow]: (args) => openRemoteWindow(services, args),
      [commands.sshRemoveFromConfig]: () => removeFromConfig(services),
    },
    views: [],
  };
}
