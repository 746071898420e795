// Overlay networks in words.
import { formatHourlySum } from "../../domain/base/money.ts";
import { getCurrentPrice } from "../../domain/instance/instance.ts";
import { type Overlay, OverlayName } from "../../domain/instance/overlay.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { formatInstanceCount } from "../base/counts.ts";
import type { InstanceFacts } from "../instance/instance-facts.ts";
import { formatInstanceTitle } from "../instance/instances.ts";

interface Facts {
  readonly overlay: Overlay;
  readonly members: readonly {
    readonly id: number;
    readonly row: Pick<InstanceFacts, "value" | "launchPrice"> | undefined;
  }[];
}

export const formatOverlayTitle = ({ name, overlay_id: id }: Overlay): string => toPlainText(name, 80) || String(id);

/** `2 instances · cluster 501 · 10.77.89.0/24` */
export function describeOverlay({ overlay: { cluster_id: cluster, internal_subnet: subnet }, members }: Facts): string {
  return [
    formatInstanceCount(members.length),
    ...(cluster === undefined ? [] : [t("cluster {0}", cluster)]),
    ...(subnet === undefined ? [] : [toPlainText(subnet, 60)]),
  ].join(" · ");
}

/** What is typed to delete it: its name, or its ID if the name can't be typed. */
export function formatOverlayWord({ name, overlay_id: id }: Overlay): string {
  return OverlayName.safeParse(name).success ? name : String(id);
}

/** Instances that are named. */
const NAMED = 4;

export function buildDeleteOverlayPrompt({ overlay, members }: Facts): string {
  const word = formatOverlayWord(overlay);
  if (members.length === 0) return t("Type {0} to confirm. No instance is in the network.", word);
  const names = members
    .slice(0, NAMED)
    .map(({ id, row }) => toPlainText(row ? formatInstanceTitle(row.value) : String(id), 60));
  const listed =
    members.length > NAMED ? t("{0}, and {1} more", names.join(", "), members.length - NAMED) : names.join(", ");
  return t(
    "Type {0} to confirm. Deleting the network also destroys {1}, including the disks ({2}): {3}. This can't be undone.",
    word,
    formatInstanceCount(members.length),
    formatHourlySum(members.map(({ row }) => row && getCurrentPrice(row))),
    listed,
  );
}

/** `left`: the IDs of instances that are still listed. */
export function describeDeletedOverlay({ overlay, members }: Facts, left: readonly number[]): string {
  const title = formatOverlayTitle(overlay);
  if (members.length === 0) return t("Overlay network “{0}” was deleted.", title);
  if (left.length === 0)
    return t("Overlay network “{0}” was deleted, and {1} with it.", title, formatInstanceCount(members.length));
  return t(
    "Overlay network “{0}” was deleted, but these of its instances are still listed and may cost money: {1}.",
    title,
    toPlainText(left.join(", "), 300),
  );
}
