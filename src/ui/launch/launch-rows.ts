// Unresolved launches, as rows above the instances.
import type { LaunchRecord } from "../../domain/launch/launch-record.ts";
import { buildLaunchRow } from "../../present/launch/launches.ts";
import type { LaunchWatch } from "../../services/launch/outcome/launch-watch.ts";
import type { OwnRows } from "../list/list-view.ts";

export function createLaunchRows(watch: LaunchWatch): OwnRows<LaunchRecord> {
  return {
    rows: (tag) =>
      [...watch.doubled, ...watch.doubted].map((record) => ({
        view: buildLaunchRow(record, tag),
        of: record,
        children: [],
      })),
    onDidChange: watch.onDidChange,
  };
}
