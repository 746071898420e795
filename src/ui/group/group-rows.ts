// Puts the rows of instances below the rows of their groups.
import type { InstanceId } from "../../domain/base/id.ts";
import { findDecision } from "../../domain/group/group-record.ts";
import { getCurrentPrice } from "../../domain/instance/instance.ts";
import { buildMachineGroupRow } from "../../present/group/group-rows.ts";
import type { GroupsService } from "../../services/group/groups.ts";
import type { AutoStopsService } from "../../services/instance/auto-stops/auto-stops.ts";
import type { InstanceRow } from "../../services/instance/instances.ts";
import type { DrawnRows, InstanceGroups } from "../instance/instances-view.ts";
import type { Node } from "../list/rows.ts";

/** What the row of a group stands for. Commands look both up again. */
export interface GroupRowTarget {
  readonly group: string;
  /** Its listed instances. */
  readonly instances: readonly InstanceId[];
}

export function createGroupRows({
  groups,
  autoStops,
}: {
  readonly groups: GroupsService;
  readonly autoStops: AutoStopsService;
}): InstanceGroups<GroupRowTarget> {
  return {
    onDidChange: groups.onDidChange,
    gather: <T>(rows: readonly Node<T>[], drawn: DrawnRows) => gather(groups, autoStops, rows, drawn),
  };
}

function gather<T>(
  groups: GroupsService,
  autoStops: AutoStopsService,
  rows: readonly Node<T>[],
  { tag, staleSince, now, rowOf }: DrawnRows,
): readonly Node<T | GroupRowTarget>[] {
  const byId = new Map<InstanceId, Node<T>>();
  for (const row of rows) {
    const id = rowOf(row)?.value.id;
    if (id !== undefined) byId.set(id, row);
  }
  const inGroups = new Set<Node<T>>();
  const parents = groups.all.flatMap((group): Node<T | GroupRowTarget>[] => {
    const children = group.listed.flatMap((id) => byId.get(id) ?? []);
    const isOpen = findDecision(group.record) === undefined || !group.record.facts.has("told");
    if (children.length === 0 && !isOpen) return [];
    for (const child of children) inGroups.add(child);
    const listed = children.flatMap((child): readonly InstanceRow[] => {
      const row = rowOf(child);
      return row ? [row] : [];
    });
    const prices = listed.map(getCurrentPrice);
    const ends = listed.map(({ value }) => autoStops.findAutoStop(value));
    const view = buildMachineGroupRow({ group, tag, prices, ends, staleSince, now });
    return [{ view, of: { group: group.id, instances: group.listed }, children }];
  });
  return [...parents, ...rows.filter((row) => !inGroups.has(row))];
}
