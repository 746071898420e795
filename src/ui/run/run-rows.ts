// The runs on an instance, below its row: those with something left to do, and the last ones that are over.
import type { RunId } from "../../domain/base/id.ts";
import { isOpen } from "../../domain/run/run-record.ts";
import type { Event } from "../../lib/event.ts";
import { buildRunRow } from "../../present/run/run-rows.ts";
import type { Scheduler } from "../../services/core/scheduler.ts";
import type { InstanceRow } from "../../services/instance/instances.ts";
import type { RunList } from "../../services/run/run-list.ts";
import type { Node } from "../list/rows.ts";

/** What a run's row stands for. Not an instance: whatever is done to those must not be done to the run's. */
export interface RunOnMachine {
  readonly run: RunId;
}

export interface RunRows {
  rowsBelow(row: InstanceRow, tag: string): readonly Node<RunOnMachine>[];
  readonly onDidChange: Event<void>;
}

/** Of those that are over. */
const MOST_OVER = 3;

export function createRunRows({
  runList,
  scheduler,
}: {
  readonly runList: RunList;
  readonly scheduler: Scheduler;
}): RunRows {
  return {
    onDidChange: runList.onDidChange,
    rowsBelow: ({ value }, tag) => {
      const runs = runList.listFor(value.id);
      const over = runs.filter((run) => !isOpen(run)).slice(0, MOST_OVER);
      const shown = runs.filter((run) => isOpen(run) || over.includes(run));
      return shown.map((run) => ({
        view: buildRunRow(run, tag, scheduler.clock.now()),
        of: { run: run.id },
        children: [],
      }));
    },
  };
}
