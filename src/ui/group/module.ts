// Groups of instances: launching, and what is done with all members at once.
import { commands } from "../../ids.ts";
import type { Bag } from "../../lib/disposable.ts";
import type { InstanceGroups } from "../instance/instances-view.ts";
import { showError } from "../kit/errors.ts";
import type { Module } from "../kit/module.ts";
import type { RunTargets } from "../run/run-targets.ts";
import { findGivenTemplate } from "../template/template-commands.ts";
import { destroyGroup, renameGroup, setGroupEnd, stopGroup } from "./group-commands.ts";
import { createGroupRows, type GroupRowTarget } from "./group-rows.ts";
import type { GroupServices } from "./group-services.ts";
import { handOverGroup } from "./hand-over-group.ts";
import { createJobTargets } from "./job-targets.ts";
import { JobTerminals } from "./job-terminals.ts";
import { launchGroup } from "./launch-group.ts";
import { showOverlays } from "./overlay-commands.ts";
import { runCommandOnGroup } from "./run-on-group.ts";
import { tellGroupNotice } from "./tell-groups.ts";

interface GroupModule extends Module {
  /** The rows of groups above those of their instances. */
  readonly rows: InstanceGroups<GroupRowTarget>;
  /** The groups that something can be run on. */
  readonly targets: RunTargets;
}

export function createGroupModule(services: GroupServices, bag: Bag): GroupModule {
  bag.add(
    services.groups.onNotice((notice) => {
      tellGroupNotice(services, notice).catch((error) => showError(error, services.log));
    }),
  );
  return {
    commands: {
      [commands.groupLaunch]: async ([given]) => {
        const account = services.session.requireSignedIn();
        await launchGroup(services, account, (await findGivenTemplate(services, account, given))?.value);
      },
      [commands.groupExport]: (args) => handOverGroup(services, args),
      [commands.groupRun]: (args) => runCommandOnGroup(services, args),
      [commands.groupStop]: (args) => stopGroup(services, args),
      [commands.groupDestroy]: (args) => destroyGroup(services, args),
      [commands.groupSetAutoStop]: (args) => setGroupEnd(services, args),
      [commands.groupRename]: (args) => renameGroup(services, args),
      [commands.overlayShow]: () => showOverlays(services),
    },
    views: [],
    rows: createGroupRows(services),
    targets: createJobTargets(services, bag.add(new JobTerminals(services))),
  };
}
