// What is asked of a job before its instances are reached: its engine, and what becomes of them.

import { addPrices, formatHourlyPrice } from "../../domain/base/money.ts";
import type { WhenDone } from "../../domain/base/when-done.ts";
import type { GroupFacts } from "../../domain/group/group-facts.ts";
import { describeNoNetwork } from "../../domain/group/hand-over/group-host.ts";
import { findOverlay } from "../../domain/instance/overlay.ts";
import type { Engine } from "../../domain/run/run-record.ts";
import { t, toLabel } from "../../lib/text.ts";
import { describeEngine, formatEngineName } from "../../present/group/job-text.ts";
import type { JobWay } from "../../services/group/prepare-job.ts";
import { type Choice, pickOne } from "../kit/ask/pick.ts";
import { BACK } from "../kit/ask/steps.ts";

/** @returns undefined if the person doesn't want to run anything. Engines that can't work are shown with the reason. */
export async function askWay(
  title: string,
  group: GroupFacts,
  isScript: boolean,
): Promise<JobWay | "ansible" | undefined> {
  const why = findObstacle(group);
  const engine = (name: Exclude<Engine, "each">): Choice<JobWay> => ({
    label: `${why === undefined ? "$(type-hierarchy-sub)" : "$(circle-slash)"} ${formatEngineName(name)}`,
    detail: why ?? describeEngine(name),
    ...(why === undefined ? { value: { engine: name, onFailure: "stopAll" } } : {}),
  });
  // It doesn't run on Windows.
  const ansible: Choice<"ansible"> = {
    label: "$(list-tree) Ansible",
    detail: t("Your program on this computer, with an inventory. The folder is uploaded first."),
    value: "ansible",
  };
  const way = await pickOne<JobWay | "ansible">({
    title,
    placeholder: t("How do the instances of “{0}” work together?", group.name),
    choices: [
      {
        label: `$(list-unordered) ${t("Same Command on Each")}`,
        detail: t("If it fails on one instance, Cloud GPU stops it on all of them."),
        value: { engine: "each", onFailure: "stopAll" },
      },
      {
        label: `$(list-unordered) ${t("Same Command on Each, Continue on Failure")}`,
        detail: t("If it fails on one instance, the others continue."),
        value: { engine: "each", onFailure: "continue" },
      },
      ...(isScript ? [engine("torchrun"), engine("ray")] : []),
      ...(process.platform === "win32" ? [] : [ansible]),
    ],
  });
  return way === BACK ? undefined : way;
}

/** What becomes of the instances. @returns undefined if the person doesn't want to run anything. */
export async function askAfterJob(title: string, { members }: GroupFacts): Promise<WhenDone | undefined> {
  const price = formatHourlyPrice(addPrices(members.map((member) => member.price)));
  const whenDone = await pickOne<WhenDone>({
    title,
    placeholder: t("What happens to the instances afterward?"),
    choices: [
      {
        label: t("Keep Them Running"),
        detail: t("They cost {0} until you stop or destroy them or they reach their end time.", price),
        value: "keep",
      },
      {
        label: t("Stop Each"),
        detail: t("When its run finishes. You keep paying for its disk."),
        value: "stop",
      },
      {
        label: t("Destroy Each"),
        detail: t("After its results are downloaded. Everything else on it is deleted."),
        value: "destroy",
      },
    ],
  });
  return whenDone === BACK ? undefined : whenDone;
}

/** Why engines whose ranks talk to each other can't be used, as far as the list of instances tells. */
function findObstacle({ members }: GroupFacts): string | undefined {
  const [first, ...others] = new Set(members.map(({ instance }) => findOverlay(instance?.extra_env)));
  return first !== undefined && others.length === 0 ? undefined : describeNoNetwork();
}

export const formatJobTitle = (name: string, group: GroupFacts): string => `${toLabel(name, 40)} · ${group.name}`;
