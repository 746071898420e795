// What is told of an instance that was outbid, or whose disk is almost full.
import { formatHourlyPrice, toPrice } from "../../domain/base/money.ts";
import { type AlertKind, calculateDiskShare } from "../../domain/instance/alert.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import { t } from "../../lib/text.ts";
import { formatInstanceTitle } from "./instances.ts";

export function describeAlert(instance: Instance, kind: AlertKind): string {
  return kind === "outbid" ? outbidText(instance) : diskText(instance);
}

function outbidText(instance: Instance): string {
  const least = toPrice(instance.min_bid);
  return [
    t("You were outbid on {0}, so it isn't running.", formatInstanceTitle(instance)),
    t("Its disk is still billed at {0}.", formatHourlyPrice(toPrice(instance.storage_total_cost))),
    least === undefined
      ? t("The instance restarts when your bid is the highest.")
      : t("The instance restarts when your bid is the highest. The current minimum is {0}.", formatHourlyPrice(least)),
  ].join(" ");
}

function diskText(instance: Instance): string {
  const { disk_usage: used = 0, disk_space: space = 0 } = instance;
  const percent = Math.floor((calculateDiskShare(instance) ?? 0) * 100);
  const name = formatInstanceTitle(instance);
  return t(
    "The disk of {0} is {1}% full ({2} of {3} GB). Writes will fail when it's full, and a disk can't be enlarged.",
    name,
    percent,
    gb(used),
    gb(space),
  );
}

const gb = (size: number): string => size.toFixed(size < 10 ? 1 : 0);
