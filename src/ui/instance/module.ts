// Instances, with their view. The launch feature adds its own rows above them.
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { commands } from "../../ids.ts";
import type { Bag } from "../../lib/disposable.ts";
import { t } from "../../lib/text.ts";
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

interface InstanceModule extends Module {
  /** Selects the row of an instance. @throws AppError `not-found`. */
  readonly reveal: (id: InstanceId) => Promise<void>;
}

export function createInstanceModule(
  services: InstanceServices,
  laterFeatures: InstanceExtras<unknown, unknown, unknown>,
  bag: Bag,
): InstanceModule {
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
  const view = bag.add(createInstancesView(services, laterFeatures));
  return {
    reveal: async (id) => {
      const { instances } = services;
      await instances.collection.getKnown();
      const row = instances.find(id);
      if (row && (await view.reveal((of) => of === row))) return;
      const { current } = instances.collection.store;
      if (current.state === "failed") throw current.error;
      throw new AppError("not-found", t("That instance is no longer in the list. Nothing was changed."));
    },
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
    views: [view],
  };
}
