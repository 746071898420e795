// What other extensions are told of instances: plain data without an address, a secret, a variable, or a script.
import type { AutoStopAction } from "../../domain/instance/auto-stop.ts";
import { getCurrentPrice, getPhase, type Phase, withoutLaunchToken } from "../../domain/instance/instance.ts";
import { cleanForeignText, type ToldInstance, toDollars } from "./tool-answers.ts";

export interface ExportedInstance {
  readonly id: number;
  readonly label: string;
  readonly status: Phase;
  /** Dollars. */
  readonly pricePerHour?: number;
  readonly autoStop?: {
    readonly action: AutoStopAction;
    /** Epoch milliseconds. */
    readonly at: number;
    readonly isUncertain?: true;
  };
}

/** Frozen: several extensions get the same objects. */
export function buildExportedInstances(rows: readonly ToldInstance[]): readonly ExportedInstance[] {
  return Object.freeze(rows.map(buildExportedInstance));
}

function buildExportedInstance(row: ToldInstance): ExportedInstance {
  const { value, end } = row;
  const price = toDollars(getCurrentPrice(row));
  return Object.freeze({
    id: value.id,
    label: cleanForeignText(withoutLaunchToken(value.label)),
    status: getPhase(value),
    ...(price === null ? {} : { pricePerHour: price }),
    ...(end ? { autoStop: Object.freeze(toExportedEnd(end)) } : {}),
  });
}

const toExportedEnd = ({ ending, until, isDoubted, isLeft, second }: NonNullable<ToldInstance["end"]>) => ({
  action: ending,
  at: until,
  ...(isDoubted || isLeft || second === "unsure" ? { isUncertain: true as const } : {}),
});
