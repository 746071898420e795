// Workergroups, with their view.
import { commands } from "../../ids.ts";
import type { Bag } from "../../lib/disposable.ts";
import type { Module } from "../kit/module.ts";
import type { WorkergroupServices } from "./workergroup-commands.ts";
import { copyWorkergroupKey, openTemplate, showWorkergroup } from "./workergroup-commands.ts";
import { createWorkergroupsView } from "./workergroups-view.ts";

export function createServerlessModule(services: WorkergroupServices, bag: Bag): Module {
  return {
    commands: {
      [commands.workergroupShow]: (args) => showWorkergroup(services, args),
      [commands.workergroupOpenTemplate]: (args) => openTemplate(services, args),
      [commands.workergroupCopyApiKey]: (args) => copyWorkergroupKey(services, args),
    },
    views: [bag.add(createWorkergroupsView(services))],
  };
}
