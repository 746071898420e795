// Puts the services of groups together.
import type { ReplacementPolicy } from "../../domain/launch/limits.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Bag } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";
import type { AccountKeys } from "../connection/account-keys.ts";
import type { ReadinessService } from "../connection/readiness.ts";
import type { Disk } from "../core/book/disk.ts";
import type { Liveness } from "../core/heartbeat.ts";
import type { Scheduler } from "../core/scheduler.ts";
import type { SessionService } from "../core/session.ts";
import type { InstanceOrders } from "../instance/instance-orders.ts";
import type { InstancesService } from "../instance/instances.ts";
import type { LaunchService } from "../launch/launch.ts";
import type { LaunchWatch } from "../launch/outcome/launch-watch.ts";
import type { ReplacementService } from "../launch/replacement.ts";
import type { LaunchRunner } from "../launch/run-launch.ts";
import type { OffersService } from "../offer/offers.ts";
import type { RunsService } from "../run/runs.ts";
import type { TemplateSaves } from "../template/template-saves.ts";
import { GroupJobs } from "./group-jobs.ts";
import { GroupJournal } from "./group-journal.ts";
import { GroupsService } from "./groups.ts";
import { GroupLauncher } from "./launch-group.ts";
import { OverlaysService } from "./overlays.ts";
import { GroupReview } from "./review-group.ts";
import { GroupRunner } from "./run-group.ts";

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly orders: InstanceOrders;
  readonly offers: OffersService;
  readonly saves: TemplateSaves;
  readonly accountKeys: AccountKeys;
  readonly readiness: ReadinessService;
  readonly watch: LaunchWatch;
  readonly launches: LaunchService;
  readonly replacements: ReplacementService;
  readonly runner: LaunchRunner;
  readonly runs: RunsService;
  readonly scheduler: Scheduler;
  readonly liveness: Liveness;
  readonly folders: { readonly groups: string };
  readonly clock: Clock;
  readonly log: Log;
}

interface Ports {
  readonly disk?: Disk;
  readonly replacementPolicy: () => ReplacementPolicy;
}

export function assembleGroups(bag: Bag, { disk, replacementPolicy }: Ports, parts: Parts) {
  const groupJournal = bag.add(new GroupJournal(parts.folders.groups, disk));
  const groups = bag.add(new GroupsService({ ...parts, groupJournal }));
  const overlays = new OverlaysService(parts);
  const groupLauncher = new GroupLauncher({ ...parts, groups, groupJournal, overlays });
  const groupReview = new GroupReview(parts);
  const groupRunner = new GroupRunner({ ...parts, groups, groupJournal, groupLauncher, replacementPolicy });
  parts.runner.deadMachines.onWillReplace.push((dead, token) => groups.keepRank(dead, token));
  parts.replacements.machinesBeside = (dead) => groups.listMachinesBeside(dead);
  const groupJobs = new GroupJobs(parts);
  return { groupJournal, groups, groupJobs, overlays, groupReview, groupRunner, groupLauncher };
}
