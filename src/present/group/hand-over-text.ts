// What is said when a group is handed over.
import type { HandedFile } from "../../domain/group/hand-over/group-host.ts";
import { t } from "../../lib/text.ts";
import { formatInstanceCount } from "../base/counts.ts";
import type { Question } from "../base/question.ts";

/** What each file is for. */
export function describeFile({ name }: Pick<HandedFile, "name">): string {
  const texts: Readonly<Record<string, string>> = {
    "hosts.json": t("addresses, GPUs, prices, and ends, for your own programs"),
    "hosts.txt": t("one host name per line, for tools that read a host list"),
    "inventory.yml": t("for Ansible: ansible -i inventory.yml all -m raw -a hostname"),
    "parallel.slf": t("for GNU parallel: parallel --sshloginfile parallel.slf"),
    "torchrun.sh": t("for PyTorch: ./torchrun.sh train.py"),
    "ray.sh": t("for Ray: ./ray.sh python train.py"),
    "ssh_node_pools.yaml": t("for SkyPilot, to be added to ~/.sky/ssh_node_pools.yaml"),
    "fleet.dstack.yml": t("for dstack: dstack apply -f fleet.dstack.yml"),
  };
  return texts[name] ?? "";
}

export function buildReplaceFilesQuestion(folder: string, names: readonly string[]): Question {
  return {
    message: names.length === 1 ? t("Replace {0}?", names.join("")) : t("Replace {0} files?", names.length),
    detail: t(
      "These files in {0} weren't written by Cloud GPU or have changed since: {1}. Replacing them discards their contents.",
      folder,
      names.join(", "),
    ),
    go: t("Replace"),
    close: t("Cancel"),
  };
}

/** `left`: instances that aren't in the files, each with the reason. */
export function describeHandOver(
  folder: string,
  count: number,
  left: readonly { readonly rank: number; readonly why: string }[],
): string {
  const written = t("The files for {0} are in {1}.", formatInstanceCount(count), folder);
  const [first] = left;
  if (!first) return written;
  const others =
    left.length === 1
      ? t("Left out: instance {0}. {1}", first.rank, first.why)
      : t("Left out: {0} instances. Instance {1}: {2}", left.length, first.rank, first.why);
  return `${written} ${others}`;
}
