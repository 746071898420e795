// The ports of running instances, and the notebook servers behind them.
import { commands } from "../../ids.ts";
import type { Bag } from "../../lib/disposable.ts";
import { showError } from "../kit/errors.ts";
import type { Module } from "../kit/module.ts";
import { openJupyter } from "./jupyter.ts";
import { JupyterKernels } from "./jupyter-kernels.ts";
import { copyPortAddress, openPort, openPublicPort, stopForwarding, tellBroken } from "./port-commands.ts";
import { createPortRows, type PortRows } from "./port-rows.ts";
import type { PortServices } from "./port-services.ts";

interface PortModule extends Module {
  /** The ports below the rows of their instances. */
  readonly rows: PortRows;
}

export function createPortModule(services: PortServices, bag: Bag): PortModule {
  bag.add(
    services.tunnels.onDidBreak((broken) =>
      tellBroken(services, broken).catch((error) => showError(error, services.log)),
    ),
  );
  bag.add(new JupyterKernels(services));
  return {
    commands: {
      [commands.instanceOpenJupyter]: (args) => openJupyter(services, args),
      [commands.instanceOpenPort]: (args) => openPort(services, args),
      [commands.portOpenPublicly]: (args) => openPublicPort(services, args),
      [commands.portCopyAddress]: (args) => copyPortAddress(services, args),
      [commands.portStopForwarding]: (args) => stopForwarding(services, args),
    },
    views: [],
    rows: createPortRows(services),
  };
}
