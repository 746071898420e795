// The list of instances: what is rented, below rows that other features add.
import type { InstanceId } from "../../domain/base/id.ts";
import type { SshState } from "../../domain/instance/instance.ts";
import { calculateListPause } from "../../domain/instance/list-pause.ts";
import { contexts, views } from "../../ids.ts";
import { type Event, mergeEvents } from "../../lib/event.ts";
import { t } from "../../lib/text.ts";
import { buildInstanceRow } from "../../present/instance/instances.ts";
import { getLast } from "../../services/core/loaded.ts";
import type { RowMemory } from "../../services/core/row-memory.ts";
import type { Scheduler } from "../../services/core/scheduler.ts";
import type { SessionService } from "../../services/core/session.ts";
import type { AutoStopsService } from "../../services/instance/auto-stops/auto-stops.ts";
import type { IdleOrders } from "../../services/instance/idle/idle-orders.ts";
import type { IdleWatch } from "../../services/instance/idle/idle-watch.ts";
import type { InstanceOrders } from "../../services/instance/instance-orders.ts";
import type { InstanceRow, Instances, InstancesService } from "../../services/instance/instances.ts";
import { rhythm } from "../list/list-rhythm.ts";
import { ListView, type OwnRows } from "../list/list-view.ts";
import type { Node } from "../list/rows.ts";

interface Services {
  readonly session: SessionService;
  readonly scheduler: Scheduler;
  readonly rowMemory: RowMemory;
  readonly instances: InstancesService;
  readonly orders: InstanceOrders;
  readonly autoStops: AutoStopsService;
  readonly idleWatch: IdleWatch;
  readonly idleOrders: IdleOrders;
}

interface InstanceReadiness {
  getState(id: InstanceId): SshState | undefined;
  readonly onDidChange: Event<void>;
}

/** What later features know of an instance. */
export interface LaterFacts {
  readonly readiness: InstanceReadiness;
  /** Its public ports, and where they lead. */
  readonly listPublished: (row: InstanceRow) => readonly string[];
  /** Whether an agent rented it. */
  readonly isByAgent: (id: InstanceId) => boolean;
}

/** Rows of later features below an instance's own. */
interface InstanceDetails<T> {
  rowsBelow(row: InstanceRow, tag: string): readonly Node<T>[];
  readonly onDidChange: Event<void>;
}

/** One after the other. */
export function joinDetails<T>(...parts: readonly InstanceDetails<T>[]): InstanceDetails<T> {
  return {
    rowsBelow: (row, tag) => parts.flatMap((part) => part.rowsBelow(row, tag)),
    onDidChange: mergeEvents(...parts.map(({ onDidChange }) => onDidChange)),
  };
}

/** How rows were drawn, for whoever puts them below rows of their own. */
export interface DrawnRows {
  readonly tag: string;
  readonly staleSince: number | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The instance that a row stands for. */
  readonly rowOf: (node: Node<unknown>) => InstanceRow | undefined;
}

/** Rows of later features above those of instances that belong together. */
export interface InstanceGroups<G> {
  gather<T>(rows: readonly Node<T>[], drawn: DrawnRows): readonly Node<T | G>[];
  readonly onDidChange: Event<void>;
}

export interface InstanceExtras<T, D, G> extends LaterFacts {
  /** Unresolved launches appear in the place of their future instances. */
  readonly first: OwnRows<T>;
  readonly details: InstanceDetails<D>;
  readonly groups: InstanceGroups<G>;
}

export function createInstancesView<T, D, G>(
  { session, scheduler, rowMemory, instances, orders, autoStops, idleWatch, idleOrders }: Services,
  { first, readiness, isByAgent, details, groups }: InstanceExtras<T, D, G>,
) {
  return new ListView<Instances, InstanceRow | T | D | G>({
    id: views.instances,
    why: contexts.instances,
    session,
    scheduler,
    rowMemory,
    datesRows: true,
    collection: instances.collection,
    rhythm: {
      fast: rhythm.fast,
      slow: () => Math.max(rhythm.slow(), calculateListPause(instances.requestsPerList)),
    },
    unsettled: () => instances.unsettled,
    // Rented instances cost money even if the list isn't visible, and unread ones may be rented.
    keeps: () => instances.rows.length > 0 || getLast(instances.collection.store.current)?.value.complete !== true,
    // An order to end an idle instance rests on readings that are taken.
    needsMinutes: () => idleOrders.needsReadings,
    onDidChangeLook: mergeEvents(
      ...[orders.onDidChange, autoStops.onDidChange, idleWatch.onDidChange, idleOrders.onDidChange],
      ...[readiness.onDidChange, details.onDidChange, groups.onDidChange],
    ),
    canSelectMany: true,
    draw: ({ rows }, tag, staleSince) => {
      const now = scheduler.clock.now();
      const byNode = new Map<Node<unknown>, InstanceRow>();
      const drawn = rows.map((row): Node<InstanceRow | T | D> => {
        const order = orders.getStage(row.value.id);
        const ssh = readiness.getState(row.value.id);
        const end = autoStops.findAutoStop(row.value);
        const [idle, idleWish] = [idleWatch.getState(row.value.id), idleOrders.getWish(row.value)];
        const facts = { ...row, tag, staleSince, now, order, ssh, end, idle, idleWish };
        const view = buildInstanceRow({ ...facts, isByAgent: isByAgent(row.value.id) });
        const node = { view: { ...view, folded: true as const }, of: row, children: details.rowsBelow(row, tag) };
        byNode.set(node, row);
        return node;
      });
      return groups.gather<InstanceRow | T | D>(drawn, { tag, staleSince, now, rowOf: (node) => byNode.get(node) });
    },
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
