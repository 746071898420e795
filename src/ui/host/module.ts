// For hosts: jobs and volumes, with their view.
import { commands } from "../../ids.ts";
import type { Bag } from "../../lib/disposable.ts";
import type { Module } from "../kit/module.ts";
import { createBackgroundJobs, showAnswer, unlistVolume } from "./host-commands.ts";
import type { HostServices } from "./host-services.ts";
import { createHostView } from "./host-view.ts";

export function createHostModule(services: HostServices, bag: Bag): Module {
  return {
    commands: {
      [commands.createBackgroundJobs]: () => createBackgroundJobs(services),
      [commands.unlistVolume]: (args) => unlistVolume(services, args),
      [commands.hostShowAnswer]: () => showAnswer(services),
    },
    views: [bag.add(createHostView(services))],
  };
}
