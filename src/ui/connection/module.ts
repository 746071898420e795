// Connecting to running instances, and reading what they log.
import { commands } from "../../ids.ts";
import type { Bag } from "../../lib/disposable.ts";
import type { Module } from "../kit/module.ts";
import { copySshCommand, openTerminal } from "./connection-commands.ts";
import type { ConnectionServices } from "./connection-services.ts";
import { LogTerminals, openLog, showLog } from "./log-commands.ts";

export function createConnectionModule(services: ConnectionServices, bag: Bag): Module {
  const terminals = bag.add(new LogTerminals(services));
  return {
    commands: {
      [commands.instanceConnectSsh]: (args) => openTerminal(services, args),
      [commands.instanceCopySshCommand]: (args) => copySshCommand(services, args),
      [commands.instanceShowLogs]: (args) => showLog(services, terminals, "container", args),
      [commands.instanceShowDaemonLog]: (args) => showLog(services, terminals, "daemon", args),
      [commands.instanceOpenLog]: (args) => openLog(services, args),
    },
    views: [],
  };
}
