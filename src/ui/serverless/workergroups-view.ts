// The list of workergroups under their endpoints.
import { contexts, views } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { buildGroupRow } from "../../present/base/row.ts";
import {
  buildWorkergroupDetails,
  buildWorkergroupRow,
  formatEndpointName,
} from "../../present/serverless/workergroups.ts";
import type { RowMemory } from "../../services/core/row-memory.ts";
import type { Scheduler } from "../../services/core/scheduler.ts";
import type { SessionService } from "../../services/core/session.ts";
import type { WorkergroupRow, WorkergroupsService } from "../../services/serverless/workergroups.ts";
import { quietList } from "../list/list-rhythm.ts";
import { ListView } from "../list/list-view.ts";
import type { Node } from "../list/rows.ts";

type WorkergroupNode = Node<WorkergroupRow>;

interface Services {
  readonly session: SessionService;
  readonly scheduler: Scheduler;
  readonly rowMemory: RowMemory;
  readonly workergroups: WorkergroupsService;
}

export function createWorkergroupsView({ session, scheduler, rowMemory, workergroups }: Services) {
  return new ListView({
    ...quietList,
    id: views.workergroups,
    why: contexts.workergroups,
    session,
    scheduler,
    rowMemory,
    collection: workergroups.collection,
    draw: ({ rows }, tag, staleSince) => endpoints(rows, tag, staleSince),
    count: ({ rows }) => rows.length,
    unreadable: ({ unreadable }) => unreadable,
  });
}

function endpoints(rows: readonly WorkergroupRow[], tag: string, staleSince: number | undefined): WorkergroupNode[] {
  const groups = Map.groupBy(rows, ({ value }) => `${value.endpoint_id ?? ""} ${value.endpoint_name ?? ""}`);
  return [...groups].flatMap(([key, members]) => {
    const [first] = members;
    return first ? [endpoint(formatEndpointName(first.value), key, members, tag, staleSince)] : [];
  });
}

function endpoint(
  name: string,
  key: string,
  rows: readonly WorkergroupRow[],
  tag: string,
  staleSince: number | undefined,
): WorkergroupNode {
  return {
    view: buildGroupRow(
      `endpoint ${tag} ${key}`,
      name,
      rows.length,
      t("{0}, endpoint, workergroups: {1}", name, rows.length),
    ),
    of: undefined,
    children: rows.map((row) => ({
      view: buildWorkergroupRow(row, { tag, staleSince }),
      of: row,
      children: buildWorkergroupDetails(row, tag).map((view) => ({ view, of: undefined, children: [] })),
    })),
  };
}
