// For hosts: jobs and volumes, with their view.
import type * as vscode from "vscode";
import { commands } from "../../ids.ts";
import type { Bag } from "../../lib/disposable.ts";
import type { Module } from "../kit/module.ts";
import { showAnswer, unlistVolume } from "./host-commands.ts";
import type { HostServices } from "./host-services.ts";
import { createHostView } from "./host-view.ts";
import { JobsPanel } from "./jobs-panel.ts";

export function createHostModule(
  services: HostServices,
  { extensionUri }: Pick<vscode.ExtensionContext, "extensionUri">,
  bag: Bag,
): Module {
  const jobsPanel = new JobsPanel(extensionUri, services);
  return {
    commands: {
      [commands.createBackgroundJobs]: () => jobsPanel.open(),
      [commands.unlistVolume]: (args) => unlistVolume(services, args),
      [commands.hostShowLastResponse]: () => showAnswer(services),
    },
    views: [bag.add(createHostView(services))],
  };
}
