// The list of instances: what is rented, below rows that other features add.
import type { InstanceId } from "../../domain/base/id.ts";
import type { SshState } from "../../domain/instance/instance.ts";
import { contexts, views } from "../../ids.ts";
import { anyOf, type Event } from "../../lib/event.ts";
import { t } from "../../lib/text.ts";
import { instanceRow } from "../../present/instance/instances.ts";
import { lastOf } from "../../services/core/loaded.ts";
import type { Scheduler } from "../../services/core/scheduler.ts";
import type { SessionService } from "../../services/core/session.ts";
import type { InstanceOrders } from "../../services/instance/instance-orders.ts";
import type { InstanceRow, InstancesService } from "../../services/instance/instances.ts";
import { rhythm } from "../kit/list-rhythm.ts";
import { ListView, type OwnRows } from "../kit/list-view.ts";
import type { Node } from "../kit/rows.ts";

interface Services {
  readonly session: SessionService;
  readonly scheduler: Scheduler;
  readonly instances: InstancesService;
  readonly orders: InstanceOrders;
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

export interface InstanceExtras<T, D> {
  /** Unresolved launches appear in the place of their future instances. */
  readonly first: OwnRows<T>;
  readonly readiness: InstanceReadiness;
  readonly details: InstanceDetails<D>;
}

export function createInstancesView<T, D>(
  { session, scheduler, instances, orders }: Services,
  { first, readiness, details }: InstanceExtras<T, D>,
) {
  return new ListView({
    id: views.instances,
    why: contexts.instances,
    session,
    scheduler,
    collection: instances.collection,
    rhythm,
    unsettled: () => instances.unsettled,
    // Rented instances cost money even if the list isn't visible, and unread ones may be rented.
    keeps: () => instances.rows.length > 0 || lastOf(instances.collection.store.current)?.value.complete !== true,
    onDidChangeLook: anyOf(orders.onDidChange, readiness.onDidChange, details.onDidChange),
    canSelectMany: true,
    draw: ({ rows }, tag, staleSince) =>
      rows.map((row): Node<InstanceRow | T | D> => {
        const order = orders.stageOf(row.value.id);
        const ssh = readiness.stateOf(row.value.id);
        const view = instanceRow({ ...row, tag, staleSince, order, ssh });
        return { view: { ...view, folded: true }, of: row, children: details.rowsBelow(row, tag) };
      }),
    count: ({ rows }) => rows.length,
    unreadable: ({ unreadable }) => unreadable,
    complete: ({ complete }) => complete,
    remark: ({ listed, unread }) => {
      if (unread) return t("The list has not been read yet; more may be there.");
      if (listed) return undefined;
      return t(
        "This service has no list of instances. Those launched here are shown, and those you track by their id.",
      );
    },
    own: first,
  });
}
