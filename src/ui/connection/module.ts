// Connecting to running instances.
import { commands } from "../../ids.ts";
import type { Module } from "../kit/module.ts";
import { copySshCommand, openTerminal } from "./connection-commands.ts";
import type { ConnectionServices } from "./connection-services.ts";

export function createConnectionModule(services: ConnectionServices): Module {
  return {
    commands: {
      [commands.instanceConnectSsh]: (args) => openTerminal(services, args),
      [commands.instanceCopySshCommand]: (args) => copySshCommand(services, args),
    },
    views: [],
  };
}
