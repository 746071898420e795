// The status bar in words: what is rented, what it costs an hour, and what may be rented without anybody knowing.
import type { Instance } from "../domain/instance.ts";
import { phase } from "../domain/instance.ts";
import { type LaunchRecord, priceAtRisk } from "../domain/launch-record.ts";
import { perHour, sumPerHour } from "../domain/money.ts";
import { t } from "../lib/text.ts";
import { totalBurn } from "./instances.ts";
import { launchName } from "./launches.ts";
import { clock } from "./state.ts";

export interface StatusView {
  readonly text: string;
  readonly tooltip: string;
  readonly accessible: string;
  readonly warning: boolean;
}

export interface StatusFacts {
  readonly rows: readonly {
    readonly value: Instance;
    readonly launchPrice: number | undefined;
    readonly gone?: boolean;
  }[];
  readonly atRisk: readonly LaunchRecord[];
  readonly doubled: readonly LaunchRecord[];
  readonly sandbox: boolean;
  /** Wall clock milliseconds of the reading. */
  readonly at: number | undefined;
  /** True where the service could not be reached since. */
  readonly stale: boolean;
}

/** Undefined where nothing is rented and nothing may be: then there is nothing to say. */
export function statusView({ rows: all, atRisk, doubled, sandbox, at, stale }: StatusFacts): StatusView | undefined {
  const rows = all.filter((row) => !row.gone);
  if (rows.length === 0 && atRisk.length === 0) return undefined;
  const running = rows.filter((row) => phase(row.value) === "running").length;
  const burn = totalBurn(rows);
  const rented = rows.length > 0 ? `${rows.length} · ${burn}` : undefined;
  const open =
    atRisk.length > 0
      ? t("{0} unresolved, {1} at risk", atRisk.length, sumPerHour(atRisk.map(priceAtRisk)))
      : undefined;
  const age =
    at === undefined
      ? undefined
      : stale
        ? t("as of {0}; the service cannot be reached", clock(at))
        : t("as of {0}", clock(at));
  const lines = [
    t("{0} rented, {1} running: {2}", rows.length, running, burn),
    ...atRisk.map((record) =>
      t("Not known whether rented: {0}, {1} at risk", launchName(record), perHour(priceAtRisk(record))),
    ),
    ...doubled.map((record) => t("Rented more than once: {0}", launchName(record))),
    ...(sandbox ? [t("Sandbox: nothing is charged.")] : []),
    ...(age === undefined ? [] : [age]),
  ];
  const warning = atRisk.length > 0 || doubled.length > 0;
  return {
    text: `$(${warning ? "warning" : "vm-running"}) ${[rented, open, stale ? "?" : undefined].filter(Boolean).join(" · ")}`,
    tooltip: lines.join("\n"),
    accessible: lines.join(" "),
    warning,
  };
}
