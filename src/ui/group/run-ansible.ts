// Ansible on a group: the folder goes to each instance, then the person's own program runs in a terminal here, with an inventory of the group.

import { join } from "node:path";
import * as vscode from "vscode";
import { assertNoTemplate } from "../../domain/group/ansible.ts";
import type { GroupFacts } from "../../domain/group/group-facts.ts";
import { NO_SETTINGS, writeInventory } from "../../domain/group/hand-over/host-files.ts";
import type { RunDraft } from "../../domain/run/run-plan.ts";
import { TASK_TYPE } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { formatInstanceCount } from "../../present/base/counts.ts";
import { buildAnsibleQuestion } from "../../present/group/job-text.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { listAnsibleVariables } from "../../services/group/ansible-variables.ts";
import { reachAll } from "../../services/group/prepare-job.ts";
import { uploadToGroup } from "../../services/group/upload-to-group.ts";
import { writeFiles } from "../../services/group/write-hand-over.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { withNotification } from "../kit/messages.ts";
import { listForRun } from "../run/list-for-run.ts";
import { formatJobTitle } from "./ask-job.ts";
import type { GroupServices } from "./group-services.ts";
import { createJobPerson } from "./job-person.ts";

/** Asks once, uploads, and leaves the rest to the program. @throws AppError. */
export async function runAnsible(
  services: GroupServices,
  account: SignedIn,
  group: GroupFacts,
  draft: RunDraft,
): Promise<void> {
  const { session, clock, inventories } = services;
  const list = await listForRun(draft);
  session.assertStill(account);
  const { hosts, given } = await reachAll(services, createJobPerson(services), account, {
    ...{ group, engine: "each", folder: draft.folder },
  });
  for (const { remote } of hosts) assertNoTemplate(remote);
  if (!(await confirm(buildAnsibleQuestion({ group, list, command: draft.command, remote: hosts[0]?.remote ?? "" }))))
    return;
  session.assertStill(account);
  await withNotification(t("Uploading to group “{0}”", group.name), true, (show, cancelled) =>
    uploadToGroup(
      hosts,
      { folder: draft.folder, list },
      (count) => show(t("{0} of {1} done", count, formatInstanceCount(hosts.length))),
      cancelled,
    ),
  );
  session.assertStill(account);
  const folders = new Map(hosts.map(({ rank, remote }) => [rank, remote]));
  const inventory = writeInventory({
    ...given,
    hosts: given.hosts.map((host) => ({ ...host, folder: folders.get(host.rank) })),
  });
  const place = join(inventories, group.id);
  if ("text" in inventory) await writeFiles({ folder: place, root: undefined, clock }, given, [inventory, NO_SETTINGS]);
  const env = { ...(await listAnsibleVariables(place, inventory.name)) };
  const shell = new vscode.ShellExecution(draft.command, {
    ...{ cwd: draft.folder, env },
    // The one that names are quoted for.
    ...{ executable: "/bin/sh", shellArgs: ["-c"] },
  });
  const task = new vscode.Task(
    { type: TASK_TYPE },
    vscode.TaskScope.Workspace,
    formatJobTitle(draft.name, group),
    "Ansible",
    shell,
    [],
  );
  task.presentationOptions = { panel: vscode.TaskPanelKind.Dedicated, reveal: vscode.TaskRevealKind.Always };
  await vscode.tasks.executeTask(task);
}
