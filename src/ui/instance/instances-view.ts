// The list of instances: what is rented, below rows that other features add.
import type { InstanceId } from "../../domain/base/id.ts";
import type { SshState } from "../../domain/instance/instance.ts";
import { listPause } from "../../domain/instance/list-pause.ts";
import { contexts, views } from "../../ids.ts";
import { anyOf, type Event } from "../../lib/event.ts";
import { t } from "../../lib/text.ts";
import { instanceRow } from "../../present/instance/instances.ts";
import { lastOf } from "../../services/core/loaded.ts";
import type { RowMemory } from "../../services/core/row-memory.ts";
import type { Scheduler } from "../../services/core/scheduler.ts";
import type { SessionService } from "../../services/core/session.ts";
import type { IdleOrders } from "../../services/instance/idle/idle-orders.ts";
import type { IdleWatch } from "../../services/instance/idle/idle-watch.ts";
import type { InstanceOrders } from "../../services/instance/instance-orders.ts";
import type { InstanceRow, InstancesService } from "../../services/instance/instances.ts";
import type { LeasesService } from "../../services/instance/leases.ts";
import { rhythm } from "../list/list-rhythm.ts";
import { ListView, type OwnRows } from "../list/list-view.ts";
import type { Node } from "../list/rows.ts";

interface Services {
  readonly session: SessionService;
  readonly scheduler: Scheduler;
  readonly rowMemory: RowMemory;
  readonly instances: InstancesService;
  readonly orders: InstanceOrders;
  readonly leases: LeasesService;
  readonly idleWatch: IdleWatch;
  readonly idleOrders: IdleOrders;
}

/** What later features know of an instance. */
export interface InstanceReadiness {
  stateOf(id: InstanceId): SshState | undefined;
  readonly onDidChange: Event<void>;
}

/** Rows of later features below an instance's own. */
export interface InstanceDetails<T> {
  rowsBelow(row: InstanceRow, tag: string): readonly Node<T>[];
  readonly onDidChange: Event<void>;
}

/** One after the other. */
export function joinDetails<T>(...parts: readonly InstanceDetails<T>[]): InstanceDetails<T> {
  return {
    rowsBelow: (row, tag) => parts.flatMap((part) => part.rowsBelow(row, tag)),
    onDidChange: anyOf(...parts.map(({ onDidChange }) => onDidChange)),
  };
}

export interface InstanceExtras<T, D> {
  /** Unresolved launches appear in the place of their future instances. */
  readonly first: OwnRows<T>;
  readonly readiness: InstanceReadiness;
  readonly details: InstanceDetails<D>;
}

export function createInstancesView<T, D>(
  { session, scheduler, rowMemory, instances, orders, leases, idleWatch, idleOrders }: Services,
  { first, readiness, details }: InstanceExtras<T, D>,
) {
  return new ListView({
    id: views.instances,
    why: contexts.instances,
    session,
    scheduler,
    rowMemory,
    datesRows: true,
    collection: instances.collection,
    rhythm: {
      fast: rhythm.fast,
      slow: () => Math.max(rhythm.slow(), listPause(instances.requestsPerList)),
    },
    unsettled: () => instances.unsettled,
    // Rented instances cost money even if the list isn't visible, and unread ones may be rented.
    keeps: () => instances.rows.length > 0 || lastOf(instances.collection.store.current)?.value.complete !== true,
    // An order to end an idle instance rests on readings that are taken.
    needsMinutes: () => idleOrders.needsReadings,
    onDidChangeLook: anyOf(
      ...[orders.onDidChange, leases.onDidChange, idleWatch.onDidChange, idleOrders.onDidChange],
      ...[readiness.onDidChange, details.onDidChange],
    ),
    canSelectMany: true,
    draw: ({ rows }, tag, staleSince) =>
      rows.map((row): Node<InstanceRow | T | D> => {
        const order = orders.stageOf(row.value.id);
        const ssh = readiness.stateOf(row.value.id);
        const end = leases.endOf(row.value);
        const [idle, idleWish] = [idleWatch.stateOf(row.value.id), idleOrders.wishOf(row.value)];
        const now = scheduler.clock.now();
        const view = instanceRow({ ...row, tag, staleSince, now, order, ssh, end, idle, idleWish });
        return { view: { ...view, folded: true }, of: row, children: details.rowsBelow(row, tag) };
      }),
    count: ({ rows }) => rows.length,
    unreadable: ({ unreadable }) => unreadable,
    complete: ({ complete }) => complete,
    remark: ({ listed, unread }) => {
      if (unread) return t("The list hasn't been loaded yet. More instances may exist.");
      if (listed) return undefined;
      return t("This service can't list instances. You see only instances that you launched here or track by ID.");
    },
    own: first,
  });
}
