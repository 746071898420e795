// Instances, with their view. The launch feature adds its own rows above them.
import { commands } from "../../ids.ts";
import type { Bag } from "../../lib/disposable.ts";
import { showError } from "../kit/errors.ts";
import type { Module } from "../kit/module.ts";
import {
  changeBid,
  destroyInstances,
  rebootInstances,
  renameInstance,
  startInstances,
  stopInstances,
} from "./instance-actions.ts";
import { copyId, forgetInstances, trackInstance } from "./instance-commands.ts";
import type { InstanceServices } from "./instance-services.ts";
import { createInstancesView, type InstanceExtras } from "./instances-view.ts";
import { followOrders } from "./machine-terminals.ts";
import { tellOrderNotice } from "./order-notifications.ts";
import { setEnd, tellAutoStopNotice, tellUnreadable } from "./set-auto-stop.ts";
import { tellIdle, tellIdleOrder } from "./set-idle-auto-stop.ts";
import { showInstance } from "./show-instance.ts";
import { tellAlert } from "./tell-alert.ts";

export function createInstanceModule(
  services: InstanceServices,
  laterFeatures: InstanceExtras<unknown, unknown, unknown>,
  bag: Bag,
): Module {
  followOrders(services, bag);
  bag.add(services.orders.onNotice((notice) => void tellOrderNotice(services, notice)));
  bag.add(
    services.autoStops.onNotice((notice) => {
      tellAutoStopNotice(services, notice).catch((error) => showError(error, services.log));
    }),
  );
  bag.add(services.autoStops.onDidGetStuck((error) => void tellUnreadable("ends", error)));
  bag.add(services.idleOrders.onDidGetStuck((error) => void tellUnreadable("idle-orders", error)));
  bag.add(
    services.alerts.onNotice((notice) => {
      tellAlert(services, notice).catch((error) => showError(error, services.log));
    }),
  );
  bag.add(
    services.idleNotices.onNotice((notice) => {
      tellIdle(services, notice).catch((error) => showError(error, services.log));
    }),
  );
  bag.add(
    services.idleOrders.onNotice((notice) => {
      tellIdleOrder(services, notice).catch((error) => showError(error, services.log));
    }),
  );
  return {
    commands: {
      [commands.instanceShow]: (args) => showInstance(services, laterFeatures, args),
      [commands.instanceCopyId]: (args) => copyId(services, args),
      [commands.instanceStart]: (args) => startInstances(services, args),
      [commands.instanceStop]: (args) => stopInstances(services, args),
      [commands.instanceReboot]: (args) => rebootInstances(services, args),
      [commands.instanceRename]: (args) => renameInstance(services, args),
      [commands.instanceSetAutoStop]: (args) => setEnd(services, args),
      [commands.instanceChangeBid]: (args) => changeBid(services, args),
      [commands.instanceDestroy]: (args) => destroyInstances(services, args),
      [commands.instanceForget]: (args) => forgetInstances(services, args),
      [commands.instanceTrack]: () => trackInstance(services),
    },
    views: [bag.add(createInstancesView(services, laterFeatures))],
  };
}
