// Choosing the overlay network of a group: none, one that is there, or a new one.

import { findJoinable, type GroupDraft } from "../../domain/group/group-plan.ts";
import { OverlayName, type OverlayWish, parseOverlayName } from "../../domain/instance/overlay.ts";
import { t, toLabel } from "../../lib/text.ts";
import { formatInstanceCount } from "../../present/base/counts.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { type Choice, pickOne } from "../kit/ask/pick.ts";
import { type Answer, askText, BACK, type StepPlace } from "../kit/ask/steps.ts";
import type { GroupServices } from "./group-services.ts";

type Chosen = OverlayWish | "none" | "new";

export async function askNetwork(
  services: GroupServices,
  account: SignedIn,
  place: StepPlace,
  draft: GroupDraft,
): Promise<Answer<GroupDraft>> {
  const cluster = findJoinable(draft);
  if (cluster === undefined) return draft;
  const chosen = await pickOne<Chosen>({
    ...place,
    placeholder: t("Which overlay network? Machines in the same network can reach each other on all ports."),
    choices: async (signal) => await listNetworks(services, account, cluster, signal),
    active: (value) => (typeof value === "object" ? value.name === draft.overlay?.name : value === "none"),
  });
  if (chosen === undefined || chosen === BACK) return chosen;
  if (chosen === "none") return { ...draft, overlay: undefined };
  if (chosen !== "new") return { ...draft, overlay: chosen };
  const name = await askText({
    ...place,
    prompt: t("Name of the new overlay network. It's created when you confirm the group, and costs nothing."),
    value: draft.name,
    read: parseOverlayName,
  });
  return typeof name === "string" ? { ...draft, overlay: { name, cluster, isNew: true } } : name;
}

/** Those on the cluster of the machines. @throws AppError `unsupported` at a service without networks. */
async function listNetworks(
  { overlays }: GroupServices,
  account: SignedIn,
  cluster: number,
  signal: AbortSignal,
): Promise<Choice<Chosen>[]> {
  const all = await overlays.list(account, signal);
  const here = all.filter(
    ({ overlay }) => overlay.cluster_id === cluster && OverlayName.safeParse(overlay.name).success,
  );
  return [
    { label: `$(circle-slash) ${t("None")}`, value: "none" },
    { label: `$(add) ${t("New Network…")}`, value: "new" },
    ...here.map(({ overlay: { name }, members }) => ({
      label: `$(type-hierarchy-sub) ${toLabel(name, 80)}`,
      description: formatInstanceCount(members.length),
      value: { name, cluster, isNew: false },
    })),
  ];
}
